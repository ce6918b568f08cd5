"""Moves that several policies share: admit whole prompts, cut chunks, give decodes their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from pdsched.scheduler.job import Job
from pdsched.scheduler.state import WorkerState


def grow_first(state: WorkerState, count: int) -> list[Job]:
    """The first ``count`` decoding jobs, with blocks for one more token each."""
    chosen = list(islice(state.decodes.members.values(), count))
    if state.pool is not None:
        state.pool.take(sum(map(state.decodes.new_blocks_of, chosen)))
    return chosen


def admit_whole(state: WorkerState, growth: int) -> Job | None:
    """Admit the first waiting job with blocks for all its known tokens, or leave it.

    Args:
        state: the worker.
        growth: blocks to leave for this iteration's decodes.
    """
    job = state.waiting[0]
    if state.pool is not None:
        spare = state.pool.free - growth
        if state.num_running:  # an idle worker admits anything that fits at all
            spare -= state.pool.watermark_blocks
        if state.pool.blocks_for(job.known_tokens) > spare:
            return None
    state.admit(job)
    state.hold(job, job.known_tokens)
    return job


def plan_chunks(
    state: WorkerState, budget: int, cap: int | None, growth: int
) -> tuple[Sequence[tuple[Job, int]], int]:
    """Chunks of started prefills, then of newly admitted ones, and what is left of ``budget``."""
    cap = budget if cap is None else cap
    chunks: list[tuple[Job, int]] = []
    for job in state.prefilling.values():
        if budget <= 0:
            return chunks, budget
        tokens = min(job.remaining_tokens, cap, budget)
        chunks.append((job, tokens))
        budget -= tokens
    while budget > 0 and state.waiting and state.free_seats > 0:
        admitted = admit_whole(state, growth)
        if admitted is None:
            break
        tokens = min(admitted.remaining_tokens, cap, budget)
        chunks.append((admitted, tokens))
        budget -= tokens
    return chunks, budget
