"""The clock: arrivals, workers and handoffs in order of time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import inf, nextafter
from typing import TYPE_CHECKING

from pdsched.scheduler.job import Job
from pdsched.simulator.cluster import ROLES, Cluster
from pdsched.simulator.handoff import HandoffQueue
from pdsched.simulator.timeline import Handoff, RequestRecord
from pdsched.workload import Request

if TYPE_CHECKING:
    from pdsched.simulator.worker import Worker


_SETTLE_AT = 1000  # finished jobs to keep before their records are written


class StopSimulation(Exception):  # noqa: N818 -- a request, not an error
    """A policy raises this to end the simulation; what has happened so far is returned."""


class StuckError(ValueError):
    """Requests are left but no worker can go on; the message names the first of them."""


class Loop:
    """Feeds the workers and carries what leaves them, in order of time.

    Workers run up to a horizon that nothing can cross: the next arrival or transfer, and, when
    workers depend on each other, the end of anybody else's iteration.
    """

    def __init__(
        self,
        workload: Sequence[Request],
        workers: Sequence[Worker],
        cluster: Cluster,
        *,
        concurrency: int | None,
        seed: int,
    ) -> None:
        self.workload = workload
        self.workers = workers
        self.cluster = cluster
        self.concurrency = concurrency
        self._records: list[RequestRecord | None] = [None] * len(workload)
        self._next = 0
        self._left = len(workload)
        self._route = {
            role: [worker for worker in workers if worker.role == role]
            for role in ("shared", "prefill", "decode")
        }
        alone = len(workers) == 1 and workers[0].role == "shared" and cluster.route is None
        self._only = workers[0] if alone else None  # nobody to choose from
        self._active: list[Worker] = []
        self._stopped = False
        self._handoffs: HandoffQueue | None = None
        if cluster.link is not None and "prefill" in cluster.roles:
            self._handoffs = HandoffQueue(cluster.link, random.Random(seed), self._activate)
        # Whether a worker's iteration can change what another does before the next arrival.
        self._coupled = concurrency is not None or self._handoffs is not None
        for worker in workers:
            worker.reports_finish = self._coupled

    @property
    def handoffs(self) -> list[Handoff]:
        """Attempts to move KV, in order of end."""
        return [] if self._handoffs is None else self._handoffs.records

    @property
    def records(self) -> list[RequestRecord]:
        """One record per request, in the order of the workload."""
        return [record for record in self._records if record is not None]

    def run(self) -> None:
        """Serve everything.

        Raises:
            StuckError: no worker can go on although requests are left.
        """
        if self.concurrency is not None:
            for _ in range(min(self.concurrency, len(self.workload))):
                self._arrive(0.0)
        if len(self.workers) == 1 and not self._coupled:
            self._run_alone(self.workers[0])
        while self._left:
            event_ms = self._next_event_ms()
            worker = min(self._active, key=_turn, default=None)
            if worker is not None and _turn(worker) < (event_ms, 1):
                self._run(worker, self._horizon(worker, event_ms))
            elif event_ms < inf:
                self._handle_event(event_ms)
            else:
                raise StuckError(self._why_stuck())
        if not self._stopped:
            self._check_blocks()

    def _run_alone(self, worker: Worker) -> None:
        """One worker in an open loop: only arrivals interrupt it."""
        try:
            for request in self.workload:
                now_ms = request.arrival_ms
                if worker.end_ms <= now_ms if worker.plan is not None else worker.now_ms < now_ms:
                    worker.run_until(now_ms)
                    if len(worker.finished) > _SETTLE_AT:
                        self._settle(worker)
                self._arrive(now_ms)
            worker.run_until(inf)
        except StopSimulation:
            self._stopped = True
        self._settle(worker)
        if self._stopped:
            self._left = 0
        self._active.clear()

    def _check_blocks(self) -> None:
        for worker in self.workers:
            pool = worker.state.pool
            if pool is not None and pool.used:
                raise RuntimeError(f"{pool.used} KV blocks of {worker.name} were never returned")

    def _why_stuck(self) -> str:
        for worker in self.workers:
            if worker.has_work:
                state = worker.state
                job = next(iter([*state.waiting, *state.prefilling.values()]), None)
                head = f"request {job.request_id!r}" if job else "decoding"
                known = f" ({job.known_tokens} known tokens)" if job else ""
                free = "unlimited" if state.pool is None else f"{state.pool.free} free"
                return (
                    f"{self._left} requests are left, but {worker.name} cannot go on: "
                    f"{head}{known} waits; budget {state.max_num_batched_tokens}, "
                    f"KV blocks {free}, policy {worker.scheduler.name}"
                )
        return f"{self._left} requests are left, but no worker has them"

    def _run(self, worker: Worker, horizon_ms: float) -> None:
        try:
            if not worker.run_until(horizon_ms):
                self._active.remove(worker)
        except StopSimulation:
            self._stopped = True
        if worker.finished:
            self._settle(worker)
        if self._handoffs is not None:
            self._hand_over(worker, self._handoffs)
        if self._stopped:
            self._left = 0

    def _hand_over(self, worker: Worker, handoffs: HandoffQueue) -> None:
        """Send the KV of finished prefills; let others in where blocks came free."""
        for job in worker.outbox:
            target = self._lightest("decode")
            promised = job.prompt_tokens + job.output_tokens
            worker.outstanding_tokens -= promised
            target.outstanding_tokens += promised
            handoffs.send(job, worker, target, worker.now_ms)
        worker.outbox.clear()
        if worker.role == "decode":
            handoffs.admit(worker, worker.now_ms)

    def _horizon(self, worker: Worker, event_ms: float) -> float:
        """How far a worker may run before somebody else could matter to it."""
        if len(self._active) == 1 or not self._coupled:
            return event_ms
        matter = self._who_matters(worker)
        mine = _turn(worker)[2:]
        for other in self._active:
            if other is not worker and other.role in matter:
                turn_ms, kind, *order = _turn(other)
                if kind == 0 and tuple(order) < mine:  # of two that end at one time, it is first
                    turn_ms = nextafter(turn_ms, -inf)
                event_ms = min(event_ms, turn_ms)
        return event_ms

    def _who_matters(self, worker: Worker) -> Sequence[str]:
        """Roles whose iterations can change this worker's, or the order on the link."""
        if self._handoffs is None or self.concurrency is not None:
            return ROLES
        if worker.role == "shared":
            return ()
        if worker.role == "decode" and not self._handoffs.waits_for_admission:
            return ("prefill",)  # what finishes here lets nobody in
        return ("prefill", "decode")

    def _next_event_ms(self) -> float:
        event_ms = inf if self._handoffs is None else self._handoffs.next_ms
        if self.concurrency is None and self._next < len(self.workload):
            return min(event_ms, self.workload[self._next].arrival_ms)
        return event_ms

    def _handle_event(self, event_ms: float) -> None:
        if self._handoffs is not None and self._handoffs.next_ms <= event_ms:
            self._handoffs.handle()
        else:
            self._arrive(event_ms)

    def _arrive(self, now_ms: float) -> None:
        """The next request reaches its worker."""
        request = self.workload[self._next]
        job = Job(request, self._next, now_ms)
        self._next += 1
        if self._only is not None:
            worker = self._only
            job.pool = "shared_pool"
        else:
            job.pool = self.cluster.pool_of(request)
            worker = self._lightest(job.pool.removesuffix("_pool"))
            worker.outstanding_tokens += request.prompt_tokens + request.output_tokens
        worker.state.waiting.append(job)
        self._activate(worker, now_ms)

    def _lightest(self, role: str) -> Worker:
        """The worker of a role with the fewest tokens promised and not delivered."""
        workers = self._route[role]
        if len(workers) == 1:
            return workers[0]
        return min(workers, key=lambda worker: worker.outstanding_tokens)

    def _activate(self, worker: Worker, now_ms: float) -> None:
        worker.wake(now_ms)
        if worker not in self._active:
            self._active.append(worker)

    def _settle(self, worker: Worker) -> None:
        """Write the records of what finished; in a closed loop, send the next requests."""
        for job in worker.finished:
            request = job.request
            worker.outstanding_tokens -= request.prompt_tokens + request.output_tokens
            self._records[job.order] = _record_of(job)
            self._left -= 1
            if self.concurrency is not None and self._next < len(self.workload):
                self._arrive(job.finish_ms)
        worker.finished.clear()


def _turn(worker: Worker) -> tuple[float, int, int, int]:
    """When a worker acts next. At one time, iterations end, then events happen, then they begin.

    Of those that end at one time, decode workers are first and then the earlier in the list, so
    that the order does not depend on who was idle before.
    """
    last = worker.role == "prefill"
    if worker.plan is not None:
        return worker.end_ms, 0, last, worker.index
    return worker.now_ms, 2, last, worker.index


def _record_of(job: Job) -> RequestRecord:
    return RequestRecord(
        job.request_id,
        job.arrival_ms,
        job.first_scheduled_ms,
        job.first_token_ms,
        job.decode_first_token_ms,
        job.finish_ms,
        job.prompt_tokens,
        job.generated,
        job.hit_tokens,
        job.preemptions,
        job.recomputed_tokens,
        job.prefill_worker,
        job.decode_worker,
        job.pool,
    )
