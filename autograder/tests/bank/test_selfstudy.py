"""The worked solutions earn every mark, and learners' packages and releases do not hold them."""

import re
from pathlib import Path

import pytest

from pdgrade import assignment
from pdsched.contracts import ASSIGNMENT, CONTRACTS
from pdsched.feedback import solution

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "selfstudy"


def code_of(todo):
    text = (FOLDER / f"todo{todo}.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return block


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.function)
def test_the_worked_solution_earns_every_mark(contract):
    notebooks = assignment.load(ROOT / "source" / ASSIGNMENT).notebooks
    questions = {question.name: question for each in notebooks for question in each.questions}
    namespace = {}
    exec(code_of(contract.todo), namespace)
    for test in questions[contract.grade_id].tests:
        exec(test.source, {contract.function: namespace[contract.function]})


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.function)
def test_each_explains_itself_and_is_found_from_a_checkout(contract, tmp_path, monkeypatch):
    monkeypatch.setenv("PDSCHED_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    shown = solution(contract.todo, give_up=True)
    assert shown.is_available
    for heading in ("### 想法", "### 一种写法", "### 为什么", "### 容易写错"):
        assert heading in shown.words


def test_neither_the_package_nor_the_release_holds_a_worked_solution():
    telling = [
        line.strip()
        for contract in CONTRACTS
        for line in code_of(contract.todo).splitlines()
        if len(line.strip()) > 45 and not line.strip().startswith(("#", "raise", '"'))
    ]
    assert len(telling) > 10
    handed_out = [
        *(ROOT / "course" / "pdsched").rglob("*.py"),
        *(ROOT / "release").rglob("*.ipynb"),
    ]
    for path in handed_out:
        text = path.read_text(encoding="utf-8")
        assert not [line for line in telling if line in text], path.name


def test_concept_answers_are_in_neither():
    """Questions only: the learner's package has no concept text, the release only stubs."""
    for path in (ROOT / "course" / "pdsched").rglob("*.py"):
        assert "concept_" not in path.read_text(encoding="utf-8"), path.name
    for notebook in assignment.load(ROOT / "source" / ASSIGNMENT).notebooks:
        released = ROOT / "release" / ASSIGNMENT / f"{notebook.name}.ipynb"
        cells = {cell.grade_id: cell.source for cell in assignment.read_notebook(released).cells}
        for question in notebook.questions:
            if question.name.startswith("concept_"):
                assert "NotImplementedError" in cells[question.name]
                answer = notebook.cell_of(question.name).source
                (returned,) = re.findall(r"return (.*)", answer)
                assert f"return {returned}" not in cells[question.name]
