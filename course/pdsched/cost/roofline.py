"""Roofline cost: an iteration lasts as long as its arithmetic or its memory traffic.

``overhead + max(linear FLOPs / compute, weight bytes / bandwidth) + attention + all-reduce``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pdsched.hardware import GPUS, MODELS, GpuSpec, ModelSpec, kv_bytes_per_token

_BYTES = {"bf16": 2, "fp8": 1}


@dataclass(frozen=True, slots=True)
class RooflineCost:
    """Cost of ``model`` on ``tensor_parallel`` GPUs.

    Raises:
        ValueError: unknown precision, or a tensor-parallel degree that is not a positive integer.
    """

    model: ModelSpec
    gpu: GpuSpec
    tensor_parallel: int = 1
    precision: str = "bf16"
    overhead_ms: float = 0.96
    mfu: float = 0.727
    mbu: float = 0.802
    _weights_ms: float = field(init=False, repr=False)
    _head_ms: float = field(init=False, repr=False)
    _token_ms: float = field(init=False, repr=False)
    _sample_ms: float = field(init=False, repr=False)
    _pair_ms: float = field(init=False, repr=False)
    _kv_ms: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.precision not in _BYTES:
            raise ValueError(f"precision must be one of {sorted(_BYTES)}, got {self.precision!r}")
        if self.tensor_parallel < 1:
            raise ValueError(f"tensor_parallel must be at least 1, got {self.tensor_parallel}")
        peak = self.gpu.fp8_tflops if self.precision == "fp8" else self.gpu.bf16_tflops
        flop_ms = 1 / (peak * 1e9 * self.mfu * self.tensor_parallel)
        pair_flop_ms = 1 / (self.gpu.bf16_tflops * 1e9 * self.mfu * self.tensor_parallel)
        byte_ms = 1 / (self.gpu.hbm_tb_per_s * 1e9 * self.mbu * self.tensor_parallel)
        width = _BYTES[self.precision]
        model = self.model
        for name, value in {
            "_weights_ms": width * model.linear_parameters * byte_ms,
            "_head_ms": width * model.head_parameters * byte_ms,
            "_token_ms": 2 * model.linear_parameters * flop_ms,
            "_sample_ms": 2 * model.head_parameters * flop_ms,
            "_pair_ms": 4 * model.layers * model.heads * model.head_dim * pair_flop_ms,
            "_kv_ms": kv_bytes_per_token(model) * byte_ms,
        }.items():
            object.__setattr__(self, name, value)

    @property
    def name(self) -> str:
        """Model, GPU, degree and precision."""
        return f"{self.model.name} on {self.gpu.name}, tp{self.tensor_parallel}, {self.precision}"

    @property
    def source(self) -> str:
        """Datasheet peaks with fitted efficiencies."""
        return "roofline over datasheet peaks, efficiencies fitted to llama-3.1-8b on H100"

    @property
    def error(self) -> str:
        """Error against the H100 measurements."""
        return "mean absolute TPOT error about 2 % on 42 measured points (H100, 8B, tp1)"

    def iteration_ms(  # noqa: PLR0917 -- the hot call; keywords would cost more than the sum
        self,
        prefill_tokens: int,
        prefill_past: int,
        prefill_pairs: float,
        num_decodes: int,
        decode_context: int,
        num_sampled: int,
        /,
    ) -> float:
        """Milliseconds of one iteration; see `CostModel.iteration_ms`."""
        linear = (prefill_tokens + num_decodes) * self._token_ms + num_sampled * self._sample_ms
        weights = self._weights_ms + (self._head_ms if num_sampled else 0.0)
        return (
            self.overhead_ms
            + (linear if linear > weights else weights)
            + prefill_pairs * self._pair_ms
            + (prefill_past + decode_context) * self._kv_ms
        )


def roofline(
    model: str, gpu: str, *, tensor_parallel: int = 1, precision: str = "bf16"
) -> RooflineCost:
    """The roofline of two presets, by name.

    Raises:
        ValueError: a preset is unknown; the message lists the known ones.
    """
    if model not in MODELS:
        raise ValueError(f"unknown model {model!r}; known: {', '.join(sorted(MODELS))}")
    if gpu not in GPUS:
        raise ValueError(f"unknown GPU {gpu!r}; known: {', '.join(sorted(GPUS))}")
    return RooflineCost(MODELS[model], GPUS[gpu], tensor_parallel, precision)
