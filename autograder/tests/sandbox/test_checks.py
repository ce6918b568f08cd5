"""Grading one question: points, verdicts, and what may be shown afterwards."""

import dataclasses
import time
from pathlib import Path

import pytest
from questions import QUESTION, SECRET, SOLUTION, answer, earned

from pdgrade import assignment
from pdgrade.assignment import TestCell
from pdgrade.checks import grade_question

FULL = {"hidden_any": 2.0, "visible": 1.0, "rejects": 1.0, "pure": 1.0}
SOURCE = Path(__file__).parents[3] / "source" / "prefill-decode-scheduling"


def grade(server, *sources, **options):
    return grade_question(QUESTION, answer(*sources), server, seed=7, **options)


def text_of(record):
    return str(dataclasses.asdict(record))


def test_a_right_answer_earns_everything(server):
    record = grade(server, "import math", SOLUTION)
    assert earned(record) == FULL
    assert record.status == "graded"
    assert record.isolation == str(server.isolation)
    assert {test.verdict for test in record.tests} == {"passed"}


def test_an_unwritten_answer_is_unwritten_everywhere(server):
    record = grade(server, "def double(items):\n    raise NotImplementedError")
    assert sum(earned(record).values()) == 0
    assert {test.verdict for test in record.tests} == {"unwritten"}


def test_a_wrong_answer_shows_input_expected_and_got_of_the_visible_check(server):
    record = grade(server, "def double(items): return items")
    visible = record.tests[1]
    assert (visible.verdict, visible.points) == ("wrong_value", 0.0)
    (check,) = visible.checks
    assert (check.call, check.expected, check.got) == ("double([1, 2])", "[2, 4]", "[1, 2]")


def test_a_broken_hidden_check_shows_neither_input_nor_text(server):
    wrong = "def double(items): return [2 * i if i < 10**6 else str(i) for i in items]"
    record = grade(server, wrong)
    assert record.tests[0].verdict == "wrong_value"
    assert earned(record) == {**FULL, "hidden_any": 0.0, "rejects": 0.0}
    assert str(SECRET)[:6] not in text_of(record)


def test_raising_with_the_hidden_input_in_the_message_leaks_nothing(server):
    wrong = SOLUTION.replace("return", "assert len(items) < 2 or items[0] < 9, items\n    return")
    record = grade(server, wrong)
    assert record.tests[0].verdict == "wrong_value"
    assert str(SECRET)[:6] not in text_of(record)


def test_hidden_inputs_cannot_be_remembered_into_a_visible_result(server):
    # The hidden test cell comes first; its inputs must not reach the visible ones after it.
    wrong = """
        seen = []
        def double(items):
            seen.append(items)
            return list(seen)
    """
    record = grade(server, wrong)
    assert str(SECRET)[:6] not in text_of(record)


def test_a_call_that_ends_the_worker_costs_only_its_test_cell(server):
    source = SOLUTION.replace(
        "if items is None:", "if items is None:\n        import os; os._exit(5)"
    )
    record = grade(server, source)
    assert earned(record) == {**FULL, "rejects": 0.0}
    assert record.tests[2].verdict == "stopped"
    assert (record.status, record.stopped_in, record.reason) == (
        "exited",
        "rejects",
        "exit status 5",
    )


def test_a_cell_that_never_ends_is_named_and_the_question_is_zero(server):
    record = grade(server, "while True: pass", SOLUTION)
    assert sum(earned(record).values()) == 0
    assert (record.status, record.stopped_in) == ("timeout", "cell[1]")
    assert {test.verdict for test in record.tests} == {"stopped"}


def test_a_failing_cell_of_their_own_is_reported_and_harmless(server):
    record = grade(server, "1 / 0", SOLUTION)
    assert earned(record) == FULL
    (error,) = record.cell_errors
    assert error.label == "cell[1]"
    assert error.error.startswith("ZeroDivisionError: division by zero")


def test_changing_the_arguments_fails_the_purity_check_only(server):
    record = grade(
        server,
        """
        def double(items):
            if items is None:
                raise ValueError
            for index in range(len(items)):
                items[index] *= 2
            return items
        """,
    )
    assert earned(record) == {**FULL, "pure": 0.0}


def test_what_the_cells_print_is_kept_and_what_calls_print_is_not(server):
    record = grade(server, "print('from a cell')", SOLUTION + "    \nprint('definition')")
    assert record.output == "from a cell\ndefinition\n"
    noisy = SOLUTION.replace("return", "print(items)\n    return")
    assert grade(server, noisy).output == ""


def test_the_submission_limit_bounds_the_question(server):
    started = time.monotonic()
    record = grade(server, "while True: pass", SOLUTION, wall_s=0.3)
    assert time.monotonic() - started < 1.2
    assert record.status == "timeout"


def test_a_repeatedly_ending_answer_is_given_up(server):
    record = grade(server, "def double(items):\n    import os; os._exit(0)")
    assert sum(earned(record).values()) == 0
    assert {test.verdict for test in record.tests} == {"stopped"}


AHEAD = """
# 提前告知
double.announce([(([n],), {}) for n in (1, 2, 3, 4)])
assert double([1]) == [2]
assert double([2]) == [4]
"""
AFTERWARDS = """
# 之后
assert double([5]) == [10]
assert double([6])[0] == 12
"""


@pytest.mark.parametrize(
    ("body", "points"),
    [
        ("return [2 * n for n in items]", [1.0, 1.0]),
        ("return [2 * n for n in items] if items != [2] else [5]", [0.0, 1.0]),
        ("seen.extend(items); return [2 * items[0]] if 3 not in seen else []", [1.0, 1.0]),
        ("return [2 * n for n in items] if items != [3] else os._exit(1)", [1.0, 1.0]),
    ],
)
def test_calls_that_were_announced_and_not_made_leave_no_trace(server, body, points):
    tests = (TestCell("ahead", 1.0, AHEAD), TestCell("afterwards", 1.0, AFTERWARDS))
    question = dataclasses.replace(QUESTION, tests=tests)
    source = f"import os\nseen = []\ndef double(items):\n    {body}"
    record = grade_question(question, answer(source), server, seed=7)
    assert [test.points for test in record.tests] == points
    assert record.status == "graded"


needs_source = pytest.mark.skipif(not SOURCE.is_dir(), reason="needs source/ beside this folder")


def points_of_everything(server, text):
    """Points of the whole assignment when every cell holds `text` of it."""
    found, course = 0.0, assignment.load(SOURCE)
    for notebook in course.notebooks:
        run = [cell for cell in notebook.cells if cell.kind in ("provided", "solution")]
        cells = [assignment.CodeCell(cell.grade_id or str(cell.index), text(cell)) for cell in run]
        found += sum(grade_question(q, cells, server, seed=1).points for q in notebook.questions)
    return found, course.max_points


@needs_source
def test_the_reference_solutions_earn_every_point(server):
    points, most = points_of_everything(server, lambda cell: cell.source)
    assert points == most


@needs_source
def test_the_released_stubs_earn_none(server):
    points, _ = points_of_everything(server, lambda cell: cell.stub)
    assert points == 0.0
