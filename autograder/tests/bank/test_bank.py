"""Wheats and chaffs: right answers in many styles keep every mark, typical wrong ones lose theirs.

``todoN/correct/`` holds alternative right answers; ``todoN/wrong.py`` describes wrong ones as edits
of the plain one. All of them go through the real test cells of ``source/``.
"""

import runpy
from pathlib import Path

import pytest

from pdgrade import assignment
from pdgrade.hidden import PROPERTIES, keeps
from pdsched.contracts import ASSIGNMENT, CONTRACTS, contract
from pdsched.feedback import CheckFailure, check, progress_store

BANK = Path(__file__).parent
SOURCE = Path(__file__).parents[3] / "source" / ASSIGNMENT
CORRECT = sorted(BANK.glob("todo*/correct/*.py"))
WRONG = [
    pytest.param(todo, case, id=f"todo{todo}-{case['name']}")
    for todo in (each.todo for each in CONTRACTS)
    for case in runpy.run_path(str(BANK / f"todo{todo}" / "wrong.py"))["WRONG"]
]


@pytest.fixture(autouse=True)
def _own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("PDSCHED_HOME", str(tmp_path))
    monkeypatch.setattr(progress_store, "_known", {})


@pytest.fixture(scope="module")
def questions():
    """The course's questions by the name of their solution cell."""
    notebooks = assignment.load(SOURCE).notebooks
    return {question.name: question for each in notebooks for question in each.questions}


def function_of(source, todo):
    namespace = {"__name__": f"bank_todo{todo}"}
    exec(compile(source, f"<todo{todo}>", "exec"), namespace)
    return namespace[contract(todo).function]


def wrong_source(todo, case):
    source = (BANK / f"todo{todo}" / "correct" / "plain.py").read_text(encoding="utf-8")
    for old, new in case["edits"]:
        assert old in source, f"{case['name']}: {old!r} is not in the plain solution"
        source = source.replace(old, new)
    return source


def lost_cells(question, make_function, part=lambda source: source):
    """The test cells that fail, each run with a function of its own."""
    lost = []
    for test in question.tests:
        try:
            exec(part(test.source), {question.functions[0]: make_function()})
        except CheckFailure:
            lost.append(test.grade_id)
    return tuple(lost)


def test_the_bank_is_large_enough():
    for each in CONTRACTS:
        assert sum(path.parts[-3] == f"todo{each.todo}" for path in CORRECT) >= 8
        assert sum(case.values[0] == each.todo for case in WRONG) >= 12


@pytest.mark.parametrize("path", CORRECT, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_right_answer_in_any_style_earns_every_mark(path, questions):
    todo = int(path.parts[-3][-1])
    source = path.read_text(encoding="utf-8")
    if "numpy" in source:
        pytest.importorskip("numpy")
    question = questions[contract(todo).grade_id]
    assert lost_cells(question, lambda: function_of(source, todo)) == ()
    assert check(todo, function_of(source, todo)).passed


@pytest.mark.parametrize(("todo", "case"), WRONG)
def test_a_wrong_answer_loses_exactly_what_it_misread(todo, case, questions):
    source = wrong_source(todo, case)
    question = questions[contract(todo).grade_id]
    lost = lost_cells(question, lambda: function_of(source, todo))
    assert lost == case["fails"]
    assert sum(test.points for test in question.tests if test.grade_id not in lost) == case["score"]


@pytest.mark.parametrize(("todo", "case"), WRONG)
def test_the_marks_do_not_depend_on_the_seed(todo, case):
    """Each submission has its own seed; two learners with the same mistake get the same marks."""
    source = wrong_source(todo, case)
    noticed = {
        tuple(
            grade_id
            for grade_id in PROPERTIES
            if grade_id.startswith(f"todo{todo}_")
            and not keeps(grade_id, function_of(source, todo), seed)
        )
        for seed in range(4)
    }
    assert len(noticed) == 1


@pytest.mark.parametrize(("todo", "case"), WRONG)
def test_a_wrong_answer_is_told_what_is_wrong_on_the_smallest_input(todo, case):
    source = wrong_source(todo, case)
    failure = check(todo, function_of(source, todo)).first_failure
    assert (failure.verdict, failure.call) == (case["verdict"], case["shows"])
    assert failure.rule
    assert failure.got
