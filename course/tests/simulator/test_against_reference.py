"""The fast loop and the slow, obvious one give the same timelines."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdsched.kvcache import KVCache
from pdsched.scheduler import from_plan_function, make
from pdsched.simulator import simulate
from pdsched.workload import Request, synthetic

sys.path.insert(0, str(Path(__file__).parent))
import reference_loop
from costs import EveryTerm, Linear
from test_conservation import workloads


def as_contract(policy):
    """The reference policy behind the contract of TODO 3."""

    def plan_iteration_budget(suffixes, ready, budget, cap, policy_name="", **options):
        decodes, chunks = policy(suffixes, ready, budget, cap, options["decode_reserve_tokens"])
        used = len(decodes) + sum(tokens for _, tokens in chunks)
        return {
            "policy": options["policy"],
            "max_num_batched_tokens": budget,
            "decode_request_ids": decodes,
            "prefill_chunks": [{"request_id": key, "tokens": n} for key, n in chunks],
            "used_tokens": used,
            "remaining_tokens": budget - used,
        }

    return plan_iteration_budget


def schedulers(name, cap, reserve):
    """The built-in policy, and the same one as a plan function."""
    options = {"max_prefill_chunk_tokens": cap}
    if name == "balanced":
        options["decode_reserve_tokens"] = reserve
    yield make(name, **options)
    yield from_plan_function(
        as_contract(reference_loop.POLICIES[name]),
        policy=name,
        max_prefill_chunk_tokens=cap,
        decode_reserve_tokens=reserve,
    )


def assert_same(timeline, iterations, states):
    assert len(timeline.iterations) == len(iterations)
    for ours, (start, end, decodes, chunks) in zip(timeline.iterations, iterations, strict=True):
        assert list(ours.decodes) == decodes
        assert list(ours.prefills) == chunks
        assert (ours.start_ms, ours.end_ms) == (pytest.approx(start), pytest.approx(end))
    gaps = []
    for record in timeline.requests:
        state = states[record.request_id]
        times = state["tokens"]
        assert record.first_token_ms == pytest.approx(times[0])
        assert record.finish_ms == pytest.approx(times[-1])
        assert record.preemptions == state["preemptions"]
        gaps += [after - before for before, after in pairwise(times)]
    listed = []
    for gap, weight in zip(timeline.gaps.gap_ms, timeline.gaps.weight, strict=True):
        listed += [gap] * weight
    assert sorted(listed) == pytest.approx(sorted(gaps))


@pytest.mark.parametrize("name", reference_loop.POLICIES)
@given(
    requests=workloads(),
    kv_blocks=st.one_of(st.none(), st.integers(8, 30)),
    budget=st.integers(1, 80),
    cap=st.integers(1, 40),
    reserve=st.integers(0, 5),
    seats=st.integers(1, 8),
)
@settings(max_examples=150, deadline=None)
def test_small_workloads_of_any_shape(  # noqa: PLR0917 -- one argument per dimension
    name, requests, kv_blocks, budget, cap, reserve, seats
):
    iterations, states = reference_loop.run(
        requests,
        reference_loop.POLICIES[name],
        EveryTerm(),
        budget=budget,
        cap=cap,
        reserve=reserve,
        seats=seats,
        kv_blocks=kv_blocks or 10**9,
    )
    for scheduler in schedulers(name, cap, reserve):
        for cost in (EveryTerm(), Linear()):
            timeline = simulate(
                requests,
                scheduler,
                cost,
                max_num_batched_tokens=budget,
                max_num_seqs=seats,
                kv=KVCache(kv_blocks) if kv_blocks else None,
            )
            assert_same(timeline, iterations, states)


@pytest.mark.parametrize("name", reference_loop.POLICIES)
@pytest.mark.parametrize("kv_blocks", [None, 700])
def test_real_lengths(name, kv_blocks):
    requests = [
        Request(r.request_id, r.arrival_ms, min(r.prompt_tokens, 4000), min(r.output_tokens, 300))
        for r in synthetic("chat", 40, seed=3)
    ]
    settings_ = {"cap": 256, "reserve": 4, "seats": 32}
    iterations, states = reference_loop.run(
        requests,
        reference_loop.POLICIES[name],
        EveryTerm(),
        budget=512,
        kv_blocks=kv_blocks or 10**9,
        **settings_,
    )
    for scheduler in schedulers(name, 256, 4):
        timeline = simulate(
            requests,
            scheduler,
            EveryTerm(),
            max_num_batched_tokens=512,
            max_num_seqs=32,
            kv=KVCache(kv_blocks) if kv_blocks else None,
        )
        assert_same(timeline, iterations, states)
