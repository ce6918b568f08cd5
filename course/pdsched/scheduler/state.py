"""What a scheduler sees of its worker, and the moves it can make."""

from __future__ import annotations

from collections import deque

from pdsched.kvcache import BlockPool, KVCache, prefix_hit_tokens
from pdsched.scheduler.job import DecodeSet, Job


class WorkerState:
    """Queues, limits and KV blocks of one worker.

    Attributes:
        waiting: jobs without KV, first come first served; a preempted job goes to the head.
        prefilling: admitted jobs whose known tokens are partly computed, in admission order.
        decodes: admitted jobs that decode.
        pool: KV blocks, or ``None`` when the cache is unlimited.
        inbound_blocks: blocks reserved for KV that is on its way here.
        inbound_seats: seats reserved likewise.
        iteration: number of the iteration that is planned.
        may_repeat: whether the simulator may run a plan again without asking (fast-forward).
        max_num_batched_tokens: token budget of one iteration.
        max_num_seqs: admitted jobs at one time.
    """

    def __init__(
        self, max_num_batched_tokens: int, max_num_seqs: int, cache: KVCache | None
    ) -> None:
        self.max_num_batched_tokens = max_num_batched_tokens
        self.max_num_seqs = max_num_seqs
        self.pool = None if cache is None else BlockPool(cache)
        self.block_tokens = 16 if cache is None else cache.block_tokens
        self.waiting: deque[Job] = deque()
        self.prefilling: dict[str, Job] = {}
        self.decodes = DecodeSet(cache.block_tokens if cache else 0)
        self.preempted: list[str] = []
        self.inbound_blocks = 0
        self.inbound_seats = 0
        self.iteration = 0
        self.may_repeat = False
        self._admissions = 0

    @property
    def num_running(self) -> int:
        """Jobs that hold a seat."""
        return len(self.prefilling) + len(self.decodes.members)

    @property
    def free_seats(self) -> int:
        """Jobs that may still be admitted."""
        taken = len(self.prefilling) + len(self.decodes.members) + self.inbound_seats
        return self.max_num_seqs - taken

    def seat(self, job: Job) -> None:
        """Number a job among those admitted."""
        job.admission = self._admissions
        self._admissions += 1

    def hit_tokens(self, job: Job) -> int:
        """Tokens of a waiting job that the prefix cache spares."""
        cached = job.request.cached_tokens
        return prefix_hit_tokens(cached, job.known_tokens, self.block_tokens) if cached else 0

    def admit(self, job: Job) -> None:
        """Move a waiting job to ``prefilling``; its prefix hits count as computed."""
        if self.waiting[0] is job:
            self.waiting.popleft()
        else:
            self.waiting.remove(job)
        self.seat(job)
        job.computed = self.hit_tokens(job)
        if job.first_scheduled_ms < 0:  # not again after a preemption or a failed handoff
            job.hit_tokens = job.computed
        self.prefilling[job.request_id] = job

    def blocks_of(self, job: Job) -> int:
        """KV blocks an admitted job holds."""
        if self.pool is None:
            return 0
        if job.request_id in self.decodes.members:
            return self.pool.blocks_for(self.decodes.computed(job))
        return job.blocks

    def hold(self, job: Job, tokens: int) -> None:
        """Take blocks until a prefilling job has room for ``tokens``.

        Raises:
            RuntimeError: they are not free.
        """
        if self.pool is not None:
            more = self.pool.blocks_for(tokens) - job.blocks
            if more > 0:
                self.pool.take(more)
                job.blocks += more

    def fits(self, job: Job, tokens: int) -> bool:
        """Whether blocks for ``tokens`` of a waiting or prefilling job are free."""
        return self.pool is None or self.pool.blocks_for(tokens) - job.blocks <= self.pool.free

    def only_decodes(self) -> bool:
        """Take the blocks for one token of everybody if decodes are all there is to do.

        False, and nothing taken, where somebody waits or prefills, or the budget or the cache
        is too small for all of them.
        """
        if self.waiting or self.prefilling:
            return False
        decodes = self.decodes
        if not 0 < len(decodes.members) <= self.max_num_batched_tokens:
            return False
        pool = self.pool
        if pool is not None:
            blocks = decodes.new_blocks()
            if blocks > pool.free:
                return False
            pool.take(blocks)
        return True

    def grow_decodes(self) -> None:
        """Take the blocks for one more token of every decoding job."""
        if self.pool is not None:
            self.pool.take(self.decodes.new_blocks())

    def decodes_fit(self) -> bool:
        """Whether every decoding job can get room for one more token."""
        return self.pool is None or self.decodes.new_blocks() <= self.pool.free

    def last_admitted(self) -> Job:
        """The running job admitted last: the one to give way first.

        Raises:
            ValueError: nothing runs.
        """
        running = [*self.prefilling.values(), *self.decodes.members.values()]
        return max(running, key=lambda job: job.admission)

    def preempt(self, job: Job, *, to_tail: bool = False) -> None:
        """Free a running job's KV and queue it again, to be recomputed: first, or last."""
        freed = self.blocks_of(job)
        if job.request_id in self.decodes.members:
            self.decodes.leave(job)
        else:
            del self.prefilling[job.request_id]
        if self.pool is not None:
            self.pool.give_back(freed)
        job.blocks = 0
        job.recomputed_tokens += job.computed
        job.computed = 0
        job.preemptions += 1
        job.admission = -1
        if to_tail:
            self.waiting.append(job)
        else:
            self.waiting.appendleft(job)
        self.preempted.append(job.request_id)

    def make_room_for_decodes(self) -> None:
        """Preempt, last admitted first, until every decoding job can grow."""
        while not self.decodes_fit():
            self.preempt(self.last_admitted())

    def take_preempted(self) -> tuple[str, ...]:
        """Ids preempted since the last call."""
        if not self.preempted:
            return ()
        ids = tuple(self.preempted)
        self.preempted.clear()
        return ids
