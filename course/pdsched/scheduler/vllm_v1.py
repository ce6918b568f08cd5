"""vLLM V1: no phases, every request catches up with its known tokens, running ones first.

Follows the scheduler of vLLM 0.32 for the first-come-first-served policy without speculation:

1. Running requests in order of admission, decodes and partial prefills alike, each up to the
   long-prefill threshold and the rest of the budget. Where blocks are missing, the request
   admitted last gives way and will be recomputed.
2. Waiting requests, head of line only, and only if nobody gave way: while seats and budget last
   and the whole known sequence fits into the free blocks, though only the first chunk's are
   taken (``scheduler_reserve_full_isl``, the default since PR 37307).
3. The threshold exists to protect others, so it does not bind a request that is alone in the
   scheduler (PR 57951).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pdsched.scheduler.job import Job
from pdsched.scheduler.plan import DECODE_ALL, StepPlan
from pdsched.scheduler.state import WorkerState

_NO_LIMIT = 1 << 60
_Chunks = list[tuple[Job, int]]


@dataclass(frozen=True)
class VllmV1Scheduler:
    """The scheduler of vLLM V1.

    For its exact block count give the cache ``reserved_blocks=1``: vLLM keeps a null block.

    Attributes:
        enable_chunked_prefill: without, a prompt waits until the budget holds all of it.
        long_prefill_token_threshold: most tokens of one request in one iteration; 0 is no limit.
        reserve_full_sequence: admit only what fits whole; off, what fits for its first chunk.

    Raises:
        ValueError: a negative threshold.
    """

    enable_chunked_prefill: bool = True
    long_prefill_token_threshold: int = 0
    reserve_full_sequence: bool = True
    name: str = "vllm_v1"

    def __post_init__(self) -> None:
        if self.long_prefill_token_threshold < 0:
            raise ValueError(
                "long_prefill_token_threshold must be at least 0, "
                f"got {self.long_prefill_token_threshold!r}"
            )

    @property
    def chunked(self) -> bool:
        """Whether prompts are split."""
        return self.enable_chunked_prefill

    def for_worker(self) -> VllmV1Scheduler:
        """Itself: nothing is kept between iterations."""
        return self

    def schedule(self, state: WorkerState) -> StepPlan:
        """Plan the next iteration; see `Scheduler.schedule`."""
        if state.only_decodes():
            return DECODE_ALL
        alone = state.num_running + len(state.waiting) <= 1
        largest = self.long_prefill_token_threshold
        if alone or not largest:
            largest = _NO_LIMIT
        steady = _plan_without_preemption(state, largest)
        decodes, chunks = _plan_running(state, largest) if steady is None else (None, steady)
        preempted = state.take_preempted()
        if state.waiting and not preempted:
            served = len(state.decodes.members) if decodes is None else len(decodes)
            left = state.max_num_batched_tokens - served - sum([n for _, n in chunks])
            self._admit(state, chunks, left, largest)
        if decodes is None and not chunks and not preempted:
            return DECODE_ALL
        return StepPlan(decodes, chunks, preempted)

    def _admit(self, state: WorkerState, chunks: _Chunks, left: int, largest: int) -> None:
        pool = state.pool
        while state.waiting and left > 0 and state.free_seats > 0:
            job = state.waiting[0]
            hit = state.hit_tokens(job)
            tokens = min(job.known_tokens - hit, largest)
            if tokens > left:
                if not self.enable_chunked_prefill:
                    break
                tokens = left
            if pool is not None:
                wanted = job.known_tokens if self.reserve_full_sequence else hit + tokens
                spare = pool.free - (pool.watermark_blocks if state.num_running else 0)
                if pool.blocks_for(wanted) > spare:
                    break
            state.admit(job)
            state.hold(job, hit + tokens)
            chunks.append((job, tokens))
            left -= tokens


def _plan_without_preemption(state: WorkerState, largest: int) -> _Chunks | None:
    """Chunks of running prefills beside all decodes, or ``None`` where order matters.

    Order matters when blocks are missing, or when the budget ends before a decode that was
    admitted after a partial prefill.
    """
    decodes = state.decodes
    left = state.max_num_batched_tokens - len(decodes.members)
    if left < 0:
        return None
    chunks: _Chunks = []
    blocks = decodes.new_blocks()
    pool = state.pool
    if state.prefilling:
        first = next(iter(state.prefilling.values()))
        wanted = sum([min(job.remaining_tokens, largest) for job in state.prefilling.values()])
        if wanted > left and first.admission < decodes.latest_admission:
            return None
        for job in state.prefilling.values():
            if left <= 0:
                break
            tokens = min(job.remaining_tokens, largest, left)
            chunks.append((job, tokens))
            left -= tokens
            if pool is not None:
                blocks += max(0, pool.blocks_for(job.computed + tokens) - job.blocks)
    if pool is not None:
        if blocks > pool.free:
            return None
        state.grow_decodes()
        for job, tokens in chunks:
            state.hold(job, job.computed + tokens)
    return chunks


def _plan_running(state: WorkerState, largest: int) -> tuple[Sequence[Job] | None, _Chunks]:
    """Running requests one by one in order of admission; the last admitted gives way."""
    members = state.decodes.members
    running = [*state.prefilling.values(), *members.values()]
    running.sort(key=lambda job: job.admission)
    decodes: list[Job] = []
    chunks: _Chunks = []
    left = state.max_num_batched_tokens
    position = 0
    while position < len(running) and left > 0:
        job = running[position]
        decoding = job.request_id in members
        tokens = 1 if decoding else min(job.remaining_tokens, largest, left)
        while len(running) > position and not _take_blocks(state, job, tokens, decoding):
            state.preempt(running.pop())
        if len(running) == position:  # it gave way itself
            break
        if decoding:
            decodes.append(job)
        else:
            chunks.append((job, tokens))
        left -= tokens
        position += 1
    return (None if len(decodes) == len(members) else decodes), chunks


def _take_blocks(state: WorkerState, job: Job, tokens: int, decoding: bool) -> bool:
    pool = state.pool
    if pool is None:
        return True
    if decoding:
        more = state.decodes.new_blocks_of(job)
    else:
        more = max(0, pool.blocks_for(job.computed + tokens) - job.blocks)
    if more > pool.free:
        return False
    pool.take(more)
    if not decoding:
        job.blocks += more
    return True
