"""Shapes of the models: what decides FLOPs, weight bytes and KV bytes per token.

Every shape is the published ``config.json`` of the model (or, for OPT, table 1 of its paper).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A dense decoder-only transformer.

    Attributes:
        name: preset name, lower case.
        layers: transformer blocks.
        hidden: residual width.
        heads: query heads.
        kv_heads: key/value heads (fewer than ``heads`` under grouped-query attention).
        head_dim: width of one head.
        ff: width of the feed-forward layer.
        vocab: vocabulary size.
        gated: three feed-forward matrices (SwiGLU) rather than two.
    """

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ff: int
    vocab: int
    gated: bool = True

    @property
    def linear_parameters(self) -> int:
        """Weights that every token multiplies: attention projections and feed-forward."""
        attention = 2 * self.hidden * self.head_dim * (self.heads + self.kv_heads)
        feed_forward = (3 if self.gated else 2) * self.hidden * self.ff
        return self.layers * (attention + feed_forward)

    @property
    def head_parameters(self) -> int:
        """Weights of the LM head; only sampled tokens multiply them."""
        return self.hidden * self.vocab


def _spec(name: str, shape: tuple[int, int, int, int, int, int, int], gated: bool) -> ModelSpec:
    return ModelSpec(name, *shape, gated=gated)


# layers, hidden, heads, kv_heads, head_dim, ff, vocab
_GATED: Final = {
    "llama-2-7b": (32, 4096, 32, 32, 128, 11008, 32000),
    "llama-2-13b": (40, 5120, 40, 40, 128, 13824, 32000),
    "llama-2-70b": (80, 8192, 64, 8, 128, 28672, 32000),
    "llama-3.1-8b": (32, 4096, 32, 8, 128, 14336, 128256),
    "llama-3.1-70b": (80, 8192, 64, 8, 128, 28672, 128256),
    "llama-3.1-405b": (126, 16384, 128, 8, 128, 53248, 128256),
    "llama-3.2-1b": (16, 2048, 32, 8, 64, 8192, 128256),
    "llama-3.2-3b": (28, 3072, 24, 8, 128, 8192, 128256),
    "qwen2.5-0.5b": (24, 896, 14, 2, 64, 4864, 151936),
    "qwen2.5-1.5b": (28, 1536, 12, 2, 128, 8960, 151936),
    "qwen2.5-3b": (36, 2048, 16, 2, 128, 11008, 151936),
    "qwen2.5-7b": (28, 3584, 28, 4, 128, 18944, 152064),
    "qwen2.5-14b": (48, 5120, 40, 8, 128, 13824, 152064),
    "qwen2.5-32b": (64, 5120, 40, 8, 128, 27648, 152064),
    "qwen2.5-72b": (80, 8192, 64, 8, 128, 29568, 152064),
    "qwen3-0.6b": (28, 1024, 16, 8, 128, 3072, 151936),
    "qwen3-1.7b": (28, 2048, 16, 8, 128, 6144, 151936),
    "qwen3-4b": (36, 2560, 32, 8, 128, 9728, 151936),
    "qwen3-8b": (36, 4096, 32, 8, 128, 12288, 151936),
    "qwen3-14b": (40, 5120, 40, 8, 128, 17408, 151936),
    "qwen3-32b": (64, 5120, 64, 8, 128, 25600, 151936),
    "mistral-7b": (32, 4096, 32, 8, 128, 14336, 32768),
    "yi-34b": (60, 7168, 56, 8, 128, 20480, 64000),
}
_PLAIN: Final = {
    "opt-6.7b": (32, 4096, 32, 32, 128, 16384, 50272),
    "opt-13b": (40, 5120, 40, 40, 128, 20480, 50272),
    "opt-30b": (48, 7168, 56, 56, 128, 28672, 50272),
    "opt-66b": (64, 9216, 72, 72, 128, 36864, 50272),
    "opt-175b": (96, 12288, 96, 96, 128, 49152, 50272),
}

MODELS: Final[Mapping[str, ModelSpec]] = MappingProxyType(
    {name: _spec(name, shape, gated=True) for name, shape in _GATED.items()}
    | {name: _spec(name, shape, gated=False) for name, shape in _PLAIN.items()}
)


def kv_bytes_per_token(model: ModelSpec, bytes_per_element: float = 2) -> float:
    """Bytes one token leaves in the KV cache: keys and values of every layer.

    >>> kv_bytes_per_token(MODELS["llama-3.1-8b"])
    131072
    """
    return 2 * model.layers * model.kv_heads * model.head_dim * bytes_per_element
