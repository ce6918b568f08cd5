"""Conservation under hypothesis: any workload, any legal policy, any cluster, open or closed."""
# ruff: noqa: PLR0917 -- one argument per dimension drawn, or the protocol's own

import os
import random
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pdsched.kvcache import KVCache
from pdsched.scheduler import NAMES, from_plan_function
from pdsched.simulator import Cluster, HandoffLink, simulate
from pdsched.simulator.cluster import ROLES
from pdsched.simulator.loop import Loop
from pdsched.workload import Request

sys.path.insert(0, str(Path(__file__).parent))
import conservation
from costs import EveryTerm, Linear

EXAMPLES = int(os.environ.get("PDSCHED_EXAMPLES", "40"))
CHUNKED = tuple(name for name in NAMES if name != "orca_hybrid")


@st.composite
def workloads(draw, *, max_tokens=60, cached=True):
    """Up to ten requests in bursts; hits now and then."""
    size = draw(st.integers(1, 10))
    arrival_ms = 0.0
    requests = []
    for number in range(size):
        arrival_ms += draw(st.sampled_from([0.0, 0.0, 1.0, 7.5, 40.0]))
        prompt = draw(st.integers(1, max_tokens))
        output = draw(st.integers(1, max_tokens))
        hits = draw(st.integers(0, prompt)) if cached and draw(st.booleans()) else 0
        requests.append(Request(f"r{number}", arrival_ms, prompt, output, hits))
    return requests


small_caches = st.builds(KVCache, st.integers(8, 40), watermark=st.sampled_from([0.0, 0.05]))
caches = st.one_of(st.none(), small_caches)
budgets = st.integers(1, 80)
all_settings = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


@pytest.mark.parametrize("policy", CHUNKED)
@given(requests=workloads(), kv=caches, budget=budgets, seats=st.integers(1, 8), line=st.booleans())
@all_settings
def test_one_worker(policy, requests, kv, budget, seats, line):
    cost = Linear() if line else EveryTerm()
    timeline = conservation.both(
        requests, policy, cost, max_num_batched_tokens=budget, max_num_seqs=seats, kv=kv
    )
    conservation.check(requests, timeline, budget=budget, seats=seats)


@given(requests=workloads(), kv=caches, seats=st.integers(1, 8))
@all_settings
def test_orca_never_preempts(requests, kv, seats):
    timeline = conservation.both(
        requests, "orca_hybrid", EveryTerm(), max_num_batched_tokens=60, max_num_seqs=seats, kv=kv
    )
    conservation.check(requests, timeline, budget=60, seats=seats)
    assert all(record.preemptions == 0 for record in timeline.requests)


@given(
    requests=workloads(),
    kv=caches,
    budget=budgets,
    policy=st.sampled_from(CHUNKED),
    concurrency=st.integers(1, 6),
    workers=st.integers(1, 3),
)
@all_settings
def test_closed_loop_keeps_the_concurrency(requests, kv, budget, policy, concurrency, workers):
    timeline = conservation.both(
        requests,
        policy,
        EveryTerm(),
        max_num_batched_tokens=budget,
        kv=kv,
        cluster=Cluster.shared(workers),
        concurrency=concurrency,
    )
    conservation.check(requests, timeline, budget=budget, seats=256)
    moments = [(r.arrival_ms, 1) for r in timeline.requests]
    moments += [(r.finish_ms, -1) for r in timeline.requests]
    in_flight = peak = 0
    for _, change in sorted(moments, key=lambda moment: (moment[0], moment[1])):
        in_flight += change
        peak = max(peak, in_flight)
    assert peak == min(concurrency, len(requests))


links = st.builds(
    HandoffLink,
    kv_bytes_per_token=st.just(1e6),
    gb_per_s=st.sampled_from([0.5, 5.0, 100.0]),
    setup_ms=st.sampled_from([0.0, 0.5]),
    lanes=st.integers(1, 2),
    failure_rate=st.sampled_from([0.0, 0.0, 0.3, 1.0]),
    max_attempts=st.integers(1, 3),
    retry_ms=st.sampled_from([0.0, 3.0]),
    admission_timeout_ms=st.sampled_from([float("inf"), 5.0, 200.0]),
    decode_headroom_tokens=st.sampled_from([0, 1, 512]),
    overlap_layers=st.sampled_from([1, 32]),
)


