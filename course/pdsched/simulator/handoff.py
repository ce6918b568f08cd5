"""KV on its way from prefill to decode: admission there, a queue on the link, failures."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import TYPE_CHECKING

from pdsched.hardware import exposed_handoff_ms
from pdsched.simulator.timeline import Handoff

if TYPE_CHECKING:
    import random

    from pdsched.scheduler.job import Job
    from pdsched.simulator.cluster import HandoffLink
    from pdsched.simulator.worker import Worker


class Transfer:
    """One request's KV between two workers.

    The decode worker reserves blocks and a seat before anything is sent; the prefill worker
    keeps its blocks until the KV has arrived or is given up.
    """

    __slots__ = (
        "admitted_ms",
        "attempt",
        "blocks",
        "job",
        "ready_ms",
        "source",
        "start_ms",
        "target",
    )

    def __init__(self, job: Job, source: Worker, target: Worker, ready_ms: float) -> None:
        self.job = job
        self.source = source
        self.target = target
        self.ready_ms = ready_ms
        self.admitted_ms = -1.0
        self.start_ms = -1.0
        self.attempt = 1
        self.blocks = 0


class HandoffQueue:
    """Moves KV over one link, in order of time.

    Args:
        link: speed, failures and limits.
        random: draws the failures.
        activate: called with a worker and a time when something changed for it.
    """

    def __init__(
        self,
        link: HandoffLink,
        random: random.Random,
        activate: Callable[[Worker, float], None],
    ) -> None:
        self.link = link
        self.records: list[Handoff] = []
        self._random = random
        self._activate = activate
        self._unadmitted: dict[Worker, deque[Transfer]] = {}
        self._queue: deque[Transfer] = deque()
        self._busy_lanes = 0
        self._events: list[tuple[float, int, Callable[[Transfer, float], None], Transfer]] = []
        self._count = 0

    @property
    def next_ms(self) -> float:
        """When something happens here next."""
        return self._events[0][0] if self._events else inf

    @property
    def waits_for_admission(self) -> bool:
        """Whether some decode worker still has to admit KV that is ready."""
        return any(self._unadmitted.values())

    def handle(self) -> None:
        """Let the next thing happen."""
        now_ms, _, action, transfer = heappop(self._events)
        action(transfer, now_ms)

    def send(self, job: Job, source: Worker, target: Worker, now_ms: float) -> None:
        """A prefill is complete: its KV is ready to leave."""
        transfer = Transfer(job, source, target, now_ms)
        self._unadmitted.setdefault(target, deque()).append(transfer)
        if self.link.admission_timeout_ms < inf:
            self._at(now_ms + self.link.admission_timeout_ms, self._time_out, transfer)
        self.admit(target, now_ms)

    def admit(self, target: Worker, now_ms: float) -> None:
        """Reserve blocks and seats at ``target``, first come first served, as far as they go."""
        waiting = self._unadmitted.get(target)
        while waiting and self._reserve(waiting[0]):
            transfer = waiting.popleft()
            transfer.admitted_ms = now_ms
            self._queue.append(transfer)
            self._start(now_ms)

    def _reserve(self, transfer: Transfer) -> bool:
        state = transfer.target.state
        if state.free_seats <= 0:
            return False
        pool = state.pool
        if pool is not None:
            job = transfer.job
            blocks = pool.blocks_for(job.computed)
            headroom = min(self.link.decode_headroom_tokens, job.output_tokens - job.generated)
            spare = pool.free - (pool.watermark_blocks if pool.used else 0)
            if pool.blocks_for(job.computed + headroom) > spare:
                return False
            pool.take(blocks)
            transfer.blocks = blocks
            state.inbound_blocks += blocks
        state.inbound_seats += 1
        return True

    def _start(self, now_ms: float) -> None:
        """Put the next transfer on the link if a lane is free."""
        if self._busy_lanes == self.link.lanes or not self._queue:
            return
        transfer = self._queue.popleft()
        self._busy_lanes += 1
        transfer.start_ms = now_ms
        job = transfer.job
        took_ms = self.link.transfer_ms(job.computed)
        if self.link.overlap_layers > 1 and transfer.attempt == 1:
            prefill_ms = job.first_token_ms - job.first_scheduled_ms
            took_ms = exposed_handoff_ms(took_ms, prefill_ms, self.link.overlap_layers)
        self._at(now_ms + took_ms, self._end, transfer)

    def _end(self, transfer: Transfer, now_ms: float) -> None:
        self._busy_lanes -= 1
        if self.link.failure_rate and self._random.random() < self.link.failure_rate:
            self._fail(transfer, now_ms)
        else:
            self._record(transfer, now_ms, "ok")
            self._free_source(transfer, now_ms)
            transfer.target.state.inbound_blocks -= transfer.blocks
            transfer.target.inbound.append(transfer.job)
            self._activate(transfer.target, now_ms)
        self._start(now_ms)

    def _fail(self, transfer: Transfer, now_ms: float) -> None:
        if transfer.attempt < self.link.max_attempts:
            self._record(transfer, now_ms, "failed")
            transfer.attempt += 1
            self._at(now_ms + self.link.retry_ms, self._retry, transfer)
            return
        self._record(transfer, now_ms, "recompute")
        self._drop_reservation(transfer)
        self._recompute(transfer, now_ms)

    def _retry(self, transfer: Transfer, now_ms: float) -> None:
        self._queue.append(transfer)
        self._start(now_ms)

    def _time_out(self, transfer: Transfer, now_ms: float) -> None:
        if transfer.admitted_ms >= 0:
            return
        self._unadmitted[transfer.target].remove(transfer)
        transfer.admitted_ms = transfer.start_ms = now_ms
        self._record(transfer, now_ms, "timeout")
        self._recompute(transfer, now_ms)

    def _recompute(self, transfer: Transfer, now_ms: float) -> None:
        """Give the KV up: the decode worker prefills the prompt itself."""
        self._free_source(transfer, now_ms)
        job = transfer.job
        job.recomputed_tokens += job.computed
        job.computed = 0
        job.admission = -1
        transfer.target.state.waiting.append(job)
        self._activate(transfer.target, now_ms)
        self.admit(transfer.target, now_ms)

    def _free_source(self, transfer: Transfer, now_ms: float) -> None:
        source, job = transfer.source, transfer.job
        if source.state.pool is not None:
            source.state.pool.give_back(job.blocks)
            source.stranded_block_ms += job.blocks * (now_ms - transfer.ready_ms)
        job.blocks = 0
        self._activate(source, now_ms)

    def _drop_reservation(self, transfer: Transfer) -> None:
        state = transfer.target.state
        state.inbound_seats -= 1
        state.inbound_blocks -= transfer.blocks
        if state.pool is not None:
            state.pool.give_back(transfer.blocks)

    def _record(self, transfer: Transfer, end_ms: float, outcome: str) -> None:
        sent = outcome != "timeout"
        self.records.append(
            Handoff(
                request_id=transfer.job.request_id,
                source=transfer.source.name,
                target=transfer.target.name,
                attempt=transfer.attempt,
                ready_ms=transfer.ready_ms,
                admitted_ms=transfer.admitted_ms,
                start_ms=transfer.start_ms,
                end_ms=end_ms,
                num_bytes=self.link.num_bytes(transfer.job.computed) if sent else 0,
                outcome=outcome,
            )
        )

    def _at(
        self, time_ms: float, action: Callable[[Transfer, float], None], transfer: Transfer
    ) -> None:
        self._count += 1
        heappush(self._events, (time_ms, self._count, action, transfer))
