"""Concept questions: the answers, which exist only here and in the instructor's notebooks.

The learner's package and the released notebooks hold the questions and the legal forms of an
answer; a failure names the section to read again and never the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from pdgrade.hidden.properties import Case, Function, Judge, Property
from pdsched.feedback.calling import outcome
from pdsched.feedback.expectation import without_value
from pdsched.feedback.results import CheckResult
from pdsched.feedback.values import close
from pdsched.messages import text

ANSWERS: Final[dict[str, str | float]] = {
    "concept_1a": "C",  # long/long, then short/short: mixed both times
    "concept_1b": 96.0,  # MiB: (256 + 512) tokens of 128 KiB
    "concept_2a": 4,  # 1,600 tokens miss the cache: 512 + 512 + 512 + 64
    "concept_2b": "A",
    "concept_2c": 1,  # 8 - (1 reserved + 4 of p1 + 2 more decodes)
    "concept_3a": 4096 * 131_072 / 50e9 * 1000,  # ms
    "concept_3b": 2,  # only the two requests of prefill_pool change workers
    "concept_4a": 2,  # P and R: equal P95 and equal handoff are good enough
    "concept_4b": "D",
}
#: The question says so: read off by hand, within two per cent.
RELATIVE_TOLERANCE: Final = {"concept_3a": 0.02, "concept_1b": 0.005}


def is_right(given: object, answer: str | float, tolerance: float = 0.0) -> bool:
    """Letters count in either case and with spaces around; numbers within 1e-9 or `tolerance`."""
    if isinstance(answer, str):
        return type(given) is str and given.strip().upper() == answer
    if not isinstance(given, int | float) or type(given) not in (int, float):
        return False
    off = tolerance * abs(answer)  # comparing, unlike computing, takes integers of any size
    return close(answer, given) or answer - off <= given <= answer + off


def judge(name: str, answer: str | float) -> Judge:
    """Compare the answer; neither it nor what would be right is shown."""

    def judged(function: Function, _case: Case) -> CheckResult:
        found = outcome(function, ())
        blank = CheckResult(name, "passed", call=f"{name}()", got=found.got)
        if found.verdict:
            return without_value(blank, found)
        if is_right(found.value, answer, RELATIVE_TOLERANCE.get(name, 0.0)):
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
