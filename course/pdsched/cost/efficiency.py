"""What share of a datasheet peak real serving kernels reach, per GPU generation.

Two sources, kept apart on purpose:

- The *level* comes from one measured serving run: Llama-3.1-8B in BF16 on H100 SXM, TensorRT-LLM,
  177 closed-loop points at TP 1-8 (aiconfigurator-core 0.12.0, Apache-2.0). Hopper's column is
  fitted to those rows, and the host terms to the rows in which the host is the bottleneck.
- The *ratios* between generations and precisions come from measured single operators (GEMM,
  attention, all-reduce tables of the same package for A100, L40S, H100, H200 and B200).

Generations without such tables (Volta, Turing) are estimates and say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from pdsched.hardware import GpuSpec


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Shares of peak and fixed latencies of one GPU generation.

    Attributes:
        gemm: share of the 16-bit peak that large matrix products reach.
        gemm_fp8: share of the FP8 peak.
        prefill_attention: share of the 16-bit peak that prefill attention reaches.
        weight_bandwidth: share of HBM bandwidth while streaming weights.
        kv_bandwidth: share of HBM bandwidth while decode reads KV.
        elementwise_bandwidth: share of HBM bandwidth of norms, activations and rotary embedding.
        all_reduce_bandwidth: share of the one-way link speed.
        all_reduce_ms: latency of one small all-reduce between two GPUs.
        shared_link: exponent with which the link slows down as GPUs join: 0 where each has its
            own way through a switch, above 1 where all cross one PCIe root.
        layer_ms: fixed cost of one layer's kernels in a captured graph.
        fp8_layer_ms: what FP8 adds to it (quantizing the inputs of four products).
        fp8_bandwidth: share of ``weight_bandwidth`` that is left for FP8 weights.
        fp8_attention: factor on ``prefill_attention`` for attention in FP8.
        source: what the numbers rest on.
    """

    gemm: float
    gemm_fp8: float
    prefill_attention: float
    weight_bandwidth: float
    kv_bandwidth: float
    elementwise_bandwidth: float
    all_reduce_bandwidth: float
    all_reduce_ms: float
    layer_ms: float
    source: str
    shared_link: float = 0.0
    fp8_layer_ms: float = 0.005
    fp8_bandwidth: float = 0.93
    fp8_attention: float = 1.4


@dataclass(frozen=True, slots=True)
class HostCost:
    """Work of the CPU that drives the GPU; an iteration is never shorter than this.

    Attributes:
        iteration_ms: scheduling and bookkeeping of any iteration.
        sequence_ms: sampling, detokenizing and streaming, for each sampled token.
        eager_layer_ms: launching one layer without a captured graph (iterations with prefill).
    """

    iteration_ms: float = 2.5
    sequence_ms: float = 0.028
    eager_layer_ms: float = 0.5


_RATIO: Final = "operator tables relative to H100, level from the H100 serving run"
_GUESS: Final = "estimate, no measurement behind it"
_HOPPER: Final = Efficiency(
    gemm=0.75,
    gemm_fp8=0.70,
    prefill_attention=0.50,
    weight_bandwidth=0.77,
    kv_bandwidth=0.86,
    elementwise_bandwidth=0.79,
    all_reduce_bandwidth=0.64,
    all_reduce_ms=0.0095,
    layer_ms=0.0345,
    source="fit to the 177 measured points on H100",
)
_AMPERE: Final = replace(
    _HOPPER,
    gemm=0.82,
    gemm_fp8=0.82,
    prefill_attention=0.44,
    weight_bandwidth=0.72,
    kv_bandwidth=0.90,
    all_reduce_bandwidth=0.58,
    all_reduce_ms=0.014,
    source=_RATIO,
)
_ADA: Final = replace(
    _HOPPER,
    gemm=0.57,
    gemm_fp8=0.53,
    prefill_attention=0.38,
    weight_bandwidth=0.78,
    kv_bandwidth=0.77,
    all_reduce_bandwidth=0.38,
    all_reduce_ms=0.030,
    shared_link=1.3,
    source=_RATIO,
)
_BLACKWELL: Final = replace(
    _HOPPER,
    gemm=0.65,
    gemm_fp8=0.64,
    prefill_attention=0.45,
    weight_bandwidth=0.72,
    kv_bandwidth=0.80,
    all_reduce_bandwidth=0.50,
    all_reduce_ms=0.008,
    layer_ms=0.032,
    source=_RATIO,
)
_OLDER: Final = replace(
    _AMPERE, gemm=0.55, gemm_fp8=0.55, prefill_attention=0.3, kv_bandwidth=0.7, source=_GUESS
)


def _over_pcie(reached: Efficiency) -> Efficiency:
    """The same chip without NVLink: reductions cross PCIe, as on Ada."""
    return replace(
        reached,
        all_reduce_bandwidth=_ADA.all_reduce_bandwidth,
        all_reduce_ms=_ADA.all_reduce_ms,
        shared_link=_ADA.shared_link,
        source=_GUESS,
    )


BY_GENERATION: Final[Mapping[str, Efficiency]] = MappingProxyType(
    {
        "volta": _OLDER,
        "turing": _OLDER,
        "ampere": _AMPERE,
        "ada": _ADA,
        "hopper": _HOPPER,
        "blackwell": _BLACKWELL,
    }
)

_BY_GPU: Final[Mapping[str, Efficiency]] = MappingProxyType(
    {
        # Arithmetic is cut down while memory is not, which keeps the matrix units fuller.
        "h20": replace(_HOPPER, gemm=0.88, gemm_fp8=0.85, prefill_attention=0.7, source=_GUESS),
        "t4": _over_pcie(_OLDER),
        "a10": _over_pcie(_AMPERE),
        "a100-pcie": _over_pcie(_AMPERE),
        "h100-pcie": _over_pcie(_HOPPER),
        "rtx-pro-6000": _over_pcie(_BLACKWELL),
    }
)


def efficiency_of(gpu: GpuSpec) -> Efficiency:
    """The efficiencies of a GPU: its own where known, else its generation's.

    Raises:
        ValueError: the generation is unknown.
    """
    if gpu.name in _BY_GPU:
        return _BY_GPU[gpu.name]
    if gpu.generation not in BY_GENERATION:
        raise ValueError(
            f"unknown GPU generation {gpu.generation!r}; known: {', '.join(BY_GENERATION)}"
        )
    return BY_GENERATION[gpu.generation]
