"""What a hidden property is: seeded cases and the judge of one case.

A property makes at most about sixty calls; boundaries come first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pdsched.messages.rules  # noqa: F401  registers the rules
from pdsched.feedback.expectation import without_value
from pdsched.feedback.judging import (
    Case,
    Function,
    Judge,
    called,
    compared,
    holds,
    misshapen,
    pure,
)
from pdsched.feedback.results import CheckResult
from pdsched.feedback.values import shown
from pdsched.messages import text

__all__ = [
    "Case",
    "Function",
    "Judge",
    "Property",
    "calls_of_pure",
    "exact",
    "holds",
    "pure",
    "rejects",
    "same_as",
]


@dataclass(frozen=True)
class Property:
    """One graded property.

    Attributes:
        grade_id: of the test cell that calls it.
        cases: the cases of one seed, boundaries first.
        judge: what one case must satisfy.
        shrinks: whether a failing example may be made smaller.
        rule: message key of its rule; empty means ``rules.<grade_id>``.
        secret_input: False where the only input is no secret and may be shown itself.
        calls: the calls that judging one case makes of a right function, in order. They are told
            to a proxy ahead; other calls are only slower.
    """

    grade_id: str
    cases: Callable[[Random], Iterable[Case]]
    judge: Judge
    shrinks: bool = True
    rule: str = ""
    secret_input: bool = True
    calls: Callable[[Case], Sequence[Case]] = lambda case: (case,)


def exact(
    name: str, oracle: Function, project: Callable[[Any], Any] = lambda result: result
) -> Judge:
    """The result, or what `project` takes from it, equals the oracle's.

    A case the oracle itself rejects is no counterexample, so that shrinking stays inside the
    contract.
    """

    def judge(function: Function, case: Case) -> CheckResult:
        try:
            expected = project(oracle(*case.args, **case.kwargs))
        except (ValueError, TypeError):
            return CheckResult(name, "passed")
        blank, found = called(name, function, case)
        blank = replace(blank, expected=shown(expected))
        if found.verdict:
            return without_value(blank, found)
        try:
            got = project(found.value)
        except (TypeError, LookupError, AttributeError, OverflowError) as error:
            return misshapen(blank, error)
        return compared(replace(blank, got=shown(got)), expected, got)

    return judge


def same_as(name: str, other: Callable[[Case], Case]) -> Judge:
    """The result equals that of the case `other` makes of it, whatever both are."""

    def judge(function: Function, case: Case) -> CheckResult:
        _, reference = called(name, function, other(case))
        blank, found = called(name, function, case)
        blank = replace(blank, expected=reference.got)
        for result in (found, reference):
            if result.verdict:
                return without_value(blank, result)
        return compared(blank, reference.value, found.value)

    return judge


def calls_of_pure(case: Case) -> Sequence[Case]:
    """What the judge `pure` calls: the first arguments, the second, the first again."""
    first, second = (Case(args, case.kwargs) for args in case.args)
    return first, second, first


def rejects(name: str, oracle: Function, shape: Callable[[Any], bool]) -> Judge:
    """ValueError exactly where the oracle raises it; elsewhere a result of the right shape."""

    def judge(function: Function, case: Case) -> CheckResult:
        blank, found = called(name, function, case)
        try:
            oracle(*case.args, **case.kwargs)
        except ValueError:
            blank = replace(blank, expected=text("feedback.raises", kind="ValueError"))
            if isinstance(found.error, ValueError):
                return blank
            if found.verdict in (None, "wrong_type"):
                return replace(blank, verdict="wrong_value")
            return without_value(blank, found)
        blank = replace(blank, expected=text("hidden.no_exception"))
        if found.verdict:
            return without_value(blank, found)
        return replace(blank, verdict="passed" if shape(found.value) else "wrong_type")

    return judge