@given(
    requests=workloads(),
    kv=caches,
    budget=budgets,
    seats=st.integers(1, 8),
    policy=st.sampled_from(CHUNKED),
    counts=st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(0, 1)),
    link=links,
    seed=st.integers(0, 3),
    concurrency=st.one_of(st.none(), st.integers(1, 5)),
)
@settings(max_examples=4 * EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_prefill_and_decode_apart(
    requests, kv, budget, seats, policy, counts, link, seed, concurrency
):
    prefill, decode, shared = counts
    pools = ["prefill_pool", "decode_pool"] + ["shared_pool"] * shared
    route = {request.request_id: pools[request.prompt_tokens % len(pools)] for request in requests}
    timeline = conservation.both(
        requests,
        policy,
        EveryTerm(),
        max_num_batched_tokens=budget,
        max_num_seqs=seats,
        kv=kv,
        cluster=Cluster.pd(prefill, decode, link, shared=shared, route=route),
        seed=seed,
        concurrency=concurrency,
    )
    conservation.check(requests, timeline, budget=budget, seats=seats)


def random_plan(rng):
    """A legal plan function that is as odd as the contract allows, and pure."""

    def function(suffixes, ready, budget, cap, policy="balanced", decode_reserve_tokens=1):
        rng.seed(repr((suffixes, ready)))
        left = budget
        decodes = [key for key in ready if rng.random() < 0.7]
        rng.shuffle(decodes)
        decodes = decodes[: rng.randint(0, left)]
        left -= len(decodes)
        keys = list(suffixes)
        rng.shuffle(keys)
        chunks = []
        for key in keys:
            most = min(suffixes[key], cap, left)
            if most and rng.random() < 0.6:
                tokens = rng.randint(1, most)
                chunks.append({"request_id": key, "tokens": tokens})
                left -= tokens
        if left == budget:
            if ready:
                decodes = ready[:1]
            else:
                chunks = [{"request_id": keys[0], "tokens": 1}]
            left -= 1
        return {
            "policy": policy,
            "max_num_batched_tokens": budget,
            "decode_request_ids": decodes,
            "prefill_chunks": chunks,
            "used_tokens": budget - left,
            "remaining_tokens": left,
        }

    return function


@given(
    requests=workloads(),
    kv=caches,
    budget=budgets,
    cap=st.integers(1, 80),
    seats=st.integers(1, 8),
)
@settings(max_examples=3 * EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_legal_plan_function(requests, kv, budget, cap, seats):
    scheduler = from_plan_function(random_plan(random.Random(0)), max_prefill_chunk_tokens=cap)
    timeline = conservation.both(
        requests, scheduler, EveryTerm(), max_num_batched_tokens=budget, max_num_seqs=seats, kv=kv
    )
    conservation.check(requests, timeline, budget=budget, seats=seats)
    assert all(
        chunk.num_tokens <= cap for iteration in timeline.iterations for chunk in iteration.prefills
    )


@given(requests=workloads(), policy=st.sampled_from(CHUNKED), seed=st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_the_same_seed_gives_the_same_timeline(requests, policy, seed):
    link = HandoffLink(1e6, 1.0, failure_rate=0.5, retry_ms=1.0)
    runs = [
        simulate(
            requests,
            policy,
            EveryTerm(),
            max_num_batched_tokens=32,
            cluster=Cluster.pd(1, 1, link),
            seed=seed,
        )
        for _ in range(2)
    ]
    assert runs[0].requests == runs[1].requests
    assert runs[0].iterations == runs[1].iterations
    assert runs[0].handoffs == runs[1].handoffs


@given(
    requests=workloads(),
    kv=caches,
    budget=budgets,
    policy=st.sampled_from(CHUNKED),
    counts=st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(0, 2)),
    link=links,
)
@settings(max_examples=3 * EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_workers_that_run_ahead_change_nothing(requests, kv, budget, policy, counts, link):
    prefill, decode, shared = counts
    pools = ["prefill_pool", "decode_pool"] + ["shared_pool"] * bool(shared)
    route = {request.request_id: pools[request.prompt_tokens % len(pools)] for request in requests}
    cluster = Cluster.pd(prefill, decode, link, shared=shared, route=route)
    options = {"max_num_batched_tokens": budget, "cluster": cluster, "kv": kv}
    ahead = simulate(requests, policy, EveryTerm(), **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Loop, "_who_matters", lambda *_: ROLES)
        step_by_step = simulate(requests, policy, EveryTerm(), fast_forward=False, **options)
    conservation.same(step_by_step, ahead)
    assert list(map(as_row, ahead.handoffs)) == list(map(as_row, step_by_step.handoffs))


def as_row(handoff):
    return (handoff.request_id, handoff.target, handoff.attempt, handoff.outcome)
