"""One worker: plan an iteration, ask its price, let its tokens out when it ends."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import isfinite
from typing import TYPE_CHECKING

from pdsched.scheduler.job import Job
from pdsched.scheduler.plan import PrefillChunk, StepPlan
from pdsched.scheduler.state import WorkerState
from pdsched.simulator.log import Row, WorkerFacts
from pdsched.simulator.timeline import WorkerRecord

if TYPE_CHECKING:
    from pdsched.cost import CostModel
    from pdsched.kvcache import KVCache
    from pdsched.scheduler.protocol import Scheduler
    from pdsched.simulator.gaps import TokenGaps

_STRETCH_LIMIT = 4096  # iterations planned at once; bounds what an early arrival throws away


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
        self.state = state
        self.cache = cache
        self.gaps = gaps
        self.rows = rows
        self.fast_forward = fast_forward
        self.reports_finish = False  # whether a finish concerns others at once (closed loop)
        self.now_ms = 0.0
        self.end_ms = 0.0
        self.plan: StepPlan | None = None  # the iteration in flight
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
        while True:
            if self.plan is not None:
                if self.end_ms > horizon_ms:
                    return True
                self._complete()
            if self.outbox or (self.finished and self.reports_finish):
                return True
            if not self.has_work:
                return False
            if self.now_ms >= horizon_ms and not may_begin:
                return True
            may_begin = False
            if not self._begin(horizon_ms):
                return False

    # -- one iteration -------------------------------------------------------------------------

    def _begin(self, horizon_ms: float) -> bool:
        state = self.state
        for job in self.inbound:
            state.inbound_seats -= 1
            state.seat(job)
            state.decodes.join(job)
        self.inbound.clear()
        state.iteration = self.iterations
        plan = self.scheduler.schedule(state)
        decodes, chunks, preempted = plan
        if not chunks:
            if not (state.decodes.members if decodes is None else decodes):
                self.preemptions += len(preempted)
                return False
            if decodes is None and self.fast_forward and _must_repeat(state):
                self._stretch(horizon_ms, preempted)
                return True
        for job, _ in chunks:
            if job.first_scheduled_ms < 0:
                job.first_scheduled_ms = self.now_ms
        self.preemptions += len(preempted)
        self.end_ms = self.now_ms + self._price(plan)
        self.plan = plan
        if self.rows is not None:
            self._record(plan)
        return True

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
        self.prefill_tokens += tokens
        self.decode_tokens += num_decodes
        took_ms = self.cost.iteration_ms(
            tokens, past, pairs, num_decodes, context, num_decodes + completed
        )
        if not 0 < took_ms < 1e15:
            raise ValueError(
                f"cost model {self.cost.name!r} gave {took_ms!r} ms for iteration "
                f"{self.iterations} of {self.name}: prefill_tokens={tokens}, prefill_past={past}, "
                f"prefill_pairs={pairs}, num_decodes={num_decodes}, decode_context={context}"
            )
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
                self._tokens_for_all(end_ms)
                self._finish(self.state.decodes.advance(1, end_ms), end_ms)
        elif decodes:
            self._tokens_for(decodes, end_ms)
        for job, chunk in chunks:
            job.computed += chunk
            if job.computed == job.prompt_tokens + job.generated:
                self._sampled(job, end_ms)

    def _tokens_for_all(self, end_ms: float) -> None:
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
        self._finish(members.advance(1, end_ms), end_ms)

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
            self._finish([job], end_ms)
        elif apart:
            self.outbox.append(job)
        else:
            job.blocks = 0
            self.state.decodes.join(job)

    def _finish(self, jobs: list[Job], end_ms: float) -> None:
        pool = self.state.pool
        for job in jobs:
            job.finish_ms = end_ms
            job.decode_worker = self.name
            if pool is not None:
                pool.give_back(pool.blocks_for(job.computed))
                job.blocks = 0
            self.finished.append(job)

    # -- the same decodes again and again --------------------------------------------------------

    def _stretch(self, horizon_ms: float, preempted: tuple[str, ...]) -> None:
        """Run iterations whose plan must repeat, up to a finish, the horizon or a full cache."""
        members = self.state.decodes
        size = len(members.members)
        steps = min(members.steps_to_finish(), _STRETCH_LIMIT)
        growth: list[int] = []
        pool = self.state.pool
        if pool is not None:
            growth = self._growth(steps)
            steps = len(growth)
        ends = self._ends(size, steps, horizon_ms)
        steps = len(ends)
        start_ms = self.now_ms
        if self.rows is not None:
            self.rows.append(
                Row(
                    self.index,
                    start_ms,
                    ends,
                    members.ids,
                    (),
                    size,
                    len(self.state.waiting),
                    growth[:steps],
                    preempted,
                )
            )
        self.preemptions += len(preempted)
        self.iterations += steps
        self.decode_tokens += steps * size
        self.busy_ms += ends[-1] - start_ms
        if pool is not None:
            pool.take(growth[steps - 1] - pool.used)
            starts = [start_ms, *ends]
            self.kv_block_ms += sum(
                blocks * (end - start)
                for blocks, start, end in zip(growth, starts, ends, strict=False)
            )
        in_flight = ends[-1] > horizon_ms
        if in_flight:
            self.plan = StepPlan(None)
            self.end_ms = ends[-1]
            steps -= 1
            if not steps:
                return
        end_ms = self.now_ms = ends[steps - 1]
        self._tokens_for_all(ends[0])
        if steps > 1:
            done = ends[:steps]
            self.gaps.extend([after - before for before, after in pairwise(done)], size)
        self._finish(members.advance(steps, end_ms), end_ms)

    def _growth(self, steps: int) -> list[int]:
        """Blocks held in each of the coming iterations, as far as the cache reaches.

        The first one's blocks are already taken.
        """
        members, pool = self.state.decodes, self.state.pool
        assert pool is not None
        used = [pool.used]
        for step in range(members.step + 1, members.step + steps):
            more = used[-1] + members.new_blocks_at(step)
            if more > pool.capacity:
                break
            used.append(more)
        return used

    def _ends(self, size: int, steps: int, horizon_ms: float) -> list[float]:
        """End of each coming iteration; the last may lie beyond the horizon."""
        context = self.state.decodes.context
        iteration_ms = self.cost.iteration_ms
        first_ms = iteration_ms(0, 0, 0.0, size, context, size)
        if not 0 < first_ms < 1e15:
            raise ValueError(
                f"cost model {self.cost.name!r} gave {first_ms!r} ms for iteration "
                f"{self.iterations} of {self.name}: num_decodes={size}, decode_context={context}"
            )
        now_ms = self.now_ms
        if isfinite(horizon_ms):  # decodes only get slower, so this many are enough
            steps = min(steps, int(max(0.0, horizon_ms - now_ms) / first_ms) + 2)
        contexts = range(context, context + size * steps, size)
        line = decode_line(self.cost, size, contexts)
        if line is not None:
            base_ms, context_ms = line
            took = [base_ms + context_ms * c for c in contexts]
        else:
            took = [iteration_ms(0, 0, 0.0, size, c, size) for c in contexts]
        ends = list(accumulate(took, initial=now_ms))[1:]
        for count, end_ms in enumerate(ends, 1):
            if end_ms >= horizon_ms:
                return ends[:count]
        return ends

    # -- afterwards -----------------------------------------------------------------------------

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


def _must_repeat(state: WorkerState) -> bool:
    """Whether a plan of decodes only stays the same: nothing prefills, nobody can be admitted."""
    return not state.prefilling and (not state.waiting or state.free_seats <= 0)


def decode_line(cost: CostModel, size: int, contexts: range) -> tuple[float, float] | None:
    """``(base, slope)`` if the model says that decode-only iterations are linear in context.

    A model says so with a method ``decode_line(num_decodes) -> (base_ms, ms_per_context)``. It
    is taken at its word only where both ends of the stretch agree with ``iteration_ms``.
    """
    claim = getattr(cost, "decode_line", None)
    if claim is None or len(contexts) < 3:
        return None
    line = claim(size)
    if line is None:
        return None
    base_ms, context_ms = line
    for context in (contexts[0], contexts[-1]):
        exact_ms = cost.iteration_ms(0, 0, 0.0, size, context, size)
        if abs(base_ms + context_ms * context - exact_ms) > 1e-9 * exact_ms:
            return None
    return float(base_ms), float(context_ms)
