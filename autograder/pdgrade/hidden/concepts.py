"""Concept questions: the answers, which exist only here and in the instructor's notebooks.

The learner's package and the released notebooks hold the questions and the legal forms of an
answer; a failure names the section to read again and never the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from pdgrade.hidden.properties import Case, Function, Judge, Property
from pdsched.feedback.expectation import outcome, without_value
from pdsched.feedback.results import CheckResult
from pdsched.feedback.values import close
from pdsched.messages import text

ANSWERS: Final[dict[str, str | float]] = {
    "concept_1a": "B",
    "concept_1b": "C",
    "concept_2a": "A",
    "concept_2b": "B",
    "concept_2c": "C",
    "concept_3a": "B",
    "concept_3b": "D",
    "concept_4a": "C",
    "concept_4b": "A",
}


def is_right(given: object, answer: str | float) -> bool:
    """Letters count in either case and with spaces around; numbers within 1e-9."""
    if isinstance(answer, str):
        return type(given) is str and given.strip().upper() == answer
    return type(given) in (int, float) and close(answer, float(str(given)))


def judge(name: str, answer: str | float) -> Judge:
    """Compare the answer; neither it nor what would be right is shown."""

    def judged(function: Function, _case: Case) -> CheckResult:
        found = outcome(function, ())
        blank = CheckResult(name, "passed", call=f"{name}()", got=found.got)
        if found.verdict:
            return without_value(blank, found)
        if is_right(found.value, answer):
            return blank
        hint = text("hidden.read_again")
        return CheckResult(name, "wrong_value", call=blank.call, got=found.got, hint=hint)

    return judged


def _the_question(_rng: Random) -> Iterator[Case]:
    yield Case(())


PROPERTIES: Final = tuple(
    Property(
        f"{name}_answer",
        _the_question,
        judge(name, answer),
        shrinks=False,
        rule="hidden.concept",
        secret_input=False,
    )
    for name, answer in ANSWERS.items()
)
