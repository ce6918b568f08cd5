"""The learner's relations, which carry no solution, still accept exactly the right answers.

For each, hypothesis looks for an input where the oracle's answer is refused, or where an answer
that differs from the oracle's is accepted.
"""

import copy
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pdgrade.hidden import todo2, todo3
from pdsched.feedback import relations
from pdsched.feedback.judging import Case

LENGTHS = st.lists(st.integers(0, 7), max_size=4)
quick = settings(max_examples=200, deadline=None, derandomize=True, database=None)


@st.composite
def rounds(draw):
    lengths = draw(LENGTHS)
    prefill = {f"p{index}": length for index, length in enumerate(lengths)}
    decodes = [f"d{index}" for index in range(draw(st.integers(0, 4)))]
    budget, cap = draw(st.integers(1, 12)), draw(st.integers(1, 6))
    named = {
        "policy": draw(st.sampled_from(relations.POLICIES)),
        "decode_reserve_tokens": draw(st.integers(0, 5)),
    }
    return Case((prefill, decodes, budget, cap), named)


def is_accepted(case, plan):
    checks = (relations.follows_policy, relations.ledger_adds_up, relations.nothing_idle)
    return not any(check(case, plan) for check in checks)


@quick
@given(rounds())
def test_the_right_plan_is_accepted(case):
    assert is_accepted(case, todo3.oracle(*case.args, **case.kwargs))


@st.composite
def other_plans(draw):
    """A round and a plan for it that looks legal: known ids in order, sizes within limits."""
    case = draw(rounds())
    prefill, decodes, budget, cap = case.args
    chunks, left = [], budget
    count = draw(st.integers(0, min(len(decodes), budget)))
    left -= count
    for name, length in prefill.items():
        tokens = draw(st.integers(0, min(length, cap, left)))
        left -= tokens
        if tokens:
            chunks.append({"request_id": name, "tokens": tokens})
    plan = {
        "decode_request_ids": decodes[:count],
        "prefill_chunks": chunks,
        "used_tokens": budget - left,
        "remaining_tokens": left,
    }
    return case, plan


@quick
@given(other_plans())
def test_every_other_legal_looking_plan_is_refused(drawn):
    case, plan = drawn
    right = todo3.oracle(*case.args, **case.kwargs)
    assume(any(plan[key] != right[key] for key in plan))
    assert not is_accepted(case, plan)


@quick
@given(rounds(), st.data())
def test_a_damaged_plan_is_refused(case, data):
    plan = todo3.oracle(*case.args, **case.kwargs)
    damaged = copy.deepcopy(plan)
    field = data.draw(st.sampled_from(["used_tokens", "remaining_tokens"]))
    damaged[field] += data.draw(st.sampled_from([-1, 1]))
    assert not is_accepted(case, damaged)


@quick
@given(st.lists(st.integers(0, 3), max_size=9), st.integers(1, 10), st.data())
def test_chunks_are_accepted_exactly_when_they_are_the_right_ones(suffix, size, data):
    case, right = Case((suffix,), {"chunk_size": size}), todo2.oracle(suffix, size)
    assert relations.chunks_rebuild_the_suffix(case, right) is None
    cuts = sorted(data.draw(st.sets(st.integers(0, len(suffix)))))
    edges = [0, *cuts, len(suffix)]
    other = [suffix[a:b] for a, b in pairwise(edges)]
    if other != right:
        assert relations.chunks_rebuild_the_suffix(case, other) is not None
