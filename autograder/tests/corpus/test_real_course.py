"""The same on the real four notebooks: all points for the reference, in any file, none for a stub."""

import json

import pytest

from pdgrade import assignment
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.grading.settings import GradingSettings
from pdgrade.grading.single import grade_submission

MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


@pytest.fixture(scope="module")
def course(request):
    root = request.config.rootpath / "source" / "prefill-decode-scheduling"
    return assignment.load(root)


@pytest.fixture(scope="module")
def server():
    with ForkServer() as running:
        yield running


def documents(course, solved=True):
    """The four notebooks as a learner hands them in: name to JSON."""
    handed = {}
    for notebook in course.notebooks:
        cells = []
        for released, cell in zip(notebook.cells, notebook.document["cells"], strict=True):
            keep = solved and released.kind == "solution"
            lines = released.source.split("\n") if keep else released.stub.split("\n")
            text = "\n".join(line for line in lines if line.strip() not in MARKS)
            cells.append({**cell, "source": text, "metadata": dict(cell["metadata"])})
        handed[notebook.name] = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    return handed


def no_metadata(handed):
    for document in handed.values():
        for cell in document["cells"]:
            cell["metadata"] = {}
            cell.pop("id", None)


def one_file(handed):
    cells = [cell for document in handed.values() for cell in document["cells"]]
    first = next(iter(handed.values()))
    handed.clear()
    handed["作业"] = first | {"cells": cells}


def no_tests(handed):
    for document in handed.values():
        cells = document["cells"]
        document["cells"] = [c for c in cells if not c["metadata"].get("nbgrader", {}).get("grade")]


def odd_names(handed):
    for name in list(handed):
        handed[f"张三 {name} (1)"] = handed.pop(name)


CHANGES = {
    "as it is": lambda handed: None,
    "no metadata": no_metadata,
    "one file": one_file,
    "no tests": no_tests,
    "odd names": odd_names,
}


def grade(course, handed, server, folder):
    folder.mkdir()
    for name, document in handed.items():
        text = json.dumps(document, ensure_ascii=False)
        (folder / f"{name}.ipynb").write_text(text, encoding="utf-8")

    def question(asked, cells, seed, left_s):
        return grade_question(asked, cells, server, seed, wall_s=left_s)

    return grade_submission(course, folder, "amy", question, GradingSettings()).record


@pytest.mark.parametrize("change", CHANGES)
def test_the_reference_earns_all_44_points(course, server, tmp_path, change):
    handed = documents(course)
    CHANGES[change](handed)
    record = grade(course, handed, server, tmp_path / "amy")
    lost = [(q.name, q.status, q.cell_errors) for q in record.questions if q.points != q.max_points]
    assert (record.points, record.max_points, lost) == (44, 44, [])
    assert record.status == "graded"


def test_the_released_notebooks_earn_nothing(course, server, tmp_path):
    record = grade(course, documents(course, solved=False), server, tmp_path / "amy")
    assert (record.points, record.status) == (0, "graded")
    assert {test.verdict for q in record.questions for test in q.tests} == {"unwritten"}


@pytest.mark.parametrize("end", ["import math\nwhile True: pass", "import os; os._exit(0)"])
def test_an_answer_that_does_not_end_costs_its_own_points_only(course, server, tmp_path, end):
    handed = documents(course)
    cells = {
        c["metadata"].get("nbgrader", {}).get("grade_id"): c
        for document in handed.values()
        for c in document["cells"]
    }
    for name, first in [
        ("todo2_build_chunked_prefill_plan", end),
        ("todo3_plan_iteration_budget", "import math, os"),
    ]:
        cells[name]["source"] = f"{first}\n{cells[name]['source']}"
    record = grade(course, handed, server, tmp_path / "amy")
    stopped = [(q.name, q.max_points) for q in record.questions if q.status != "graded"]
    assert stopped == [("todo2_build_chunked_prefill_plan", 5)]
    assert (record.points, record.status) == (39, "partial")
