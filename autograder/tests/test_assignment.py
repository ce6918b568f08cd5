"""Reading the instructor's notebooks: kinds of cells, questions, what was released."""

import json

import pytest

from pdgrade import assignment
from pdgrade.assignment import AssignmentError

SOLUTION = "def f(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION"
TEST = (
    "# f 返回 1\nassert f(1) == 1\n### BEGIN HIDDEN TESTS\nassert f(2) == 2\n### END HIDDEN TESTS"
)


def cell(source, *, kind="code", tags=(), **nbgrader):
    metadata = {"tags": list(tags)} | ({"nbgrader": nbgrader} if nbgrader else {})
    return {"cell_type": kind, "id": "c", "metadata": metadata, "source": source}


def write(folder, name, *cells):
    folder.mkdir(exist_ok=True)
    document = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    (folder / f"{name}.ipynb").write_text(json.dumps(document), encoding="utf-8")


def solution(source, grade_id):
    return cell(source, grade_id=grade_id, solution=True, grade=False)


def graded(source, grade_id, points=2):
    return cell(source, grade_id=grade_id, solution=False, grade=True, points=points)


def test_cells_are_sorted_into_their_kinds(tmp_path):
    write(
        tmp_path / "hw",
        "a",
        cell("text", kind="markdown"),
        cell("import math"),
        cell("panels.show()", tags=["panel"]),
        solution(SOLUTION, "q_f"),
        graded(TEST, "q_one"),
    )
    loaded = assignment.load(tmp_path / "hw")
    kinds = [c.kind for c in loaded.notebooks[0].cells]
    assert kinds == ["text", "provided", "aside", "solution", "test"]
    assert loaded.max_points == 2
    assert loaded.notebooks[0].questions[0].tests[0].title == "f 返回 1"


def test_a_test_belongs_to_the_question_it_calls_even_if_another_stands_between(tmp_path):
    other = SOLUTION.replace("def f", "def g")
    cells = solution(SOLUTION, "q_f"), solution(other, "q_g"), graded(TEST, "q_one")
    write(tmp_path / "hw", "a", *cells)
    (question,) = assignment.load(tmp_path / "hw").notebooks[0].questions
    assert (question.name, question.functions) == ("q_f", ("f",))


def test_the_stub_holds_neither_solution_nor_hidden_tests():
    assert assignment.without_regions(SOLUTION) == "def f(x):\n    raise NotImplementedError"
    assert assignment.without_regions(TEST) == "# f 返回 1\nassert f(1) == 1"


def test_the_fingerprint_follows_the_tests(tmp_path):
    write(tmp_path / "hw", "a", solution(SOLUTION, "q_f"), graded(TEST, "q_one"))
    first = assignment.load(tmp_path / "hw").fingerprint
    write(tmp_path / "hw", "a", solution(SOLUTION, "q_f"), graded(TEST + "\n", "q_one"))
    assert assignment.load(tmp_path / "hw").fingerprint != first


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([cell("x")], "no notebook with graded cells"),
        ([graded("f()", "t")], "belongs to no question"),
        ([solution(SOLUTION, "q"), solution(SOLUTION, "q")], "'q' is used twice"),
        ([{"cell_type": "code"}], "not a readable notebook"),
    ],
)
def test_notebooks_that_cannot_be_graded_are_named(tmp_path, cells, message):
    write(tmp_path / "hw", "a", *cells)
    with pytest.raises(AssignmentError, match=message):
        assignment.load(tmp_path / "hw")
