"""One worker: plan an iteration, ask its price, let its tokens out when it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pdsched.scheduler.job import Job
from pdsched.scheduler.plan import PrefillChunk, StepPlan
from pdsched.scheduler.state import WorkerState
from pdsched.simulator import stretch
from pdsched.simulator.log import Row, WorkerFacts
from pdsched.simulator.timeline import WorkerRecord

if TYPE_CHECKING:
    from pdsched.cost import CostModel
    from pdsched.kvcache import KVCache
    from pdsched.scheduler.protocol import Scheduler
    from pdsched.simulator.gaps import TokenGaps


class Worker:
    """Runs iterations one after the other.

    ``outbox`` collects what concerns others: finished jobs, and on a prefill worker the jobs
    whose KV is ready to leave. ``inbound`` are jobs whose KV has arrived; they decode from the
    next iteration on.
    """

    def __init__(
        self,
        *,
        name: str,
        role: str,
        index: int,
        scheduler: Scheduler,
        cost: CostModel,
        state: WorkerState,
        cache: KVCache | None,
        gaps: TokenGaps,
        rows: list[Row] | None,
        fast_forward: bool,
    ) -> None:
        self.name = name
        self.role = role
        self.index = index
        self.scheduler = scheduler
        self.cost = cost
        self.decode_slope = getattr(cost, "decode_slope", None)
        self.state = state
        self.cache = cache
        self.gaps = gaps
        self.rows = rows
        self.fast_forward = state.may_repeat = fast_forward
        self.reports_finish = False  # whether a finish concerns others at once (closed loop)
        self.now_ms = 0.0
        self.end_ms = 0.0
        self.plan: StepPlan | None = None  # the iteration in flight
        self.next_plan: StepPlan | None = None  # already made for the iteration that begins next
        self.finished: list[Job] = []
        self.outbox: list[Job] = []
        self.inbound: list[Job] = []
        self.outstanding_tokens = 0
        self.iterations = 0
        self.busy_ms = 0.0
        self.prefill_tokens = 0
        self.decode_tokens = 0
        self.preemptions = 0
        self.kv_block_ms = 0.0
        self.stranded_block_ms = 0.0

    # -- what the simulation calls ------------------------------------------------------------

    @property
    def has_work(self) -> bool:
        """Whether anything waits or runs here."""
        state = self.state
        return bool(state.waiting or state.prefilling or state.decodes.members or self.inbound)

    def wake(self, now_ms: float) -> None:
        """Work arrived: an idle worker's clock catches up."""
        if self.plan is None and self.now_ms < now_ms:
            self.now_ms = now_ms

    def run_until(self, horizon_ms: float) -> bool:
        """Run until ``horizon_ms``, or until something concerns others; false when stuck or idle.

        A worker between iterations begins one at once: the caller knows that nothing comes
        before it. Later ones begin before the horizon only, and stay in flight across it, so
        that what arrives at the horizon is seen by the iteration that begins there.
        """
        may_begin = self.plan is None
        state = self.state
        members = state.decodes.members
        while True:
            if self.plan is not None:
                if self.end_ms > horizon_ms:
                    return True
                self._complete()
            if self.outbox or (self.finished and self.reports_finish):
                return True
            if not (members or state.waiting or state.prefilling or self.inbound):
                return False
            if self.now_ms >= horizon_ms and not may_begin:
                return True
            may_begin = False
            preemptions = self.preemptions
            if not self._begin(horizon_ms):
                return False
            if self.reports_finish and self.preemptions > preemptions:
                return True  # blocks came free here: KV that waits for them is let in now

    # -- one iteration -------------------------------------------------------------------------

    def _begin(self, horizon_ms: float) -> bool:
        state = self.state
        if self.inbound:
            self._take_in()
        state.iteration = self.iterations
        plan = self.next_plan or self.scheduler.schedule(state)
        self.next_plan = None
        decodes, chunks, preempted = plan
        self.preemptions += len(preempted)
        if not chunks:
            if not (state.decodes.members if decodes is None else decodes):
                return False
            if decodes is None and not (preempted and self.reports_finish):
                if not self.fast_forward:
                    stretch.ask_each_time(self, horizon_ms, preempted)
                    return True
                if stretch.must_repeat(state):
                    stretch.repeat(self, horizon_ms, preempted)
                    return True
        self.end_ms = self.now_ms + self._price(plan)
        self.plan = plan
        if self.rows is not None:
            self._record(plan)
        return True

    def _take_in(self) -> None:
        """Jobs whose KV has arrived begin to decode."""
        for job in self.inbound:
            self.state.inbound_seats -= 1
            self.state.seat(job)
            self.state.decodes.join(job)
        self.inbound.clear()

    def _price(self, plan: StepPlan) -> float:
        members = self.state.decodes
        decodes, chunks, _ = plan
        if decodes is None:
            num_decodes, context = len(members.members), members.context
        else:
            num_decodes, context = len(decodes), sum(map(members.computed, decodes))
        tokens = past = completed = 0
        pairs = 0.0
        for job, chunk in chunks:
            computed = job.computed
            tokens += chunk
            past += computed
            pairs += chunk * (computed + chunk / 2)
            completed += chunk == job.prompt_tokens + job.generated - computed
            if job.first_scheduled_ms < 0:
                job.first_scheduled_ms = self.now_ms
        self.prefill_tokens += tokens
        self.decode_tokens += num_decodes
        took_ms = self.cost.iteration_ms(
            tokens, past, pairs, num_decodes, context, num_decodes + completed
        )
        if not 0 < took_ms < stretch.LONGEST_MS:
            raise self.bad_price(took_ms, tokens, num_decodes, context)
        self.iterations += 1
        self.busy_ms += took_ms
        pool = self.state.pool
        if pool is not None:
            self.kv_block_ms += took_ms * pool.used
        return took_ms

    def _record(self, plan: StepPlan) -> None:
        assert self.rows is not None
        state = self.state
        members = state.decodes
        decodes, chunks, preempted = plan
        self.rows.append(
            Row(
                self.index,
                self.now_ms,
                (self.end_ms,),
                members.ids if decodes is None else tuple([job.request_id for job in decodes]),
                tuple([PrefillChunk(job.request_id, n, job.computed) for job, n in chunks]),
                state.num_running,
                len(state.waiting),
                (state.pool.used,) if state.pool is not None else (),
                preempted,
            )
        )

    def _complete(self) -> None:
        assert self.plan is not None
        decodes, chunks, _ = self.plan
        self.plan = None
        end_ms = self.now_ms = self.end_ms
        if decodes is None:
            if self.state.decodes.members:
                self.tokens_for_all(end_ms)
                self.finish(self.state.decodes.advance(1, end_ms), end_ms)
        elif decodes:
            self._tokens_for(decodes, end_ms)
        for job, chunk in chunks:
            job.computed += chunk
            if job.computed == job.prompt_tokens + job.generated:
                self._sampled(job, end_ms)

    def tokens_for_all(self, end_ms: float) -> None:
        """Record the gap that ends now for every decoding job."""
        members = self.state.decodes
        steady = len(members.members)
        if members.stalled:
            steady -= len(members.stalled)
            for request_id, last_ms in members.stalled.items():
                self.gaps.add(end_ms - last_ms, 1)
                job = members.members[request_id]
                if job.decode_first_token_ms < 0:
                    job.decode_first_token_ms = end_ms
            members.stalled.clear()
        if steady:
            self.gaps.add(end_ms - members.last_ms, steady)

    def _tokens_for(self, decodes: Sequence[Job], end_ms: float) -> None:
        """Some of the decoding jobs get a token, the others are held back."""
        members = self.state.decodes
        chosen = {job.request_id for job in decodes}
        for request_id, job in list(members.members.items()):
            if request_id not in chosen:
                members.hold_back(job)
        held = {key: ms for key, ms in members.stalled.items() if key not in chosen}
        steady = len(chosen)
        for request_id in chosen & members.stalled.keys():
            steady -= 1
            self.gaps.add(end_ms - members.stalled[request_id], 1)
            job = members.members[request_id]
            if job.decode_first_token_ms < 0:
                job.decode_first_token_ms = end_ms
        if steady:
            self.gaps.add(end_ms - members.last_ms, steady)
        members.stalled = held
        self.finish(members.advance(1, end_ms), end_ms)

    def _sampled(self, job: Job, end_ms: float) -> None:
        """A prefill that is complete samples a token in the same iteration."""
        del self.state.prefilling[job.request_id]
        job.generated += 1
        if job.first_token_ms < 0:
            job.first_token_ms = end_ms
            job.prefill_worker = self.name
        else:
            self.gaps.add(end_ms - job.last_token_ms, 1)
        apart = self.role == "prefill"
        if job.decode_first_token_ms < 0 and not apart:
            job.decode_first_token_ms = end_ms
        job.last_token_ms = end_ms
        if job.generated == job.output_tokens:
            if apart:
                job.decode_first_token_ms = end_ms
            self.finish([job], end_ms)
        elif apart:
            self.outbox.append(job)
        else:
            job.blocks = 0
            self.state.decodes.join(job)

    def finish(self, jobs: list[Job], end_ms: float) -> None:
        """These jobs have all their tokens: give their blocks back and report them."""
        pool = self.state.pool
        for job in jobs:
            job.finish_ms = end_ms
            job.decode_worker = self.name
            if pool is not None:
                pool.give_back(pool.blocks_for(job.computed))
                job.blocks = 0
            self.finished.append(job)

    # -- afterwards -----------------------------------------------------------------------------

    def bad_price(
        self, took_ms: float, prefill_tokens: int, num_decodes: int, context: int
    ) -> ValueError:
        """The error for a cost model that gives no time."""
        return ValueError(
            f"cost model {self.cost.name!r} gave {took_ms!r} ms for iteration {self.iterations} "
            f"of {self.name}: prefill_tokens={prefill_tokens}, num_decodes={num_decodes}, "
            f"decode_context={context}"
        )

    def facts(self) -> WorkerFacts:
        """What every iteration here shares."""
        total = None if self.cache is None else self.cache.usable_blocks
        return WorkerFacts(self.name, self.state.max_num_batched_tokens, total)

    def record(self) -> WorkerRecord:
        """What this worker did."""
        pool = self.state.pool
        return WorkerRecord(
            name=self.name,
            role=self.role,
            iterations=self.iterations,
            busy_ms=self.busy_ms,
            prefill_tokens=self.prefill_tokens,
            decode_tokens=self.decode_tokens,
            preemptions=self.preemptions,
            kv_blocks_total=None if pool is None else pool.capacity,
            kv_blocks_peak=0 if pool is None else pool.peak,
            kv_block_ms=self.kv_block_ms,
            stranded_block_ms=self.stranded_block_ms,
        )
