"""Roofline cost: an iteration lasts as long as its arithmetic or its memory traffic.

    gpu  = layers + max(matrix FLOPs / compute, weight bytes / bandwidth)
         + elementwise bytes + attention (prefill: FLOPs, decode: KV bytes) + all-reduce
    t    = max(gpu, host)

Everything scales with the shapes of the model and the datasheet of the GPU; what is fitted is in
`pdsched.cost.efficiency` and depends on neither.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from pdsched.cost.efficiency import Efficiency, HostCost, efficiency_of
from pdsched.hardware import GPUS, MODELS, GpuSpec, ModelSpec, kv_bytes_per_token

PRECISIONS = ("bf16", "fp8")


@dataclass(frozen=True, slots=True)
class RooflineCost:
    """Cost of one iteration of ``model`` on ``tensor_parallel`` GPUs.

    Attributes:
        model: shapes.
        gpu: datasheet.
        tensor_parallel: GPUs that share every layer.
        precision: ``bf16``, or ``fp8`` for weights, matrix products and KV cache.
        host: cost of the CPU side.

    Raises:
        ValueError: unknown precision or generation, or a degree that is not positive.
    """

    model: ModelSpec
    gpu: GpuSpec
    tensor_parallel: int = 1
    precision: str = "bf16"
    host: HostCost = field(default_factory=HostCost)
    _rates: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise ValueError(
                f"precision must be one of {', '.join(PRECISIONS)}, got {self.precision!r}"
            )
        if self.tensor_parallel < 1:
            raise ValueError(f"tensor_parallel must be at least 1, got {self.tensor_parallel}")
        if self.model.heads % self.tensor_parallel:
            raise ValueError(
                f"tensor_parallel must divide the {self.model.heads} attention heads of "
                f"{self.model.name}, got {self.tensor_parallel}"
            )
        object.__setattr__(self, "_rates", _rates(self))

    @property
    def name(self) -> str:
        """Model, GPU, degree and precision."""
        return f"{self.model.name} on {self.gpu.name}, tp{self.tensor_parallel}, {self.precision}"

    @property
    def source(self) -> str:
        """Datasheet peaks with fitted efficiencies."""
        return f"roofline over datasheet peaks; {self.gpu.name}: {efficiency_of(self.gpu).source}"

    @property
    def error(self) -> str:
        """Error against the H100 measurements."""
        return (
            "mean absolute TPOT error 2 % at TP 1 (42 points) and 5 % at TP 1-8 (177 points) "
            "against Llama-3.1-8B on H100; other models and GPUs are extrapolated"
        )

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
        (fixed, weights, token, sample, moved, pair, kv, host, host_sequence, host_eager) = (
            self._rates
        )
        tokens = prefill_tokens + num_decodes
        matrix = tokens * token + num_sampled * sample
        gpu_ms = (
            fixed
            + (matrix if matrix > weights else weights)
            + tokens * moved
            + prefill_pairs * pair
            + (prefill_past + decode_context) * kv
        )
        host_ms = host + num_sampled * host_sequence
        if prefill_tokens:
            host_ms += host_eager
        return gpu_ms if gpu_ms > host_ms else host_ms

    def decode_slope(self, num_decodes: int, first_context: int, last_context: int) -> float | None:
        """Milliseconds per context token of a decode-only iteration, if it is one straight line.

        ``None`` where the time goes from host-bound to GPU-bound between the two contexts.
        """
        (fixed, weights, token, sample, moved, _, kv, host, host_sequence, _) = self._rates
        matrix = num_decodes * (token + sample)
        gpu_ms = fixed + (matrix if matrix > weights else weights) + num_decodes * moved
        host_ms = host + num_decodes * host_sequence
        if gpu_ms + first_context * kv >= host_ms:
            return kv
        return 0.0 if gpu_ms + last_context * kv <= host_ms else None


def _rates(cost: RooflineCost) -> tuple[float, ...]:
    """Coefficients of `RooflineCost.iteration_ms`, in milliseconds per unit."""
    model, gpu, degree = cost.model, cost.gpu, cost.tensor_parallel
    reached = efficiency_of(gpu)
    fp8 = cost.precision == "fp8"
    width = 1 if fp8 else 2
    matrix_peak = gpu.fp8_tflops * reached.gemm_fp8 if fp8 else gpu.bf16_tflops * reached.gemm
    flop_ms = 1 / (matrix_peak * 1e9 * degree)
    bandwidth = gpu.hbm_tb_per_s * 1e9  # bytes per ms
    weight_bytes = width * model.linear_parameters + 2 * model.head_parameters
    attention_flops = 4 * model.layers * model.heads * model.head_dim
    reduce_fixed_ms, reduce_token_ms = _all_reduce(cost, reached)
    elementwise_ms = _elementwise_bytes(model, degree, fp8=fp8) / (
        bandwidth * reached.elementwise_bandwidth
    )
    weight_bandwidth = reached.weight_bandwidth * (reached.fp8_bandwidth if fp8 else 1)
    attention = reached.prefill_attention * (reached.fp8_attention if fp8 else 1)
    layer_ms = reached.layer_ms + (reached.fp8_layer_ms if fp8 else 0)
    return (
        model.layers * layer_ms + reduce_fixed_ms,
        weight_bytes / (bandwidth * weight_bandwidth * degree),
        2 * model.linear_parameters * flop_ms,
        2 * model.head_parameters / (gpu.bf16_tflops * reached.gemm * 1e9 * degree),
        elementwise_ms + reduce_token_ms,
        attention_flops / (gpu.bf16_tflops * attention * 1e9 * degree),
        kv_bytes_per_token(model, width) / (bandwidth * reached.kv_bandwidth * degree),
        cost.host.iteration_ms,
        cost.host.sequence_ms,
        cost.host.eager_layer_ms * model.layers,
    )


def _elementwise_bytes(model: ModelSpec, degree: int, *, fp8: bool) -> float:
    """HBM traffic of one token outside the matrix products, on one GPU.

    Two norms with residual read and write the hidden state twice each (not split by tensor
    parallelism); gate, up and their product, and rotary embedding with the KV write, are split.
    FP8 reads the input of each matrix product once more to quantize it.
    """
    norms = (22 if fp8 else 16) * model.hidden
    split = 6 * model.ff + 8 * (model.heads + 2 * model.kv_heads) * model.head_dim
    if fp8:
        split += 3 * (model.ff + model.heads * model.head_dim)
    return model.layers * (norms + split / degree)


def _all_reduce(cost: RooflineCost, reached: Efficiency) -> tuple[float, float]:
    """Latency of all reductions of an iteration, and their transfer per token; in ms."""
    degree = cost.tensor_parallel
    if degree == 1:
        return 0.0, 0.0
    reductions = 2 * cost.model.layers
    ring_bytes = 2 * (degree - 1) / degree * cost.model.hidden * 2
    link = cost.gpu.peer_gb_per_s * 1e6 * reached.all_reduce_bandwidth
    link *= (2 / degree) ** reached.shared_link
    latency_ms = reached.all_reduce_ms * (1 + 0.1 * math.log2(degree))
    return reductions * latency_ms, reductions * ring_bytes / link


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
