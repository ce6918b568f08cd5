"""Judge one call: exact comparison, a relation that must hold, purity.

A judge calls a function with copies of a case's arguments, by plain call only, and returns a
`CheckResult`; it never raises for what the function does. The function may be a proxy into another
process, so arguments and results are plain JSON values.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pdsched.messages.relations  # noqa: F401  registers the sentences
from pdsched.feedback.calling import Outcome, call_text, outcome
from pdsched.feedback.expectation import without_value
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
class Broken:
    """What a relation found wrong: the requirement with its numbers, and how it is violated."""

    expected: str
    detail: str


def broken(key: str, /, **fields: object) -> Broken:
    """The sentences of one way to break a relation, from the catalog of relations."""
    expected = text(f"relations.{key}.expected", **fields)
    return Broken(expected, text(f"relations.{key}", **fields))


def holds(name: str, relation: Callable[[Case, Any], Broken | None]) -> Judge:
    """`relation` between a case and the result finds nothing wrong."""

    def judge(function: Function, case: Case) -> CheckResult:
        blank, found = called(name, function, case)
        if found.verdict:
            return without_value(blank, found)
        try:
            wrong = relation(case, found.value)
        except (TypeError, LookupError, AttributeError, OverflowError) as error:
            return misshapen(blank, error)
        if wrong is None:
            return blank
        return replace(blank, verdict="wrong_value", expected=wrong.expected, detail=wrong.detail)

    return judge


def pure(name: str, shape: Callable[[Any], bool]) -> Judge:
    """Called with two cases in turn: arguments untouched, results repeatable and not constant.

    The case holds two argument tuples whose right answers differ in any sensible reading, so a
    function that ignores its input earns nothing here.
    """

    def judge(function: Function, case: Case) -> CheckResult:
        first, second = (Case(args, case.kwargs) for args in case.args)
        blank, found = called(name, function, first)
        _, other = called(name, function, second)
        for call, result in ((blank, found), (blank, other)):
            if result.verdict:
                return without_value(call, result)
        arguments = copy.deepcopy(first.args)
        again = outcome(function, arguments, copy.deepcopy(case.kwargs))
        if not same(first.args, arguments):
            got = text("feedback.arguments_after", arguments=shown(arguments))
            unchanged = text("feedback.arguments_unchanged")
            return replace(blank, verdict="wrong_value", expected=unchanged, got=got)
        if again.verdict or not same(found.value, again.value):
            detail = text("feedback.second_call")
            return replace(
                blank, verdict="wrong_value", expected=found.got, got=again.got, detail=detail
            )
        if not shape(found.value):
            return replace(blank, verdict="wrong_type")
        if same(found.value, other.value):
            return replace(blank, verdict="wrong_value", detail=text("feedback.constant"))
        return blank

    return judge


def called(name: str, function: Function, case: Case) -> tuple[CheckResult, Outcome]:
    """Call with copies; a passed result that already says input and got."""
    found = outcome(function, copy.deepcopy(case.args), copy.deepcopy(case.kwargs))
    call = call_text(name, case.args, case.kwargs)
    return CheckResult(name, "passed", call=call, got=found.got), found


def compared(blank: CheckResult, expected: object, got: object) -> CheckResult:
    """`blank` with the verdict of comparing two rebuilt values."""
    apart = difference(expected, got)
    if apart is None:
        return blank
    verdict: Verdict = "wrong_type" if apart.kind == "type" else "wrong_value"
    return replace(blank, verdict=verdict, detail=apart.detail)


def misshapen(blank: CheckResult, error: Exception) -> CheckResult:
    """A result whose structure could not be read as the contract's."""
    detail = text("feedback.shape", error=f"{type(error).__name__}: {error}")
    return replace(blank, verdict="wrong_type", detail=detail)


def same(one: object, other: object) -> bool:
    """Whether two values are equal once rebuilt."""
    try:
        return difference(rebuilt(one), rebuilt(other)) is None
    except NotPlain:
        return False
