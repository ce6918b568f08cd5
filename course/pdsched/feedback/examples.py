"""The public examples of each rule, the smallest input first, with values worked out by hand.

They are what a learner is shown when an answer is wrong. The lines marked ``seed`` are the source
chapter's own tests.
"""

from __future__ import annotations

from typing import Any, Final

from pdsched.feedback.judging import Case

Example = tuple[Case, Any]


def _mix(prefill: int, decode: int, mixed: int) -> dict[str, int]:
    return {"prefill_heavy": prefill, "decode_heavy": decode, "mixed": mixed}


def _request(prompt_tokens: int, decode_tokens: int, name: str = "a") -> dict[str, Any]:
    return {"name": name, "prompt_tokens": prompt_tokens, "decode_tokens": decode_tokens}


def _one(prompt_tokens: int, decode_tokens: int, *limits: int) -> Case:
    return Case(([_request(prompt_tokens, decode_tokens)], *limits))


SEED_REQUESTS: Final = [
    _request(4000, 64, "a"),
    _request(256, 512, "b"),
    _request(1500, 128, "c"),
]

TODO1: Final[dict[str, tuple[Example, ...]]] = {
    "todo1_three_classes": (
        (Case(([], 16)), _mix(0, 0, 0)),
        (_one(40, 0, 16), _mix(1, 0, 0)),
        (_one(0, 9, 16), _mix(0, 1, 0)),
        (_one(1, 1, 16), _mix(0, 0, 1)),
        (_one(40, 9, 16), _mix(0, 0, 1)),
        (Case((SEED_REQUESTS, 2048)), _mix(1, 1, 1)),  # seed
    ),
    "todo1_threshold_edges": (
        (_one(16, 0, 16), _mix(0, 0, 1)),
        (_one(17, 0, 16), _mix(1, 0, 0)),
        (_one(0, 2, 16), _mix(0, 0, 1)),
        (_one(0, 3, 16), _mix(0, 1, 0)),
        (_one(16, 3, 16), _mix(0, 1, 0)),
        (_one(17, 2, 16), _mix(1, 0, 0)),
        (_one(17, 3, 16), _mix(0, 0, 1)),
        (_one(7, 1, 7), _mix(0, 1, 0)),
    ),
    "todo1_counts_conserved": (
        (Case(([{}], 16)), _mix(0, 0, 1)),
        (Case(([{"prompt_tokens": 17}], 16)), _mix(1, 0, 0)),
        (Case(([{"decode_tokens": 3}], 16)), _mix(0, 1, 0)),
    ),
}


def _chunks(suffix: list[int], chunk_size: int) -> Case:
    return Case((suffix,), {"chunk_size": chunk_size})


TODO2: Final[dict[str, tuple[Example, ...]]] = {
    "todo2_order_and_tail": (
        (_chunks([5, 7, 5], 2), [[5, 7], [5]]),
        (_chunks([9, 10, 11, 12, 13], 2), [[9, 10], [11, 12], [13]]),  # seed
        (_chunks([4, 3, 2, 1], 2), [[4, 3], [2, 1]]),
    ),
    "todo2_boundaries": (
        (_chunks([], 3), []),
        (_chunks([8], 1), [[8]]),
        (_chunks([8], 2), [[8]]),
        (_chunks([8, 6], 1), [[8], [6]]),
        (_chunks([8, 6], 2), [[8, 6]]),
        (_chunks([8, 6], 9), [[8, 6]]),
    ),
    "todo2_rejects_bad_chunk": (
        (_chunks([1], 0), ValueError),  # seed
        (_chunks([1], -1), ValueError),
        (_chunks([], 0), ValueError),
        (_chunks([1], 1), [[1]]),
    ),
}


def _round(
    suffixes: dict[str, int], decodes: list[str], budget: int, cap: int, **named: Any
) -> Case:
    return Case((suffixes, decodes, budget, cap), named)


