"""Run a workload through a policy and a cost model."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import inf
from numbers import Real
from typing import TYPE_CHECKING

from pdsched.scheduler import PlanFunctionScheduler, make
from pdsched.scheduler.call_limit import CallLimit
from pdsched.scheduler.state import WorkerState
from pdsched.simulator.cluster import Cluster, WorkerPool
from pdsched.simulator.gaps import TokenGaps
from pdsched.simulator.log import IterationSequence, Row
from pdsched.simulator.loop import Loop
from pdsched.simulator.timeline import Timeline
from pdsched.simulator.worker import Worker
from pdsched.workload import Request, validate_workload

if TYPE_CHECKING:
    from pdsched.cost import CostModel
    from pdsched.kvcache import KVCache
    from pdsched.scheduler.protocol import Scheduler

DEFAULT_MAX_NUM_SEQS = 256
LATEST_MS = 1e11  # later, a float no longer tells microseconds apart


def simulate(
    requests: Iterable[Request],
    scheduler: str | Scheduler,
    cost: CostModel,
    *,
    max_num_batched_tokens: int,
    max_num_seqs: int = DEFAULT_MAX_NUM_SEQS,
    kv: KVCache | None = None,
    cluster: Cluster | None = None,
    concurrency: int | None = None,
    seed: int = 0,
    record_iterations: bool = True,
    fast_forward: bool = True,
) -> Timeline:
    """Serve ``requests`` and return what happened.

    Args:
        requests: the workload, sorted by arrival.
        scheduler: a policy by name (see `pdsched.scheduler.NAMES`) or as an object, for example
            from `pdsched.scheduler.from_plan_function`.
        cost: milliseconds of one iteration.
        max_num_batched_tokens: token budget of one iteration of one worker.
        max_num_seqs: requests a worker admits at one time.
        kv: KV cache of each worker; ``None`` is unlimited.
        cluster: workers and link; ``None`` is one shared worker.
        concurrency: closed loop: ``arrival_ms`` is ignored, this many requests are sent at
            once and the next one whenever one finishes. ``None`` is the open loop.
        seed: for everything drawn at random (failing handoffs). Same seed, same timeline.
        record_iterations: keep every iteration; without, a million requests fit in memory.
        fast_forward: run stretches of equal decode-only plans at once. The times are the same.

    A policy may end the simulation early with `StopSimulation`: the timeline then holds the
    iterations so far and the requests that have finished.

    Raises:
        ValueError: an argument is out of range, arrivals are unsorted, an id occurs twice, or a
            request can never be served (larger than the KV cache, or than the budget where the
            policy does not split prompts).
        PlanError: the policy's plan breaks a rule; the message names the iteration.
    """
    workload = validate_workload(requests)
    _check_settings(max_num_batched_tokens, max_num_seqs, concurrency)
    if workload and workload[-1].arrival_ms > LATEST_MS:
        raise ValueError(
            f"request {workload[-1].request_id!r}: arrival_ms must be at most {LATEST_MS:g} "
            f"(three years), got {workload[-1].arrival_ms!r}"
        )
    cluster = Cluster.shared() if cluster is None else cluster
    _check_kinds(scheduler, cost, kv, cluster)
    gaps = TokenGaps()
    rows: list[Row] | None = [] if record_iterations else None
    policy = make(scheduler) if isinstance(scheduler, str) else scheduler
    defaults = WorkerPool("shared", 1, policy, cost, max_num_batched_tokens, max_num_seqs, kv)
    workers = _build_workers(cluster, defaults, gaps, rows, fast_forward)
    _check_servable(workload, workers)
    loop = Loop(workload, workers, cluster, concurrency=concurrency, seed=seed)
    with ExitStack() as stack:
        _watch_calls(workers, stack)
        stack.enter_context(_collector_paused())
        loop.run()
    return Timeline(
        iterations=IterationSequence(rows or [], [worker.facts() for worker in workers]),
        requests=loop.records,
        handoffs=loop.handoffs,
        workers=[worker.record() for worker in workers],
        gaps=gaps,
        scheduler=policy.name,
        cost=cost.name,
        cost_error=cost.error,
        settings={
            "max_num_batched_tokens": max_num_batched_tokens,
            "max_num_seqs": max_num_seqs,
            "kv": kv,
            "cluster": cluster,
            "concurrency": concurrency,
            "seed": seed,
        },
    )


def _watch_calls(workers: Sequence[Worker], stack: ExitStack) -> None:
    """One limit per time watches the plan functions of all workers."""
    limits: dict[float, CallLimit] = {}
    for worker in workers:
        scheduler = worker.scheduler
        if isinstance(scheduler, PlanFunctionScheduler):
            seconds = scheduler.limit.seconds
            if seconds not in limits:
                limits[seconds] = stack.enter_context(scheduler.limit)
            scheduler.limit = limits[seconds]


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Millions of small objects and no cycles: searching for garbage would take a third."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if hasattr(gc, "freeze") and not gc.get_freeze_count():
                gc.freeze()  # both together move what was made here to the oldest generation,
                gc.unfreeze()  # so that it is not searched at once
            gc.enable()


def _check_settings(
    max_num_batched_tokens: int, max_num_seqs: int, concurrency: int | None
) -> None:
    settings = {"max_num_batched_tokens": max_num_batched_tokens, "max_num_seqs": max_num_seqs}
    if concurrency is not None:
        settings["concurrency"] = concurrency
    for name, value in settings.items():
        if type(value) is not int or value < 1:
            raise ValueError(f"{name} must be an integer of at least 1, got {value!r}")


def _check_kinds(scheduler: object, cost: object, kv: object, cluster: object) -> None:
    needs = {
        "scheduler": (scheduler, isinstance(scheduler, str) or hasattr(scheduler, "for_worker"),
                      "a policy's name or a scheduler, e.g. from_plan_function(function)"),
        "cost": (cost, hasattr(cost, "iteration_ms"), "a cost model, e.g. roofline(model, gpu)"),
        "kv": (kv, kv is None or hasattr(kv, "usable_blocks"), "a KVCache or None"),
        "cluster": (cluster, isinstance(cluster, Cluster), "a Cluster or None"),
    }  # fmt: skip
    for name, (value, fits, allowed) in needs.items():
        if not fits:
            raise ValueError(f"{name} must be {allowed}, got {value!r}")


def _check_price(cost: CostModel) -> None:
    """What a model says of the smallest prefill must be a number; its size is checked later."""
    price: object = cost.iteration_ms(1, 0, 0.5, 0, 0, 1)
    if isinstance(price, bool) or not isinstance(price, Real):
        raise ValueError(  # noqa: TRY004 -- as for every bad argument of a simulation
            f"cost model {cost.name!r}: iteration_ms must be a number, got {price!r}"
        )


def _build_workers(
    cluster: Cluster,
    defaults: WorkerPool,
    gaps: TokenGaps,
    rows: list[Row] | None,
    fast_forward: bool,
) -> list[Worker]:
    workers: list[Worker] = []
    for pool in cluster.pools:
        policy = pool.scheduler if pool.scheduler is not None else defaults.scheduler
        assert policy is not None
        cost = pool.cost or defaults.cost
        assert cost is not None
        _check_price(cost)
        budget = pool.max_num_batched_tokens or defaults.max_num_batched_tokens
        seats = pool.max_num_seqs or defaults.max_num_seqs
        assert budget is not None
        assert seats is not None
        cache = pool.kv if pool.kv is not None else defaults.kv
        for number in range(pool.workers):
            scheduler = make(policy) if isinstance(policy, str) else policy
            workers.append(
                Worker(
                    name=f"{pool.role}{number}",
                    role=pool.role,
                    index=len(workers),
                    scheduler=scheduler.for_worker(),
                    cost=cost,
                    state=WorkerState(budget, seats, cache),
                    cache=cache,
                    gaps=gaps,
                    rows=rows,
                    fast_forward=fast_forward,
                )
            )
    return workers


def _check_servable(workload: Sequence[Request], workers: Sequence[Worker]) -> None:
    """Every worker must be able to serve every request alone, or it would wait forever."""
    for worker in workers:
        cache = worker.cache
        room = inf if cache is None else cache.usable_blocks * cache.block_tokens
        longest = inf if worker.scheduler.chunked else worker.state.max_num_batched_tokens
        if room == longest == inf:
            continue
        for request in workload:
            if request.prompt_tokens + request.output_tokens - 1 > room:
                raise ValueError(
                    f"request {request.request_id!r} has {request.prompt_tokens} prompt and "
                    f"{request.output_tokens} output tokens, but the KV cache of {worker.name} "
                    f"holds {room} tokens"
                )
            if request.prompt_tokens > longest:
                raise ValueError(
                    f"request {request.request_id!r} has {request.prompt_tokens} prompt tokens, "
                    f"but {worker.scheduler.name} does not split prompts and the budget of "
                    f"{worker.name} is {longest}"
                )
