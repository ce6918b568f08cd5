"""From the names other tools give models, systems and precisions to presets."""

from __future__ import annotations

import re
from typing import Final

from pdsched.hardware import GPUS, MODELS

# Families whose shapes are those of another one under a preset.
_SAME_SHAPES: Final = {"llama-3": "llama-3.1", "llama-3.3": "llama-3.1", "qwen2": "qwen2.5"}
_FAMILY: Final = re.compile(r"(llama|qwen|opt|gpt|yi|mistral)[\s_.-]*(\d(?:\.\d)?(?=[\s_-]))?")
_SIZE: Final = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])")
_OTHER_ARCHITECTURE: Final = re.compile(
    r"\d+x\d+b|-a\d+(?:\.\d+)?b|(?:^|[-_ ])(?:vl|vision|moe|next|omni|audio|embedding)(?:[-_ ]|$)"
)
_PRECISIONS: Final = {
    "": "bf16",
    "bf16": "bf16",
    "bfloat16": "bf16",
    "fp16": "bf16",
    "float16": "bf16",
    "half": "bf16",
    "fp8": "fp8",
    "float8": "fp8",
    "fp8_static": "fp8",
    "fp8_block": "fp8",
    "fp8_ootb": "fp8",
    "w8a8_fp8": "fp8",
}
_SYSTEM_NOISE: Final = re.compile(
    r"nvidia|tesla|geforce|server|sxm\d?|hbm\d?e?|\d+\s*gb(?!\d)|[\s_-]+"
)


def model_preset(name: str) -> str | None:
    """The model preset another tool's name means, or None.

    >>> model_preset("meta-llama/Llama-3.1-8B-Instruct"), model_preset("QWEN3_32B")
    ('llama-3.1-8b', 'qwen3-32b')
    """
    plain = name.strip().lower().rsplit("/", 1)[-1]
    plain = plain.replace("_", "-").replace("meta-llama", "llama")
    if plain in MODELS:
        return plain
    if _OTHER_ARCHITECTURE.search(plain):
        return None
    sizes = _SIZE.findall(plain)
    family = _last_family(plain)
    if len(sizes) != 1 or family is None:
        return None
    candidate = f"{family}-{sizes[0]}b"
    return candidate if candidate in MODELS else None


def _last_family(plain: str) -> str | None:
    """The family named last: a distilled model names its teacher first."""
    found = None
    for match in _FAMILY.finditer(plain.replace("llama3", "llama-3").replace("llama2", "llama-2")):
        found = match
    if found is None:
        return None
    base, version = found.groups()
    if base in ("opt", "gpt", "yi", "mistral"):
        return "opt" if base == "gpt" else base
    if version is None:
        return (
            "qwen2.5"
            if base == "qwen" and "distill" in plain
            else ("llama-3.1" if "distill" in plain else None)
        )
    family = f"llama-{version}" if base == "llama" else f"qwen{version}"
    return _SAME_SHAPES.get(family, family)


def gpu_preset(system: str) -> str | None:
    """The GPU preset a system name means, or None.

    >>> gpu_preset("h200_sxm"), gpu_preset("NVIDIA A100-SXM4-80GB"), gpu_preset("L40S")
    ('h200', 'a100', 'l40s')
    """
    lower = system.strip().lower()
    if lower in GPUS:
        return lower
    plain = _SYSTEM_NOISE.sub("", lower)
    if plain == "a100" and re.search(r"40\s*gb", lower):
        return "a100-40g"
    by_plain = {re.sub(r"-", "", gpu): gpu for gpu in GPUS}
    return by_plain.get(plain)


def precision_preset(precision: str, model_name: str = "") -> str | None:
    """``bf16`` or ``fp8``; a blank precision follows the model's name; None when unknown."""
    plain = precision.strip().lower()
    if not plain and re.search(r"(?i)fp8", model_name):
        return "fp8"
    if not plain and re.search(r"(?i)fp4|int4|awq|gptq|int8|w4a|w8a", model_name):
        return None
    return _PRECISIONS.get(plain)