def _plan(decodes: list[str], **chunks: int) -> dict[str, Any]:
    """The two lists of a plan; the other fields have a rule of their own."""
    return {
        "decode_request_ids": decodes,
        "prefill_chunks": [{"request_id": name, "tokens": size} for name, size in chunks.items()],
    }


_DECODE: Final[dict[str, Any]] = {"policy": "decode_first"}
_PREFILL: Final[dict[str, Any]] = {"policy": "prefill_first"}
_BALANCED: Final[dict[str, Any]] = {"policy": "balanced"}
_SEED: Final = ({"p1": 5, "p2": 2}, ["d1", "d2"])

TODO3: Final[dict[str, tuple[Example, ...]]] = {
    "todo3_decode_first": (
        (_round({"p1": 1}, ["d1"], 1, 1, **_DECODE), _plan(["d1"])),
        (_round({"p1": 1}, ["d1"], 2, 1, **_DECODE), _plan(["d1"], p1=1)),
        (_round({"p1": 0}, ["d1"], 2, 1, **_DECODE), _plan(["d1"])),
        (_round({"p1": 3}, [], 4, 2, **_DECODE), _plan([], p1=2)),
        (_round(*_SEED, 3, 2, **_DECODE), _plan(["d1", "d2"], p1=1)),  # seed
    ),
    "todo3_prefill_first": (
        (_round({"p1": 1}, ["d1"], 1, 1, **_PREFILL), _plan([], p1=1)),
        (_round({"p1": 0}, ["d1"], 1, 1, **_PREFILL), _plan(["d1"])),
        (_round({"p1": 3}, ["d1"], 3, 2, **_PREFILL), _plan(["d1"], p1=2)),
        (_round(*_SEED, 3, 2, **_PREFILL), _plan([], p1=2, p2=1)),  # seed
    ),
    "todo3_balanced_reserve": (
        (_round({"p1": 1}, ["d1", "d2"], 2, 1), _plan(["d1"], p1=1)),
        (_round({"p1": 1}, ["d1", "d2"], 3, 1), _plan(["d1", "d2"], p1=1)),
        (_round({"p1": 1}, ["d1"], 1, 1, decode_reserve_tokens=0, **_BALANCED), _plan([], p1=1)),
        (
            _round({"p1": 2}, ["d1", "d2", "d3"], 3, 2, decode_reserve_tokens=2, **_BALANCED),
            _plan(["d1", "d2"], p1=1),
        ),
        (
            _round({"p1": 2}, ["d1"], 3, 2, decode_reserve_tokens=5, **_BALANCED),
            _plan(["d1"], p1=2),
        ),
        (
            _round(*_SEED, 4, 2, decode_reserve_tokens=1, **_BALANCED),  # seed
            _plan(["d1"], p1=2, p2=1),
        ),
    ),
    "todo3_budget_conserved": (
        (
            _round({"p1": 5}, ["d1"], 4, 2, **_BALANCED),
            {"used_tokens": 3, "remaining_tokens": 1, "max_num_batched_tokens": 4, **_BALANCED},
        ),
        (
            _round({}, [], 4, 2, **_DECODE),
            {"used_tokens": 0, "remaining_tokens": 4, "max_num_batched_tokens": 4, **_DECODE},
        ),
    ),
    "todo3_no_idle_budget": (),
    "todo3_rejects_bad_input": (
        (_round({}, [], 0, 1, **_BALANCED), ValueError),
        (_round({"p": 1}, [], 0, 1, **_BALANCED), ValueError),  # seed
        (_round({"p": 1}, [], 2, 0, **_BALANCED), ValueError),
        (_round({"p": 1}, [], 2, 1, policy="unknown"), ValueError),  # seed
        (_round({"p": -1}, [], 2, 1, **_BALANCED), ValueError),  # seed
        (_round({}, ["d", "d"], 1, 1, **_DECODE), ValueError),
        (_round({}, [], 1, 1, policy="decode_first", decode_reserve_tokens=-1), ValueError),
        (_round({}, [], 1, 1, decode_reserve_tokens=0), _plan([])),
    ),
}


