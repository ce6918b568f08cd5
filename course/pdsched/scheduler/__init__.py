"""Serving policies: one call per iteration decides who computes how many tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pdsched.scheduler.learner_plan import PlanFunctionScheduler, from_plan_function
from pdsched.scheduler.orca_hybrid import OrcaHybridScheduler
from pdsched.scheduler.phased import PHASE_POLICIES, PhasedScheduler
from pdsched.scheduler.plan import DECODE_ALL, PrefillChunk, StepPlan
from pdsched.scheduler.plan_error import PlanError
from pdsched.scheduler.protocol import Scheduler
from pdsched.scheduler.sarathi import SarathiScheduler
from pdsched.scheduler.sglang import SglangScheduler
from pdsched.scheduler.state import WorkerState
from pdsched.scheduler.vllm_v1 import VllmV1Scheduler

_MAKERS: Final[dict[str, Callable[..., Scheduler]]] = {
    "decode_first": lambda **options: PhasedScheduler("decode_first", **options),
    "prefill_first": lambda **options: PhasedScheduler("prefill_first", **options),
    "balanced": lambda **options: PhasedScheduler("balanced", **options),
    "vllm_v1": VllmV1Scheduler,
    "sglang": SglangScheduler,
    "sglang_mixed": lambda **options: SglangScheduler(mixed_chunk=True, **options),
    "sarathi": SarathiScheduler,
    "orca_hybrid": OrcaHybridScheduler,
}

NAMES: Final = tuple(_MAKERS)


def make(name: str, **options: object) -> Scheduler:
    """A policy by name.

    Args:
        name: one of `NAMES`.
        options: the policy's own settings, e.g. ``max_prefill_chunk_tokens=512``.

    Raises:
        ValueError: no such policy, or the policy refuses a setting.
        TypeError: the policy has no such setting.
    """
    if name not in _MAKERS:
        raise ValueError(f"unknown scheduler {name!r}; known: {', '.join(NAMES)}")
    return _MAKERS[name](**options)


__all__ = [
    "DECODE_ALL",
    "NAMES",
    "PHASE_POLICIES",
    "OrcaHybridScheduler",
    "PhasedScheduler",
    "PlanError",
    "PlanFunctionScheduler",
    "PrefillChunk",
    "SarathiScheduler",
    "Scheduler",
    "SglangScheduler",
    "StepPlan",
    "VllmV1Scheduler",
    "WorkerState",
    "from_plan_function",
    "make",
]
