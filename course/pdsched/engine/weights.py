"""What is multiplied: the sizes and matrices of a Llama-like model, random or loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of a Llama-like model.

    Raises:
        ValueError: query heads do not divide among the KV heads, or a head width is odd.
    """

    num_layers: int = 4
    model_width: int = 256
    num_heads: int = 8
    num_kv_heads: int = 4
    head_width: int = 32
    mlp_width: int = 768
    vocab_size: int = 512
    max_positions: int = 8192
    rope_theta: float = 10_000.0
    norm_epsilon: float = 1e-5
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"num_heads must be a multiple of num_kv_heads={self.num_kv_heads}, "
                f"got {self.num_heads}"
            )
        if self.head_width % 2:
            raise ValueError(f"head_width must be even (RoPE turns pairs), got {self.head_width}")

    @property
    def kv_bytes_per_token(self) -> int:
        """Bytes of K and V that one token leaves in the cache, all layers together."""
        elements = 2 * self.num_layers * self.num_kv_heads * self.head_width
        return elements * np.dtype(self.dtype).itemsize


@dataclass(frozen=True)
class Layer:
    """One block's matrices, stored input x output so that a token row multiplies from the left."""

    attention_norm: Array  # (d,)
    qkv: Array  # (d, (H + 2K) * h)
    attention_out: Array  # (H * h, d)
    mlp_norm: Array  # (d,)
    gate_up: Array  # (d, 2 * mlp_width)
    down: Array  # (mlp_width, d)


@dataclass(frozen=True)
class Weights:
    """Embedding, blocks and output head."""

    embedding: Array  # (vocab, d)
    layers: tuple[Layer, ...]
    final_norm: Array  # (d,)
    head: Array  # (d, vocab)

    @classmethod
    def random(cls, config: ModelConfig, *, seed: int = 0) -> Weights:
        """Weights with output that depends on the whole context (useful to test with)."""
        rng = np.random.default_rng(seed)
        width, kv_width = config.model_width, config.num_kv_heads * config.head_width
        q_width = config.num_heads * config.head_width

        def matrix(rows: int, columns: int) -> Array:
            scaled: Array = rng.standard_normal((rows, columns)) * rows**-0.5
            return scaled.astype(config.dtype)

        ones = np.ones(width, config.dtype)
        layers = tuple(
            Layer(
                attention_norm=ones,
                qkv=matrix(width, q_width + 2 * kv_width),
                attention_out=matrix(q_width, width),
                mlp_norm=ones,
                gate_up=matrix(width, 2 * config.mlp_width),
                down=matrix(config.mlp_width, width),
            )
            for _ in range(config.num_layers)
        )
        embedding = rng.standard_normal((config.vocab_size, width)).astype(config.dtype)
        return cls(embedding, layers, ones, matrix(width, config.vocab_size))
