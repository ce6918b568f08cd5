"""Orca-like hybrid batching: whole prompts beside decodes, memory reserved to the last token.

Iteration-level scheduling as in Orca (OSDI 22): requests join and leave a batch between
iterations, first come first served, and a request is admitted only if the KV cache can hold
every token it may ever need, so that nobody is preempted.
"""

from __future__ import annotations

from dataclasses import dataclass

from pdsched.scheduler.admission import grow_first
from pdsched.scheduler.job import Job
from pdsched.scheduler.plan import DECODE_ALL, StepPlan
from pdsched.scheduler.state import WorkerState


@dataclass(frozen=True)
class OrcaHybridScheduler:
    """Decodes and whole prompts in one iteration; a prompt is never split."""

    name: str = "orca_hybrid"
    chunked: bool = False

    def for_worker(self) -> OrcaHybridScheduler:
        """Itself: nothing is kept between iterations."""
        return self

    def schedule(self, state: WorkerState) -> StepPlan:
        """Plan the next iteration; see `Scheduler.schedule`."""
        if state.only_decodes():
            return DECODE_ALL
        budget = state.max_num_batched_tokens
        if len(state.decodes.members) > budget:
            return StepPlan(grow_first(state, budget))
        left = budget - len(state.decodes.members)
        chunks: list[tuple[Job, int]] = []
        state.grow_decodes()
        while state.waiting and state.free_seats > 0:
            job = state.waiting[0]
            tokens = job.known_tokens - state.hit_tokens(job)
            if tokens > left or not _can_reserve(state, job):
                break
            state.admit(job)
            state.hold(job, job.known_tokens)
            chunks.append((job, tokens))
            left -= tokens
        return StepPlan(None, chunks) if chunks else DECODE_ALL


def _can_reserve(state: WorkerState, job: Job) -> bool:
    pool = state.pool
    if pool is None:
        return True
    admitted = [job, *state.prefilling.values(), *state.decodes.members.values()]
    reserved = sum([pool.blocks_for(one.prompt_tokens + one.output_tokens - 1) for one in admitted])
    return reserved <= pool.capacity - state.inbound_blocks
