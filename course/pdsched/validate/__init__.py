"""Our figures beside measured and published ones."""

from pdsched.validate.closed_loop import simulate_run
from pdsched.validate.measured import (
    ErrorGroup,
    MeasuredFile,
    MeasuredRun,
    grouped_errors,
    overall_error,
    read_measured,
)
from pdsched.validate.names import gpu_preset, model_preset, precision_preset

__all__ = [
    "ErrorGroup",
    "MeasuredFile",
    "MeasuredRun",
    "gpu_preset",
    "grouped_errors",
    "model_preset",
    "overall_error",
    "precision_preset",
    "read_measured",
    "simulate_run",
]
