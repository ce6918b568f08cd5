"""The same bank through the isolated grader: honest answers score as they do in process."""

import runpy
from pathlib import Path

import pytest

from pdgrade import assignment
from pdgrade.assignment import CodeCell
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.limits import Limits
from pdsched.contracts import ASSIGNMENT, contract

BANK = Path(__file__).parent
SOURCE = Path(__file__).parents[3] / "source" / ASSIGNMENT
CORRECT = sorted(BANK.glob("todo*/correct/*.py"))
TODOS = (1, 2, 3, 4, 5)
SEEDS = ("first student", "second student")


@pytest.fixture(scope="module")
def server():
    limits = Limits(call_wall_s=5.0, cell_wall_s=10.0, question_wall_s=60.0)
    with ForkServer(limits=limits) as server:
        yield server


@pytest.fixture(scope="module")
def questions():
    notebooks = assignment.load(SOURCE).notebooks
    return {question.name: question for each in notebooks for question in each.questions}


def lost(record):
    return tuple(test.grade_id for test in record.tests if test.points < test.max_points)


def graded(questions, server, todo, source, seed):
    cells = [CodeCell("solution", source)]
    return grade_question(questions[contract(todo).grade_id], cells, server, seed)


@pytest.mark.parametrize("path", CORRECT, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_right_answer_in_any_style_earns_every_mark(path, questions, server):
    source = path.read_text(encoding="utf-8")
    if "numpy" in source:
        pytest.importorskip("numpy")
    for seed in SEEDS:
        record = graded(questions, server, int(path.parts[-3][-1]), source, seed)
        assert record.status == "graded"
        assert lost(record) == ()


@pytest.mark.parametrize("todo", TODOS)
def test_wrong_answers_lose_the_same_cells_as_in_process(todo, questions, server):
    plain = (BANK / f"todo{todo}" / "correct" / "plain.py").read_text(encoding="utf-8")
    for case in runpy.run_path(str(BANK / f"todo{todo}" / "wrong.py"))["WRONG"]:
        source = plain
        for old, new in case["edits"]:
            source = source.replace(old, new)
        record = graded(questions, server, todo, source, seed=case["name"])
        keeps_state = source.split("def ")[0].strip() != ""
        if keeps_state:  # one worker answers all cells, so earlier calls reach later ones
            assert set(lost(record)) >= set(case["fails"]), case["name"]
        else:
            assert lost(record) == case["fails"], case["name"]
