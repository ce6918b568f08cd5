"""Failing examples are drawn where it helps, from the result's own words, and never raise."""

import pytest

from pdsched.feedback import CheckResult
from pdsched.feedback.picture import picture_of, read_call

pytestmark = pytest.mark.core

CALL = "plan_iteration_budget({'p1': 5}, ['d1', 'd2'], 3, 2, policy='decode_first')"
PLAN = "{'decode_request_ids': ['d1', 'd2'], 'prefill_chunks': [{'request_id': 'p1', 'tokens': 2}]}"


def failed(call, got, verdict="wrong_value"):
    return CheckResult("x", verdict, call=call, got=got, detail="计划用了 4 个 token，预算只有 3")


def test_a_calls_source_is_read_back_by_parameter_name():
    name, arguments = read_call(CALL)
    assert name == "plan_iteration_budget"
    assert arguments["max_num_batched_tokens"] == 3
    assert arguments["policy"] == "decode_first"
    for strange in ("f(1)", "plan_pd_split", "plan_pd_split(open('x'))", "(", ""):
        with pytest.raises((ValueError, SyntaxError)):
            read_call(strange)


def test_a_round_over_its_budget_and_chunks_off_their_size_are_drawn():
    over = picture_of(failed(CALL, PLAN))
    assert over.startswith("<svg")
    assert "max_num_batched_tokens = 3" in over
    assert "chunk_size = 2" in picture_of(
        failed("build_chunked_prefill_plan([1, 2, 3], chunk_size=2)", "[[1, 2, 3]]")
    )


@pytest.mark.parametrize(
    ("call", "got"),
    [
        (CALL, "None"),
        (CALL, "{'decode_request_ids': 3}"),
        (CALL, "{'decode_request_ids': [], 'prefill_chunks': [1]}"),
        (CALL, "<object>"),
        (CALL[:40] + " …(+99)", PLAN),
        ("build_chunked_prefill_plan([1], chunk_size=1)", "[1]"),
        ("build_chunked_prefill_plan([1], chunk_size=1)", "[]"),
        ("summarize_request_mix([], 1)", "{}"),
    ],
)
def test_what_cannot_be_drawn_is_left_out(call, got):
    assert picture_of(failed(call, got)) == ""


def test_only_wrong_values_are_drawn():
    assert picture_of(failed(CALL, PLAN, verdict="raised")) == ""
