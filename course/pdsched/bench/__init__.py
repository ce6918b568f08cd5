"""Load client: send a workload to any OpenAI-compatible server and record every token's time."""

from __future__ import annotations

from pdsched.bench.client import Failure, RequestResult, Target, Timeouts
from pdsched.bench.load import LoadRun, run_load

__all__ = ["Failure", "LoadRun", "RequestResult", "Target", "Timeouts", "run_load"]
