"""The oracles behind the hidden tests: the source chapter's values, and what policies must imply."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdgrade.hidden import todo1, todo2, todo3, todo4, todo5

REQUESTS = [
    {"name": "a", "prompt_tokens": 4000, "decode_tokens": 64},
    {"name": "b", "prompt_tokens": 256, "decode_tokens": 512},
    {"name": "c", "prompt_tokens": 1500, "decode_tokens": 128},
]
quick = settings(max_examples=200, deadline=None, derandomize=True, database=None)


def test_the_source_chapters_values():
    counts = {"prefill_heavy": 1, "decode_heavy": 1, "mixed": 1}
    assert todo1.oracle(REQUESTS, long_prompt_threshold=2048) == counts
    assert todo2.oracle([9, 10, 11, 12, 13], chunk_size=2) == [[9, 10], [11, 12], [13]]
    pools = {"prefill_pool": ["a"], "decode_pool": ["b"], "shared_pool": ["c"]}
    assert todo4.oracle(REQUESTS, 2048, 256) == pools
    baseline = {"throughput": 100, "p95_latency_ms": 180}
    split = {"throughput": 126, "p95_latency_ms": 150, "handoff_ms": 8}
    assert todo5.oracle(baseline, split, max_handoff_ms=10)["keep_split"] is True
    late = {**split, "handoff_ms": 18}
    assert todo5.oracle(baseline, late, max_handoff_ms=10)["keep_split"] is False


@pytest.mark.parametrize(
    ("budget", "policy", "decodes", "chunks"),
    [
        (4, "balanced", ["d1"], [("p1", 2), ("p2", 1)]),
        (3, "decode_first", ["d1", "d2"], [("p1", 1)]),
        (3, "prefill_first", [], [("p1", 2), ("p2", 1)]),
    ],
)
def test_the_source_chapters_plans(budget, policy, decodes, chunks):
    plan = todo3.oracle({"p1": 5, "p2": 2}, ["d1", "d2"], budget, 2, policy=policy)
    assert plan["decode_request_ids"] == decodes
    assert [(c["request_id"], c["tokens"]) for c in plan["prefill_chunks"]] == chunks
    assert plan["used_tokens"] + plan["remaining_tokens"] == budget


@pytest.mark.parametrize(
    "arguments",
    [
        ({"p": 1}, [], 0, 1, "balanced"),
        ({"p": 1}, [], 2, 1, "unknown"),
        ({"p": -1}, [], 2, 1, "balanced"),
        ({}, ["d", "d"], 2, 1, "balanced"),
        ({}, [], 2, 0, "balanced"),
        ({}, [], 2, 1, "balanced", -1),
    ],
)
def test_bad_rounds_are_refused(arguments):
    with pytest.raises(ValueError, match="contract"):
        todo3.oracle(*arguments)


ROUNDS = st.tuples(
    st.lists(st.integers(0, 20), max_size=5),
    st.integers(0, 6),
    st.integers(1, 40),
    st.integers(1, 9),
)


def plan_of(drawn, policy, reserve):
    lengths, decodes, budget, cap = drawn
    prefill = {f"p{index}": length for index, length in enumerate(lengths)}
    names = [f"d{index}" for index in range(decodes)]
    return todo3.oracle(prefill, names, budget, cap, policy, reserve)


def decode_tokens(plan):
    return len(plan["decode_request_ids"])


@quick
@given(ROUNDS, st.integers(0, 8))
def test_policies_dominate_each_other_as_their_names_say(drawn, reserve):
    decode_first, balanced, prefill_first = (
        plan_of(drawn, policy, reserve) for policy in ("decode_first", "balanced", "prefill_first")
    )
    assert decode_tokens(decode_first) >= decode_tokens(balanced) >= decode_tokens(prefill_first)
    assert decode_first["used_tokens"] == balanced["used_tokens"] == prefill_first["used_tokens"]


@quick
@given(ROUNDS, st.integers(0, 8))
def test_a_larger_reserve_never_serves_fewer_decodes(drawn, reserve):
    smaller, larger = (plan_of(drawn, "balanced", each) for each in (reserve, reserve + 1))
    assert decode_tokens(larger) >= decode_tokens(smaller)
    assert plan_of(drawn, "balanced", 0) == {
        **plan_of(drawn, "prefill_first", 0),
        "policy": "balanced",
    }
    everyone = drawn[1]
    assert todo3.schedule(plan_of(drawn, "balanced", everyone)) == todo3.schedule(
        plan_of(drawn, "decode_first", 0)
    )
