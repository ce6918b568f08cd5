"""Replay recorded arrivals, one step a millisecond, and compare the plans token by token."""

from __future__ import annotations

from dataclasses import dataclass

from pdsched.scheduler.recorded_plans import Plan, Recording
from pdsched.scheduler.vllm_v1 import VllmV1Scheduler
from pdsched.simulator.run import simulate
from pdsched.workload import Request


@dataclass(frozen=True, slots=True)
class StepCost:
    """Every iteration takes one millisecond, so that time counts steps."""

    name: str = "one step a millisecond"
    source: str = "replay of recorded plans"
    error: str = "not a cost model"

    def iteration_ms(self, *_: float) -> float:
        """One millisecond."""
        return 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a replay differs from its recording.

    Attributes:
        name: the scenario.
        step: first differing step, ``None`` when all are identical.
        recorded: the plan recorded there, ``None`` after the recording's end.
        ours: our plan there, ``None`` after our end.
        reason: why the scenario could not be replayed at all.
    """

    name: str
    step: int | None = None
    recorded: Plan | None = None
    ours: Plan | None = None
    reason: str | None = None

    @property
    def identical(self) -> bool:
        """Whether every step has the same requests with the same tokens."""
        return self.step is None and self.reason is None


def replay(recording: Recording) -> list[Plan]:
    """Our vLLM V1 scheduler's plan of each step, empty ones included.

    Raises:
        ValueError: the arrivals make no workload, or a request could never be served.
    """
    requests = [
        Request(
            arrival.request_id, float(arrival.step), arrival.prompt_tokens, arrival.output_tokens
        )
        for arrival in recording.arrivals
    ]
    scheduler = VllmV1Scheduler(
        enable_chunked_prefill=recording.enable_chunked_prefill,
        long_prefill_token_threshold=recording.long_prefill_token_threshold,
    )
    timeline = simulate(
        requests,
        scheduler,
        StepCost(),
        max_num_batched_tokens=recording.max_num_batched_tokens,
        max_num_seqs=recording.max_num_seqs,
        kv=recording.cache,
        fast_forward=False,
    )
    plans: list[Plan] = [{} for _ in range(round(timeline.end_ms))]
    for iteration in timeline.iterations:
        plan = dict.fromkeys(iteration.decodes, 1)
        plan.update((chunk.request_id, chunk.num_tokens) for chunk in iteration.prefills)
        plans[round(iteration.start_ms)] = plan
    return plans


def compare(recording: Recording) -> Comparison:
    """Replay a recording and find the first step that differs."""
    try:
        ours = replay(recording)
    except ValueError as error:
        return Comparison(recording.name, reason=str(error))
    for step in range(max(len(ours), len(recording.plans))):
        mine = ours[step] if step < len(ours) else None
        theirs = recording.plans[step] if step < len(recording.plans) else None
        if mine != theirs:
            return Comparison(recording.name, step, theirs, mine)
    return Comparison(recording.name)
