"""Plans of TODO 3: which rule each breaks, and what of it can still be carried out."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdsched.panels.plan_faults import PlanCall, asked_for, fault_of, workable

sys.path.insert(0, str(Path(__file__).parent))
import learner_functions as learner


def call(policy="balanced", budget=4, cap=2, reserve=1, ready=("d1", "d2"), **suffixes):
    return PlanCall(suffixes or {"p1": 5, "p2": 2}, list(ready), budget, cap, policy, reserve)


def plan(decodes, chunks, budget=4):
    used = len(decodes) + sum(chunks.values())
    return {
        "policy": "",
        "max_num_batched_tokens": budget,
        "decode_request_ids": decodes,
        "prefill_chunks": [{"request_id": k, "tokens": n} for k, n in chunks.items()],
        "used_tokens": used,
        "remaining_tokens": budget - used,
    }


def test_the_chapters_balanced_plan_is_right():
    assert fault_of(call(), plan(["d1"], {"p1": 2, "p2": 1})) == ""


@pytest.mark.parametrize(
    ("case", "decodes", "chunks", "words"),
    [
        (call(), ["d1", "d2"], {"p1": 2}, "balanced"),
        (call(), [], {"p1": 2, "p2": 2}, "预留"),
        (call("decode_first", 3), ["d1"], {"p1": 2}, "decode_first"),
        (call("prefill_first", 3), ["d1"], {"p1": 2}, "prefill_first"),
        (call(), ["d1"], {"p1": 2}, "空着 1"),
        (call(), ["d2"], {"p1": 2, "p2": 1}, "顺序"),
        (call(), ["d1"], {"p1": 1, "p2": 2}, "p1"),
        (call(), ["d1", "d2"], {"p1": 2, "p2": 2}, "预算"),
        (call(), ["d1"], {"p1": 3}, "上限"),
    ],
)
def test_each_broken_rule_has_its_own_sentence(case, decodes, chunks, words):
    assert words in fault_of(case, plan(decodes, chunks, case.budget))


@pytest.mark.parametrize("rubbish", [None, 7, [], {"prefill_chunks": 3}, {"decode_request_ids": 1}])
def test_rubbish_is_a_fault_and_still_moves_a_token(rubbish):
    assert fault_of(call(), rubbish)
    assert workable(call(), asked_for(rubbish))["used_tokens"] == 1


names = st.sampled_from(["p1", "p2", "d1", "d2", "x"])


@given(
    decodes=st.lists(names, max_size=5),
    chunks=st.lists(st.tuples(names, st.integers(-2, 30)), max_size=5),
    budget=st.integers(1, 12),
)
def test_whatever_is_planned_the_workable_part_keeps_the_contract(decodes, chunks, budget):
    asked = asked_for(
        {
            "decode_request_ids": decodes,
            "prefill_chunks": [{"request_id": n, "tokens": t} for n, t in chunks],
        }
    )
    case = call(budget=budget)
    done = workable(case, asked)
    given_tokens = {c["request_id"]: c["tokens"] for c in done["prefill_chunks"]}
    assert 1 <= done["used_tokens"] <= budget
    assert done["used_tokens"] == len(done["decode_request_ids"]) + sum(given_tokens.values())
    assert all(0 < t <= min(2, case.suffixes[n]) for n, t in given_tokens.items())
    assert set(done["decode_request_ids"]) <= {"d1", "d2"}


@given(
    suffixes=st.dictionaries(names, st.integers(0, 20), min_size=1, max_size=4),
    ready=st.lists(st.sampled_from(["d1", "d2", "d3"]), unique=True),
    budget=st.integers(1, 12),
    cap=st.integers(1, 8),
    reserve=st.integers(0, 5),
    policy=st.sampled_from(["balanced", "decode_first", "prefill_first"]),
)
def test_a_right_function_never_gets_a_fault(*, suffixes, ready, budget, cap, reserve, policy):
    if not ready and not any(suffixes.values()):
        return
    made = learner.right_plan(suffixes, ready, budget, cap, policy, reserve)
    assert fault_of(PlanCall(suffixes, ready, budget, cap, policy, reserve), made) == ""