def _pools(prefill: list[str], decode: list[str], shared: list[str]) -> dict[str, list[str]]:
    return {"prefill_pool": prefill, "decode_pool": decode, "shared_pool": shared}


_PREFILL_A: Final = _pools(["a"], [], [])
_DECODE_A: Final = _pools([], ["a"], [])
_SHARED_A: Final = _pools([], [], ["a"])

TODO4: Final[dict[str, tuple[Example, ...]]] = {
    "todo4_three_pools": (
        (_one(40, 0, 10, 4), _PREFILL_A),
        (_one(0, 40, 10, 4), _DECODE_A),
        (_one(1, 1, 10, 4), _SHARED_A),
        (_one(40, 40, 10, 4), _SHARED_A),
        (Case((SEED_REQUESTS, 2048, 256)), _pools(["a"], ["b"], ["c"])),  # seed
    ),
    "todo4_threshold_edges": (
        (_one(10, 0, 10, 4), _SHARED_A),
        (_one(11, 0, 10, 4), _PREFILL_A),
        (_one(0, 4, 10, 4), _SHARED_A),
        (_one(0, 5, 10, 4), _DECODE_A),
        (_one(11, 4, 10, 4), _PREFILL_A),
        (_one(10, 5, 10, 4), _DECODE_A),
        (_one(11, 5, 10, 4), _SHARED_A),
        (_one(5, 9, 16, 8), _DECODE_A),
        (_one(17, 8, 16, 8), _PREFILL_A),
    ),
    "todo4_exactly_one_pool": (
        (Case(([], 10, 4)), _pools([], [], [])),
        (Case(([{}], 10, 4)), _pools([], [], ["request"])),
        (Case(([{"name": "a", "prompt_tokens": 11}], 10, 4)), _PREFILL_A),
        (Case(([{"name": "a", "decode_tokens": 5}], 10, 4)), _DECODE_A),
        (Case(([_request(11, 0), _request(12, 0)], 10, 4)), _pools(["a", "a"], [], [])),
    ),
}


def _runs(throughput: float, p95_ms: float, handoff_ms: float) -> Case:
    """A split run beside the baseline of 100 and 180 ms, with a handoff budget of 10 ms."""
    split = {"throughput": throughput, "p95_latency_ms": p95_ms, "handoff_ms": handoff_ms}
    return Case((BASELINE, split), {"max_handoff_ms": 10.0})


BASELINE: Final = {"throughput": 100.0, "p95_latency_ms": 180.0}
_KEPT: Final = {"keep_split": True}
_DROPPED: Final = {"keep_split": False}

TODO5: Final[dict[str, tuple[Example, ...]]] = {
    "todo5_keep_requires_all_three": (
        (_runs(126.0, 150.0, 8.0), _KEPT),  # seed
        (_runs(126.0, 150.0, 18.0), _DROPPED),  # seed
        (_runs(126.0, 210.0, 8.0), _DROPPED),
        (_runs(90.0, 150.0, 8.0), _DROPPED),
        (_runs(126.0, 210.0, 18.0), _DROPPED),
        (_runs(90.0, 210.0, 18.0), _DROPPED),
    ),
    "todo5_boundaries": (
        (_runs(100.0, 150.0, 8.0), _DROPPED),
        (_runs(126.0, 180.0, 8.0), _KEPT),
        (_runs(126.0, 150.0, 10.0), _KEPT),
    ),
    "todo5_reported_numbers": (
        (
            _runs(126.0, 150.0, 8.0),
            {"throughput_gain": 26.0, "latency_delta_ms": -30.0, "handoff_ms": 8.0},
        ),
        (
            _runs(90.5, 200.25, 18.0),
            {"throughput_gain": -9.5, "latency_delta_ms": 20.25, "handoff_ms": 18.0},
        ),
        (
            Case(({}, {"throughput": 5.0}), {"max_handoff_ms": 1.0}),
            {"throughput_gain": 5.0, "latency_delta_ms": 0.0, "handoff_ms": 0.0},
        ),
    ),
}
