"""GPU and link presets: datasheet peaks, not what a kernel reaches (see `pdsched.cost.roofline`).

Peaks are dense (no sparsity) and for 16-bit inputs with 32-bit accumulation. Source: the vendor's
datasheet of each card. Link speeds are one-way, in GB/s (1e9 bytes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class GpuSpec:
    """One GPU.

    Attributes:
        name: preset name, lower case.
        generation: architecture; decides which efficiencies the roofline uses.
        bf16_tflops: dense 16-bit peak, 1e12 FLOP/s (FP16 where the card has no BF16).
        fp8_tflops: dense 8-bit floating-point peak; equal to ``bf16_tflops`` where the card has
            none, so that FP8 saves bytes there but no time in the matrix units.
        hbm_tb_per_s: memory bandwidth, 1e12 bytes/s.
        memory_gb: memory the driver reports, 1e9 bytes (an "80 GB" card has 85.9).
        peer_gb_per_s: one-way to a GPU of the same node.
        network_gb_per_s: one-way to another node, per GPU.
        pcie_gb_per_s: one-way to the host.
    """

    name: str
    generation: str
    bf16_tflops: float
    fp8_tflops: float
    hbm_tb_per_s: float
    memory_gb: float
    peer_gb_per_s: float
    network_gb_per_s: float
    pcie_gb_per_s: float


_GPUS: Final = (
    GpuSpec("v100", "volta", 125, 125, 0.9, 34.4, 150, 12.5, 16),
    GpuSpec("t4", "turing", 65, 65, 0.32, 16.1, 16, 6.25, 16),
    GpuSpec("a10", "ampere", 125, 125, 0.6, 24.1, 32, 12.5, 32),
    GpuSpec("a30", "ampere", 165, 165, 0.933, 25.8, 100, 25, 32),
    GpuSpec("a100", "ampere", 312, 312, 2.039, 85.9, 300, 25, 32),
    GpuSpec("a100-pcie", "ampere", 312, 312, 1.935, 85.9, 32, 25, 32),
    GpuSpec("a100-40g", "ampere", 312, 312, 1.555, 42.9, 300, 25, 32),
    GpuSpec("l4", "ada", 121, 242, 0.3, 24.2, 32, 12.5, 32),
    GpuSpec("l20", "ada", 119.5, 239, 0.864, 48.3, 32, 25, 32),
    GpuSpec("l40s", "ada", 362, 733, 0.864, 48.3, 32, 50, 32),
    GpuSpec("rtx4090", "ada", 165, 330, 1.008, 25.8, 32, 12.5, 32),
    GpuSpec("h20", "hopper", 148, 296, 4.0, 102.6, 450, 50, 64),
    GpuSpec("h100", "hopper", 989, 1979, 3.35, 85.5, 450, 50, 64),
    GpuSpec("h100-pcie", "hopper", 756, 1513, 2.0, 85.5, 64, 50, 64),
    GpuSpec("h200", "hopper", 989, 1979, 4.8, 150.7, 450, 50, 64),
    GpuSpec("b200", "blackwell", 2250, 4500, 7.7, 192.3, 900, 100, 128),
    GpuSpec("b300", "blackwell", 2250, 4500, 7.75, 288.4, 900, 100, 128),
    GpuSpec("gb200", "blackwell", 2500, 5000, 8.0, 198.7, 900, 900, 64),
    GpuSpec("gb300", "blackwell", 2500, 5000, 8.0, 298.0, 900, 900, 64),
    GpuSpec("rtx-pro-6000", "blackwell", 468, 936, 1.792, 102.6, 64, 50, 64),
)

GPUS: Final[Mapping[str, GpuSpec]] = MappingProxyType({gpu.name: gpu for gpu in _GPUS})


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """A path for the KV handoff.

    Attributes:
        name: preset name.
        gb_per_s: sustained one-way speed, 1e9 bytes/s.
        setup_ms: time before the first byte moves.
        source: where the two numbers come from.
    """

    name: str
    gb_per_s: float
    setup_ms: float
    source: str


_PEAK: Final = "datasheet peak, no protocol overhead"
_LINKS: Final = (
    LinkSpec("pcie4", 25.6, 0.1, "PCIe 4.0 x16, 80 % of 32 GB/s"),
    LinkSpec("pcie5", 51.2, 0.1, "PCIe 5.0 x16, 80 % of 64 GB/s"),
    LinkSpec("nvlink-a100", 225, 0.05, "NVLink 3, 75 % of 300 GB/s"),
    LinkSpec("nvlink-h100", 360, 0.05, "NVLink 4, 80 % of 450 GB/s"),
    LinkSpec("nvlink-b200", 720, 0.05, "NVLink 5, 80 % of 900 GB/s"),
    LinkSpec("roce-8x200g", 146, 0.38, "fit to the Mooncake documentation, Qwen3-8B, 8 RoCE NICs"),
    LinkSpec("nic-400g", 35.5, 0.38, "one 400 Gb/s NIC, 71 % of line rate"),
    LinkSpec("ethernet-100g", 8.8, 0.38, "100 Gb/s Ethernet, 70 % of line rate"),
    LinkSpec("ethernet-25g", 2.2, 0.38, "25 Gb/s Ethernet, 70 % of line rate"),
)

LINKS: Final[Mapping[str, LinkSpec]] = MappingProxyType({link.name: link for link in _LINKS})
