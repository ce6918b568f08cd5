"""One simulated experiment from plain values, and many of them on any executor."""

from pdsched.experiment.result import ExperimentResult
from pdsched.experiment.setting import Experiment, parse_pd, parse_slo
from pdsched.experiment.sweep import grid, run_all

__all__ = ["Experiment", "ExperimentResult", "grid", "parse_pd", "parse_slo", "run_all"]
