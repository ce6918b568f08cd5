"""Sarathi-Serve: decodes first, then started prefills, then new ones, within one token budget.

The stall-free schedule of arXiv 2403.02310, section 4: every decode is in every iteration, and
what the budget leaves goes to prefill chunks. A prompt's KV blocks are taken when it is
admitted; where a decode finds no block, the request that arrived last is recomputed later.
"""

from __future__ import annotations

from dataclasses import dataclass

from pdsched.scheduler.admission import grow_first, plan_chunks
from pdsched.scheduler.plan import DECODE_ALL, StepPlan
from pdsched.scheduler.state import WorkerState


@dataclass(frozen=True)
class SarathiScheduler:
    """Stall-free batching; ``max_num_batched_tokens`` is Sarathi's chunk size.

    Sarathi's cache keeps 1 % free at admission: ``KVCache(…, watermark=0.01)``.
    """

    name: str = "sarathi"
    chunked: bool = True

    def for_worker(self) -> SarathiScheduler:
        """Itself: nothing is kept between iterations."""
        return self

    def schedule(self, state: WorkerState) -> StepPlan:
        """Plan the next iteration; see `Scheduler.schedule`."""
        if state.only_decodes():
            return DECODE_ALL
        while not state.decodes_fit():
            running = [*state.prefilling.values(), *state.decodes.members.values()]
            state.preempt(max(running, key=lambda job: job.order))
        num_decodes = len(state.decodes.members)
        left = state.max_num_batched_tokens - num_decodes
        if left < 0:
            first = grow_first(state, state.max_num_batched_tokens)
            return StepPlan(first, (), state.take_preempted())
        chunks, _ = plan_chunks(state, left, None, state.decodes.new_blocks())
        state.grow_decodes()
        return StepPlan(None, chunks, state.take_preempted())
