"""The learner's own functions in a lab, or a built-in stand-in with a sentence that says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pdsched.messages.labs  # noqa: F401  registers the catalog
from pdsched.engine.specs import PlannerSpec, chunked
from pdsched.learner import LearnerFunctions
from pdsched.messages import text
from pdsched.scheduler import Scheduler, from_plan_function, make

PLAN = "plan_iteration_budget"


@dataclass(frozen=True)
class OwnPlan:
    """How a lab plans iterations.

    Attributes:
        function: the learner's ``plan_iteration_budget``; None uses the built-in policy.
        told: the sentence a lab prints about it.
    """

    function: Callable[..., Any] | None
    told: str

    @classmethod
    def of(cls, functions: LearnerFunctions) -> OwnPlan:
        """What the learner has, as it is."""
        if PLAN in functions.named("ready"):
            return cls(functions[PLAN], text("labs.own_plan", function=PLAN))
        states = {each.contract.function: each for each in functions.details()}
        reason = states[PLAN].reason or text("labs.no_reason")
        return cls(None, text("labs.stand_in", function=PLAN, reason=reason))

    def spec(self, chunk_tokens: int | None, *, num_decodes: int = 64) -> PlannerSpec:
        """For the real engine: decodes first, prompts in chunks (None: whole)."""
        base = PlannerSpec(kind="learner" if self.function else "admission_order")
        if chunk_tokens is None:
            return base
        return chunked(chunk_tokens, num_decodes=num_decodes, like=base)

    def scheduler(self, spec: PlannerSpec) -> Scheduler:
        """For the simulator: the same plans as `spec` makes on the engine."""
        chunk = spec.max_prefill_chunk_tokens
        if self.function is None:
            return make("vllm_v1", long_prefill_token_threshold=chunk)
        return from_plan_function(self.function, policy=spec.policy, max_prefill_chunk_tokens=chunk)

    def __str__(self) -> str:
        return self.told
