"""What a hidden property is: seeded cases and a judge that turns one call into a result.

A judge calls the learner's function with copies of a case's arguments, by plain call only, and
returns a `CheckResult`. The function may be a proxy into another process, so arguments and
results are plain JSON values and a property makes at most about sixty calls.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pdsched.messages.rules  # noqa: F401  registers the rules
from pdsched.feedback.expectation import Outcome, call_text, outcome, without_value
from pdsched.feedback.results import CheckResult, Verdict
from pdsched.feedback.values import NotPlain, difference, rebuilt, shown
from pdsched.messages import text

Function = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One call's arguments; keyword arguments by their contract names."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


Judge = Callable[[Function, Case], CheckResult]


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
    """

    grade_id: str
    cases: Callable[[Random], Iterable[Case]]
    judge: Judge
    shrinks: bool = True
    rule: str = ""
    secret_input: bool = True


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
        blank, found = _called(name, function, case)
        blank = replace(blank, expected=shown(expected))
        if found.verdict:
            return without_value(blank, found)
        try:
            got = project(found.value)
        except (TypeError, KeyError, IndexError, AttributeError) as error:
            return _misshapen(blank, error)
        return _compared(replace(blank, got=shown(got)), expected, got)

    return judge


def holds(name: str, relation: Callable[[Case, Any], str]) -> Judge:
    """`relation` between a case and the result finds nothing wrong (returns an empty string)."""

    def judge(function: Function, case: Case) -> CheckResult:
        blank, found = _called(name, function, case)
        if found.verdict:
            return without_value(blank, found)
        try:
            broken = relation(case, found.value)
        except (TypeError, KeyError, IndexError, AttributeError) as error:
            return _misshapen(blank, error)
        return replace(blank, verdict="wrong_value" if broken else "passed", detail=broken)

    return judge


def rejects(name: str, oracle: Function, shape: Callable[[Any], bool]) -> Judge:
    """ValueError exactly where the oracle raises it; elsewhere a result of the right shape."""

    def judge(function: Function, case: Case) -> CheckResult:
        blank, found = _called(name, function, case)
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


def pure(name: str, shape: Callable[[Any], bool]) -> Judge:
    """Called with two cases in turn: arguments untouched, results repeatable and not constant.

    The case holds two argument tuples whose right answers differ in any sensible reading, so a
    function that ignores its input earns nothing here.
    """

    def judge(function: Function, case: Case) -> CheckResult:
        first, second = (Case(args, case.kwargs) for args in case.args)
        blank, found = _called(name, function, first)
        _, other = _called(name, function, second)
        for call, result in ((blank, found), (blank, other)):
            if result.verdict:
                return without_value(call, result)
        arguments = copy.deepcopy(first.args)
        again = outcome(function, arguments, copy.deepcopy(case.kwargs))
        if not _same(first.args, arguments):
            got = text("feedback.arguments_after", arguments=shown(arguments))
            unchanged = text("feedback.arguments_unchanged")
            return replace(blank, verdict="wrong_value", expected=unchanged, got=got)
        if again.verdict or not _same(found.value, again.value):
            detail = text("feedback.second_call")
            return replace(
                blank, verdict="wrong_value", expected=found.got, got=again.got, detail=detail
            )
        if not shape(found.value):
            return replace(blank, verdict="wrong_type")
        if _same(found.value, other.value):
            return replace(blank, verdict="wrong_value", detail=text("hidden.constant"))
        return blank

    return judge


def _called(name: str, function: Function, case: Case) -> tuple[CheckResult, Outcome]:
    """Call with copies; a passed result that already says input and got."""
    found = outcome(function, copy.deepcopy(case.args), copy.deepcopy(case.kwargs))
    call = call_text(name, case.args, case.kwargs)
    return CheckResult(name, "passed", call=call, got=found.got), found


def _compared(blank: CheckResult, expected: object, got: object) -> CheckResult:
    apart = difference(expected, got)
    if apart is None:
        return blank
    verdict: Verdict = "wrong_type" if apart.kind == "type" else "wrong_value"
    return replace(blank, verdict=verdict, detail=apart.detail)


def _misshapen(blank: CheckResult, error: Exception) -> CheckResult:
    detail = text("feedback.shape", error=f"{type(error).__name__}: {error}")
    return replace(blank, verdict="wrong_type", detail=detail)


def _same(one: object, other: object) -> bool:
    try:
        return difference(rebuilt(one), rebuilt(other)) is None
    except NotPlain:
        return False
