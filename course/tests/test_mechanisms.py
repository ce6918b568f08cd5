"""The mechanism table: every state has its word, and nothing is raised."""

import pytest

from pdsched.mechanisms import MECHANISMS, run_mechanism_tests
from pdsched.tables import Table, width

pytestmark = pytest.mark.core


def right_mix(requests, long_prompt_threshold):
    return {"prefill_heavy": 1, "decode_heavy": 1, "mixed": 1}


def unwritten(*args, **kwargs):
    raise NotImplementedError


def broken(*args, **kwargs):
    raise KeyError("name")


def verdicts(functions):
    return {
        mechanism.name: result.verdict
        for mechanism, result in zip(
            MECHANISMS, run_mechanism_tests(functions).results, strict=True
        )
    }


def test_each_state_of_a_function_has_its_own_word():
    found = verdicts(
        {
            "summarize_request_mix": right_mix,
            "build_chunked_prefill_plan": unwritten,
            "plan_iteration_budget": broken,
            "plan_pd_split": lambda requests, **thresholds: {"prefill_pool": ["a", "b"]},
        }
    )

    assert found == {
        "request_mix": "passed",
        "chunk_plan": "unwritten",
        "budget_policies": "raised",
        "budget_contract": "raised",
        "pool_assignment": "wrong_value",
        "decision": "unavailable",
    }


def test_without_any_function_the_table_still_shows():
    report = run_mechanism_tests({})

    assert report.passed == 0
    assert repr(report).count("没找到") == len(MECHANISMS)


def test_the_table_names_expected_and_got_without_breaking_markdown():
    report = run_mechanism_tests({"plan_pd_split": lambda *a, **k: {"prefill_pool": ["a|b"]}})
    (row,) = [line for line in report._repr_markdown_().splitlines() if "plan_pd_split" in line]

    assert "期望" in row
    assert "a\\|b" in row


def test_text_columns_line_up_with_chinese_and_numbers_flush_right():
    table = Table("", ("名字", "n"), (("中文", "7"), ("ab", "12")), frozenset({1}))
    lines = table.as_text().splitlines()

    assert lines == ["名字   n", "中文   7", "ab    12"]
    assert {width(line) for line in lines} == {8}


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match="2 cells for 1 columns"):
        Table("", ("a",), (("1", "2"),))
