"""Cost from measured operator tables, through the optional ``aiconfigurator-core`` package.

``pip install 'pdsched[aiconfigurator]'`` (82 MB, Python 3.11-3.13, no GPU needed). It knows GEMM,
attention and all-reduce times of A100, L40S, H100, H200, B200 and more, and 117 models.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Protocol

_SYSTEMS: Final = {
    "a100": "a100_sxm",
    "h100": "h100_sxm",
    "h200": "h200_sxm",
    "b200": "b200_sxm",
    "l40s": "l40s",
    "gb200": "gb200",
}
_MODELS: Final = {
    "llama-3.1-8b": "meta-llama/Meta-Llama-3.1-8B",
    "llama-3.1-70b": "meta-llama/Meta-Llama-3.1-70B",
    "llama-3.1-405b": "meta-llama/Meta-Llama-3.1-405B",
    "qwen3-0.6b": "Qwen/Qwen3-0.6B",
    "qwen3-1.7b": "Qwen/Qwen3-1.7B",
    "qwen3-8b": "Qwen/Qwen3-8B",
    "qwen3-32b": "Qwen/Qwen3-32B",
}
_QUANTIZATION: Final = {
    "bf16": {"gemm": "bfloat16", "kvcache": "bfloat16", "fmha": "bfloat16"},
    "fp8": {"gemm": "fp8_static", "kvcache": "fp8", "fmha": "fp8"},
}


class StepLatency(Protocol):
    """The part of the package's engine handle that is used; all times in ms."""

    def predict_prefill_latency(self, bs: int, isl: int, prefix: int = 0) -> float:
        """``bs`` prompts of ``isl`` tokens, ``prefix`` of them cached."""

    def decode_step_latency(self, gen_tokens: int, isl: int, osl: int) -> float:
        """One decode step of ``gen_tokens`` requests around context ``isl``."""

    def mixed_step_latency(
        self, ctx_tokens: int, gen_tokens: int, isl: int, osl: int, prefix: int = 0
    ) -> float:
        """Prompt chunks and decodes in one step, all with the same lengths."""


@dataclass(frozen=True, slots=True)
class AiconfiguratorCost:
    """Cost of an iteration by interpolation in measured operator tables.

    Attributes:
        name: model, system, degree and backend.
        handle: the compiled engine.
        error: how far it is from which measurements.
    """

    name: str
    handle: StepLatency = field(repr=False, compare=False)
    error: str = (
        "mean absolute TPOT error 1 % at TP 1, 3 % at TP 2, 5 % at TP 4 and 17 % at TP 8 on every "
        "ninth of the 177 measured H100 rows; the tables leave out the host's time"
    )

    @property
    def source(self) -> str:
        """The package."""
        return "aiconfigurator-core (Apache-2.0), measured operator tables"

    def iteration_ms(  # noqa: PLR0917 -- the protocol's positional call
        self,
        prefill_tokens: int,
        prefill_past: int,
        prefill_pairs: float,
        num_decodes: int,
        decode_context: int,
        num_sampled: int,  # noqa: ARG002 -- the tables always include the LM head
        /,
    ) -> float:
        """Milliseconds of one iteration; see `CostModel.iteration_ms`."""
        context = max(1, round(decode_context / num_decodes)) if num_decodes else 1
        if not prefill_tokens:
            return self.handle.decode_step_latency(num_decodes, context, 2)
        prompts, length, past = _equal_prompts(prefill_tokens, prefill_past, prefill_pairs)
        if not num_decodes:
            return self.handle.predict_prefill_latency(prompts, length, past)
        # The mixed step takes one length for both phases; put the decodes' own context right.
        mixed = self.handle.mixed_step_latency(prefill_tokens, num_decodes, length, 2, past)
        return (
            mixed
            + self.handle.decode_step_latency(num_decodes, context, 2)
            - self.handle.decode_step_latency(num_decodes, length, 2)
        )


def _equal_prompts(tokens: int, past: int, pairs: float) -> tuple[int, int, int]:
    """How many equal prompts, of which length and cached part, give these sums.

    ``k`` equal chunks have ``tokens * (past + tokens / 2) / k`` pairs.
    """
    count = max(1, round(tokens * (past + tokens / 2) / pairs)) if pairs > 0 else 1
    cached = past // count
    return count, max(1, tokens // count) + cached, cached


def aiconfigurator(
    model: str,
    gpu: str,
    *,
    tensor_parallel: int = 1,
    precision: str = "bf16",
    backend: str = "trtllm",
) -> AiconfiguratorCost:
    """The cost of two presets from the package's tables.

    Args:
        model: model preset.
        gpu: GPU preset.
        tensor_parallel: degree.
        precision: ``bf16`` or ``fp8``.
        backend: ``trtllm``, ``vllm`` or ``sglang``.

    Raises:
        ImportError: the package is not installed.
        ValueError: the package has no tables for this combination.
    """
    for name, value, known in (
        ("model", model, _MODELS),
        ("GPU", gpu, _SYSTEMS),
        ("precision", precision, _QUANTIZATION),
    ):
        if value not in known:
            raise ValueError(
                f"no aiconfigurator tables for {name} {value!r}; there are: {', '.join(known)}"
            )
    try:
        from aiconfigurator_core.sdk.engine import EngineHandle
    except ImportError:
        raise ImportError(
            "this cost model needs: pip install 'pdsched[aiconfigurator]' (Python 3.11 to 3.13)"
        ) from None
    modes: dict[str, Any] = {
        f"{part}_quant_mode": mode for part, mode in _QUANTIZATION[precision].items()
    }
    try:
        handle = EngineHandle.compile(
            _MODELS[model], _SYSTEMS[gpu], backend, tp_size=tensor_parallel, **modes
        )
    except Exception as error:  # its own errors have no common base
        raise ValueError(
            f"aiconfigurator cannot compile {model} on {gpu}, {backend}: {error}"
        ) from error
    name = f"{model} on {gpu}, tp{tensor_parallel}, {precision}, {backend} (aiconfigurator)"
    return AiconfiguratorCost(name, handle)
