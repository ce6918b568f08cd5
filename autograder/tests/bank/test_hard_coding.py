"""A table of everything a learner can see passes what they can see, and earns nothing else."""

import copy
import inspect
from pathlib import Path

import pytest

from pdgrade import assignment
from pdgrade.hidden import todo1, todo2, todo3, todo4, todo5
from pdgrade.regions import visible_part
from pdsched.contracts import ASSIGNMENT, CONTRACTS
from pdsched.feedback import CheckFailure, check, progress_store

SOURCE = Path(__file__).parents[3] / "source" / ASSIGNMENT
ORACLES = {1: todo1.oracle, 2: todo2.oracle, 3: todo3.oracle, 4: todo4.oracle, 5: todo5.oracle}


class Table:
    """First records an oracle's answers, then gives them back; `otherwise` answers the rest."""

    def __init__(self, oracle, otherwise):
        self._signature = inspect.signature(oracle)
        self._oracle = oracle
        self._otherwise = otherwise
        self._answers = {}
        self.is_recording = True
        self.__name__ = "table"

    def __call__(self, *args, **kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        key = repr(list(bound.arguments.items()))
        if self.is_recording:
            try:
                self._answers[key] = self._oracle(*args, **kwargs)
            except ValueError as error:
                self._answers[key] = error
        answer = self._answers.get(key, self._otherwise)
        if isinstance(answer, Exception):
            raise answer
        return copy.deepcopy(answer)


def verdicts(question, function, part=lambda source: source):
    passed = {}
    for test in question.tests:
        try:
            exec(part(test.source), {question.functions[0]: function})
            passed[test.grade_id] = True
        except CheckFailure:
            passed[test.grade_id] = False
    return passed


@pytest.fixture(scope="module")
def questions():
    notebooks = assignment.load(SOURCE).notebooks
    return {question.name: question for each in notebooks for question in each.questions}


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.function)
def test_visible_tests_and_checks_alone_cannot_be_turned_into_marks(
    contract, questions, tmp_path, monkeypatch
):
    monkeypatch.setenv("PDSCHED_HOME", str(tmp_path))
    monkeypatch.setattr(progress_store, "_known", {})
    question = questions[contract.grade_id]
    some_answer = {1: {"mixed": 1}, 2: [[1]], 3: {}, 4: {"shared_pool": []}, 5: {}}[contract.todo]
    for otherwise in (some_answer, ValueError("not seen before")):
        table = Table(ORACLES[contract.todo], otherwise)
        verdicts(question, table, visible_part)
        assert check(contract.todo, table).passed
        table.is_recording = False
        assert all(verdicts(question, table, visible_part).values())
        assert check(contract.todo, table).passed
        assert not any(verdicts(question, table).values())
