"""Iterations in which the same requests decode again and again, run in one go.

This is where a simulation spends most of its iterations, so the bookkeeping of a stretch is
done once. `repeat` also plans only once; it is legal where the plan provably stays the same.
`ask_each_time` asks the policy before every iteration.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from pdsched.scheduler.plan import DECODE_ALL
from pdsched.simulator.log import Row

if TYPE_CHECKING:
    from pdsched.scheduler.state import WorkerState
    from pdsched.simulator.worker import Worker

LONGEST_MS: Final = 1e15  # an iteration of thirty thousand years is a bug in the cost model
_MOST_STEPS = 4096  # iterations at once; bounds the lists
_LINE_FROM = 5  # iterations from which asking for the slope is cheaper than asking for each


_Who = tuple[tuple[str, ...], int, int, tuple[str, ...]]  # decodes, running, waiting, preempted


def must_repeat(state: WorkerState) -> bool:
    """Whether a plan of all decodes stays the same: nothing prefills, nobody can be admitted."""
    return not state.prefilling and (not state.waiting or state.free_seats <= 0)


def repeat(worker: Worker, horizon_ms: float, preempted: tuple[str, ...]) -> None:
    """Run the plan until a job finishes, the horizon is reached or the cache is full."""
    state = worker.state
    members, pool, rows = state.decodes, state.pool, worker.rows
    size, start_ms = len(members.members), worker.now_ms
    first_ms = worker.cost.iteration_ms(0, 0, 0.0, size, members.context, size)
    if not 0 < first_ms < LONGEST_MS:
        raise worker.bad_price(first_ms, 0, size, members.context)
    steps = min(members.steps_to_finish(), _MOST_STEPS)
    if horizon_ms < LONGEST_MS:  # decodes mostly get slower, so this many are enough
        steps = min(steps, int(max(0.0, horizon_ms - start_ms) / first_ms) + 2)
    blocks: list[int] = []
    if pool is not None:
        blocks = _blocks_ahead(state, steps)
        steps = len(blocks)
    took, ends = _times_ahead(worker, steps, first_ms, horizon_ms)
    steps, end_ms = len(ends), ends[-1]
    if pool is not None:
        del blocks[steps:]
        pool.take(blocks[-1] - pool.used)
    _count(worker, took, blocks, size)
    if rows is not None:
        who = (members.ids, state.num_running, len(state.waiting), preempted)
        rows.append(_row(worker, start_ms, ends, blocks, who))
    if end_ms > horizon_ms:
        worker.plan = DECODE_ALL
        worker.end_ms = end_ms
        steps -= 1
        if not steps:
            return
        end_ms = ends[steps - 1]
    worker.now_ms = end_ms
    worker.tokens_for_all(ends[0])
    if steps > 1:
        worker.gaps.extend(took[1:steps], size)
    done = members.advance(steps, end_ms)
    if done:
        worker.finish(done, end_ms)


def ask_each_time(worker: Worker, horizon_ms: float, preempted: tuple[str, ...]) -> None:
    """Run iterations as long as the policy answers the same when it is asked before each."""
    state = worker.state
    members, pool, ids = state.decodes, state.pool, state.decodes.ids
    size = len(members.members)
    schedule, iteration_ms = worker.scheduler.schedule, worker.cost.iteration_ms
    last_step = members.step + min(members.steps_to_finish(), _MOST_STEPS)
    now_ms = worker.now_ms
    took: list[float] = []
    ends: list[float] = []
    blocks: list[int] = []
    start_ms = now_ms
    who = (ids, state.num_running, len(state.waiting), preempted)
    try:
        while True:
            ms = iteration_ms(0, 0, 0.0, size, members.context, size)
            if not 0 < ms < LONGEST_MS:
                raise worker.bad_price(ms, 0, size, members.context)
            now_ms += ms
            took.append(ms)
            ends.append(now_ms)
            if pool is not None:
                blocks.append(pool.used)
            if now_ms > horizon_ms:
                worker.plan = DECODE_ALL
                worker.end_ms = now_ms
                return
            if len(ends) == 1:
                worker.tokens_for_all(now_ms)
            members.step += 1
            members.context += size
            members.last_ms = worker.now_ms = now_ms
            if members.step == last_step or now_ms >= horizon_ms:
                return
            state.iteration += 1
            plan = schedule(state)
            if plan is not DECODE_ALL:
                worker.next_plan = plan
                return
    finally:
        if ends:
            _count(worker, took, blocks, size)
            if worker.rows is not None:
                worker.rows.append(_row(worker, start_ms, ends, blocks, who))
            steps = len(ends) - (worker.plan is not None)
            if steps > 1:
                worker.gaps.extend(took[1:steps], size)
            if steps:
                worker.finish(members.advance(0, worker.now_ms), worker.now_ms)


def _count(worker: Worker, took: list[float], blocks: list[int], size: int) -> None:
    """Add iterations that are done or in flight to the worker's totals."""
    worker.iterations += len(took)
    worker.decode_tokens += len(took) * size
    worker.busy_ms += sum(took)
    if blocks:
        worker.kv_block_ms += sum(map(float.__mul__, took, map(float, blocks)))


