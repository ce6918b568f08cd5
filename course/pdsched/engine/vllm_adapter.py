"""The learner's plan function inside vLLM, through its ``scheduler_cls`` option (vLLM 0.32).

``vllm serve MODEL --scheduler-cls pdsched.engine.vllm_adapter.LearnerScheduler`` asks
``plan_iteration_budget`` before every step. vLLM then walks its running list in admission order
with two numbers taken from the plan: the iteration's budget (the plan's ``used_tokens``) and the
largest prompt chunk. So the plan decides how long an iteration may get; which request gets which
share stays vLLM's. The interface is internal to vLLM and moves: pin the version.

This module can be imported without vLLM; only `scheduler_class` needs it.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pdsched.messages.engine  # noqa: F401  registers the catalog
from pdsched.messages import text

SUPPORTED: Final = "0.32"
PlanFunction = Callable[..., Mapping[str, Any]]


def available() -> bool:
    """Whether vLLM can be imported here."""
    return importlib.util.find_spec("vllm") is not None


def why_not() -> str:
    """What to do where it cannot."""
    return text("engine.vllm.missing", version=SUPPORTED)


@dataclass(frozen=True)
class PlanSettings:
    """What is passed to the plan function beside vLLM's own state.

    Attributes:
        max_prefill_chunk_tokens: largest chunk; None is vLLM's budget.
        policy: of the function.
        decode_reserve_tokens: of the function.
    """

    max_prefill_chunk_tokens: int | None = None
    policy: str = "decode_first"
    decode_reserve_tokens: int = 1

    @classmethod
    def from_environment(cls) -> PlanSettings:
        """From ``PDSCHED_CHUNK``, ``PDSCHED_POLICY`` and ``PDSCHED_RESERVE``.

        Raises:
            ValueError: a number is not one.
        """
        chunk = os.environ.get("PDSCHED_CHUNK", "")
        return cls(
            int(chunk) if chunk else None,
            os.environ.get("PDSCHED_POLICY", "decode_first"),
            int(os.environ.get("PDSCHED_RESERVE", "1")),
        )


@dataclass(frozen=True)
class Limits:
    """What vLLM can be told for one iteration."""

    budget_tokens: int
    chunk_tokens: int


def limits(
    plan_iteration_budget: PlanFunction,
    running: Iterable[Any],
    waiting: Iterable[Any],
    max_num_batched_tokens: int,
    settings: PlanSettings,
) -> Limits | None:
    """Ask the function about vLLM's requests; None when there is nothing to plan.

    A request still to be prefilled is one whose known tokens exceed its computed ones by more
    than the one that a decode runs.
    """
    suffixes: dict[str, int] = {}
    decodes: list[str] = []
    for request in (*running, *waiting):
        left = request.num_tokens - request.num_computed_tokens
        if request.num_computed_tokens >= request.num_prompt_tokens:
            decodes.append(request.request_id)
        elif left > 0:
            suffixes[request.request_id] = left
    if not suffixes and not decodes:
        return None
    chunk = settings.max_prefill_chunk_tokens or max_num_batched_tokens
    plan = plan_iteration_budget(
        suffixes,
        decodes,
        max_num_batched_tokens,
        chunk,
        policy=settings.policy,
        decode_reserve_tokens=settings.decode_reserve_tokens,
    )
    chunks = [int(each["tokens"]) for each in plan["prefill_chunks"]]
    budget = max(1, min(int(plan["used_tokens"]), max_num_batched_tokens))
    return Limits(budget, max(chunks, default=chunk))


def scheduler_class(
    plan_iteration_budget: PlanFunction, settings: PlanSettings | None = None
) -> type[Any]:
    """A vLLM scheduler class that asks the function before every step.

    Raises:
        ModuleNotFoundError: vLLM is not installed; says what to do.
    """
    if not available():
        raise ModuleNotFoundError(why_not())
    from vllm.v1.core.sched.scheduler import Scheduler

    chosen = settings or PlanSettings()

    class PlannedScheduler(Scheduler):  # type: ignore[misc,unused-ignore]  # vLLM has no types
        """vLLM's scheduler with the learner's budget and chunk size."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.full_budget_tokens: int = self.max_num_scheduled_tokens
            self.plans: list[Limits] = []

        def schedule(self, *args: Any, **kwargs: Any) -> Any:
            """Plan, then let vLLM carry it out."""
            plan = limits(
                plan_iteration_budget, self.running, self.waiting, self.full_budget_tokens, chosen
            )
            if plan is not None:
                self.plans.append(plan)
                self.max_num_scheduled_tokens = plan.budget_tokens
                self.scheduler_config.long_prefill_token_threshold = plan.chunk_tokens
            try:
                return super().schedule(*args, **kwargs)
            finally:
                self.max_num_scheduled_tokens = self.full_budget_tokens

    return PlannedScheduler


def __getattr__(name: str) -> Any:
    """``LearnerScheduler``, made when vLLM asks for it by name.

    The function is loaded from ``PDSCHED_NOTEBOOKS`` (a folder), else from beside the process.
    """
    if name != "LearnerScheduler":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pdsched.learner import load

    functions = load(os.environ.get("PDSCHED_NOTEBOOKS") or None)
    return scheduler_class(functions["plan_iteration_budget"], PlanSettings.from_environment())
