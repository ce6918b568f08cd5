"""GPU, link and model presets, and the sizes that follow from them."""

from pdsched.hardware.capacity import kv_capacity_tokens
from pdsched.hardware.gpus import GPUS, LINKS, GpuSpec, LinkSpec
from pdsched.hardware.handoff import exposed_handoff_ms, handoff_bytes, handoff_ms
from pdsched.hardware.models import MODELS, ModelSpec, kv_bytes_per_token

__all__ = [
    "GPUS",
    "LINKS",
    "MODELS",
    "GpuSpec",
    "LinkSpec",
    "ModelSpec",
    "exposed_handoff_ms",
    "handoff_bytes",
    "handoff_ms",
    "kv_bytes_per_token",
    "kv_capacity_tokens",
]
