"""Policies that divide the budget between the two phases: decode first, prefill first, balanced."""

from __future__ import annotations

from dataclasses import dataclass

from pdsched.scheduler.admission import grow_first, plan_chunks
from pdsched.scheduler.plan import DECODE_ALL, StepPlan
from pdsched.scheduler.state import WorkerState

PHASE_POLICIES = ("decode_first", "prefill_first", "balanced")


@dataclass(frozen=True)
class PhasedScheduler:
    """Divide each iteration's token budget between decodes and prefill chunks.

    A waiting request is admitted when a seat is free and its whole prompt fits into the KV
    cache; blocks for the prompt are taken at once, so a started prefill never runs out.

    Attributes:
        name: ``decode_first`` serves every decode, then chunks; ``prefill_first`` the reverse;
            ``balanced`` serves ``decode_reserve_tokens`` decodes, then chunks, then the rest.
        max_prefill_chunk_tokens: largest chunk of one request; ``None`` is the whole budget.
        decode_reserve_tokens: decodes that ``balanced`` serves before any chunk.

    Raises:
        ValueError: an unknown policy, a chunk cap below 1 or a negative reserve.
    """

    name: str = "balanced"
    max_prefill_chunk_tokens: int | None = None
    decode_reserve_tokens: int = 1
    chunked: bool = True

    def __post_init__(self) -> None:
        if self.name not in PHASE_POLICIES:
            raise ValueError(f"policy must be one of {', '.join(PHASE_POLICIES)}: {self.name!r}")
        cap = self.max_prefill_chunk_tokens
        if cap is not None and cap < 1:
            raise ValueError(f"max_prefill_chunk_tokens must be at least 1, got {cap!r}")
        if self.decode_reserve_tokens < 0:
            raise ValueError(
                f"decode_reserve_tokens must be at least 0, got {self.decode_reserve_tokens!r}"
            )

    def for_worker(self) -> PhasedScheduler:
        """Itself: nothing is kept between iterations."""
        return self

    def schedule(self, state: WorkerState) -> StepPlan:
        """Plan the next iteration; see `Scheduler.schedule`."""
        if state.only_decodes():
            return DECODE_ALL
        if state.pool is not None:
            state.make_room_for_decodes()
        num_decodes = len(state.decodes.members)
        budget = state.max_num_batched_tokens
        first = self._decodes_before_prefill(num_decodes, budget)
        growth = state.decodes.new_blocks()
        cap = self.max_prefill_chunk_tokens
        chunks, left = plan_chunks(state, budget - first, cap, growth)
        left += first
        preempted = state.take_preempted()
        if left >= num_decodes:
            state.grow_decodes()
            return StepPlan(None, chunks, preempted)
        return StepPlan(grow_first(state, left), chunks, preempted)

    def _decodes_before_prefill(self, num_decodes: int, budget: int) -> int:
        if self.name == "prefill_first":
            return 0
        wanted = num_decodes if self.name == "decode_first" else self.decode_reserve_tokens
        return min(wanted, num_decodes, budget)
