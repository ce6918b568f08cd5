"""Requests: the unit every other part works on, and where workloads come from."""

from pdsched.workload.request import Request, validate_workload
from pdsched.workload.synthetic import PRESET_NAMES, PRESETS, Preset, synthetic

__all__ = [
    "PRESETS",
    "PRESET_NAMES",
    "Preset",
    "Request",
    "synthetic",
    "validate_workload",
]