def _row(worker: Worker, start_ms: float, ends: list[float], blocks: list[int], who: _Who) -> Row:
    ids, running, waiting, preempted = who
    packed = array("d", ends)  # a third of the memory of a list of floats
    return Row(worker.index, start_ms, packed, ids, (), running, waiting, blocks, preempted)


def _blocks_ahead(state: WorkerState, steps: int) -> list[int]:
    """Blocks held in each of the coming iterations, as far as the cache reaches.

    The first one's are already taken.
    """
    members, pool = state.decodes, state.pool
    assert pool is not None
    used = pool.used
    blocks = [used]
    capacity = pool.capacity
    for step in range(members.step + 1, members.step + steps):
        used += members.new_blocks_at(step)
        if used > capacity:
            break
        blocks.append(used)
    return blocks


def _times_ahead(
    worker: Worker, steps: int, ms: float, horizon_ms: float
) -> tuple[list[float], list[float]]:
    """Duration (the first is ``ms``) and end of each iteration; the last may pass the horizon."""
    now_ms, iteration_ms = worker.now_ms, worker.cost.iteration_ms
    members = worker.state.decodes
    size, context = len(members.members), members.context
    if steps == 1:
        return [ms], [now_ms + ms]
    slope = None
    if steps >= _LINE_FROM:
        slope = _slope(worker, size, context, context + size * (steps - 1), ms)
    if slope is not None:
        more_ms = slope * size
        took = [ms + more_ms * step for step in range(steps)]
    else:
        took = [ms]
        for at in range(context + size, context + size * steps, size):
            took.append(iteration_ms(0, 0, 0.0, size, at, size))
        if not (min(took) > 0 and sum(took) < LONGEST_MS):
            raise worker.bad_price(min(took), 0, size, context)
    ends = list(accumulate(took, initial=now_ms))
    del ends[0]
    if ends[-1] > horizon_ms:
        reached = bisect_left(ends, horizon_ms) + 1
        del took[reached:], ends[reached:]
    return took, ends


def _slope(worker: Worker, size: int, first: int, last: int, first_ms: float) -> float | None:
    """Milliseconds per token of context, if the model says the stretch is a straight line.

    A model says so with a method ``decode_slope(num_decodes, first_context, last_context)``
    that returns the slope, or ``None`` where there is a bend in between. It is taken at its
    word only where the far end agrees with ``iteration_ms``.
    """
    slope = None if worker.decode_slope is None else worker.decode_slope(size, first, last)
    if slope is None:
        return None
    last_ms = worker.cost.iteration_ms(0, 0, 0.0, size, last, size)
    if abs(first_ms + slope * (last - first) - last_ms) > 1e-9 * last_ms:
        return None
    return float(slope)
