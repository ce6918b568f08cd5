"""The source chapter's own mechanism tests, with its values, on the reference solutions."""

import pytest

REQUESTS = (
    {"name": "a", "prompt_tokens": 4000, "decode_tokens": 64},
    {"name": "b", "prompt_tokens": 256, "decode_tokens": 512},
    {"name": "c", "prompt_tokens": 1500, "decode_tokens": 128},
)
SUFFIXES = {"p1": 5, "p2": 2}
DECODES = ("d1", "d2")
BASELINE = {"throughput": 100, "p95_latency_ms": 180}
CANDIDATE = {"throughput": 126, "p95_latency_ms": 150, "handoff_ms": 8}


def requests():
    return [dict(request) for request in REQUESTS]


def test_request_mix_counts_each_class_once_and_loses_nobody(solutions):
    summary = solutions["summarize_request_mix"](requests(), long_prompt_threshold=2048)

    assert summary == {"prefill_heavy": 1, "decode_heavy": 1, "mixed": 1}
    assert sum(summary.values()) == len(REQUESTS)


def test_chunk_plan_keeps_order_and_a_short_tail(solutions):
    plan = solutions["build_chunked_prefill_plan"]([9, 10, 11, 12, 13], chunk_size=2)

    assert plan == [[9, 10], [11, 12], [13]]


def test_chunk_plan_refuses_a_chunk_size_of_zero(solutions):
    with pytest.raises(ValueError, match="chunk_size"):
        solutions["build_chunked_prefill_plan"]([1], chunk_size=0)


@pytest.mark.parametrize(
    ("policy", "budget", "decodes", "chunks"),
    [
        ("balanced", 4, ["d1"], [("p1", 2), ("p2", 1)]),
        ("decode_first", 3, ["d1", "d2"], [("p1", 1)]),
        ("prefill_first", 3, [], [("p1", 2), ("p2", 1)]),
    ],
)
def test_iteration_budget_differs_by_policy_and_is_conserved(
    solutions, policy, budget, decodes, chunks
):
    plan = solutions["plan_iteration_budget"](
        dict(SUFFIXES), list(DECODES), budget, 2, policy=policy, decode_reserve_tokens=1
    )

    assert plan["decode_request_ids"] == decodes
    assert plan["prefill_chunks"] == [{"request_id": p, "tokens": n} for p, n in chunks]
    assert plan["used_tokens"] <= plan["max_num_batched_tokens"]
    assert plan["used_tokens"] + plan["remaining_tokens"] == plan["max_num_batched_tokens"]


@pytest.mark.parametrize(
    ("suffixes", "budget", "policy"),
    [({"p": 1}, 0, "balanced"), ({"p": 1}, 2, "unknown"), ({"p": -1}, 2, "balanced")],
)
def test_iteration_budget_refuses_bad_input(solutions, suffixes, budget, policy):
    with pytest.raises(ValueError):  # noqa: PT011  any ValueError keeps the contract
        solutions["plan_iteration_budget"](suffixes, [], budget, 1, policy=policy)


def test_pools_hold_each_request_once(solutions):
    pools = solutions["plan_pd_split"](
        requests(), long_prompt_threshold=2048, long_decode_threshold=256
    )

    assert pools == {"prefill_pool": ["a"], "decode_pool": ["b"], "shared_pool": ["c"]}


@pytest.mark.parametrize(("handoff_ms", "keep_split"), [(8, True), (18, False)])
def test_split_is_kept_only_within_the_handoff_budget(solutions, handoff_ms, keep_split):
    split_run = CANDIDATE | {"handoff_ms": handoff_ms}
    decision = solutions["evaluate_pd_decision"](dict(BASELINE), split_run, max_handoff_ms=10)

    assert decision["keep_split"] is keep_split
