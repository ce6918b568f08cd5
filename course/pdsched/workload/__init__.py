"""Requests: the unit every other part works on, and where workloads come from."""

from pdsched.workload.named import workload
from pdsched.workload.public import (
    PUBLIC_TRACES,
    SyntheticStandInWarning,
    TraceUnavailableError,
    fetch_trace,
    public_trace,
)
from pdsched.workload.request import Request, validate_workload
from pdsched.workload.shaping import between, scale_rate, with_rate
from pdsched.workload.summary import WorkloadSummary, summarize_workload
from pdsched.workload.synthetic import PRESET_NAMES, PRESETS, Preset, synthetic
from pdsched.workload.traces import (
    TraceError,
    read_azure_csv,
    read_csv,
    read_mooncake_jsonl,
    read_trace,
)

__all__ = [
    "PRESETS",
    "PRESET_NAMES",
    "PUBLIC_TRACES",
    "Preset",
    "Request",
    "SyntheticStandInWarning",
    "TraceError",
    "TraceUnavailableError",
    "WorkloadSummary",
    "between",
    "fetch_trace",
    "public_trace",
    "read_azure_csv",
    "read_csv",
    "read_mooncake_jsonl",
    "read_trace",
    "scale_rate",
    "summarize_workload",
    "synthetic",
    "validate_workload",
    "with_rate",
    "workload",
]
