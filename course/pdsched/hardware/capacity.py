"""How many tokens of KV cache fit beside the weights."""

from __future__ import annotations

from pdsched.hardware.gpus import GpuSpec
from pdsched.hardware.models import ModelSpec, kv_bytes_per_token

RESERVED_GB = 2.0  # per GPU: activations, CUDA context, communication buffers


def kv_capacity_tokens(
    model: ModelSpec,
    gpu: GpuSpec,
    *,
    tensor_parallel: int = 1,
    bytes_per_element: float = 2,
    memory_share: float = 0.9,
) -> int:
    """Tokens of KV that fit in the memory left by the weights; 0 when the weights do not fit.

    Args:
        model: shapes.
        gpu: card.
        tensor_parallel: GPUs that share weights and KV.
        bytes_per_element: of weights and KV (2 for BF16, 1 for FP8).
        memory_share: share of the memory the engine may use.

    Raises:
        ValueError: a number is out of range.
    """
    if tensor_parallel < 1:
        raise ValueError(f"tensor_parallel must be at least 1, got {tensor_parallel}")
    if not 0 < memory_share <= 1:
        raise ValueError(f"memory_share must be in (0, 1], got {memory_share!r}")
    usable = tensor_parallel * (gpu.memory_gb * memory_share - RESERVED_GB) * 1e9
    weights = model.linear_parameters * bytes_per_element + 2 * model.head_parameters * 2
    return max(0, int((usable - weights) / kv_bytes_per_token(model, bytes_per_element)))
