"""``expect(function, *args).returns(value)``: the visible tests of the notebooks.

Each call runs once, is judged on rebuilt builtin values, is kept in every open `recording`, and
raises `CheckFailure` unless it passed.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from pdsched.feedback.calling import Outcome, call_text, error_text, name_of, outcome
from pdsched.feedback.results import CheckFailure, CheckResult, Verdict
from pdsched.feedback.values import NotPlain, difference, rebuilt, shown
from pdsched.messages import text

_recordings: ContextVar[tuple[list[CheckResult], ...]] = ContextVar("recordings", default=())


@contextmanager
def recording() -> Iterator[list[CheckResult]]:
    """Collect every result made inside, passed ones too; recordings nest."""
    results: list[CheckResult] = []
    token = _recordings.set((*_recordings.get(), results))
    try:
        yield results
    finally:
        _recordings.reset(token)


def report(result: CheckResult) -> None:
    """Keep `result` in the open recordings; raise unless it passed.

    Raises:
        CheckFailure: the verdict is not ``passed``.
    """
    for results in _recordings.get():
        results.append(result)
    if not result.passed:
        raise CheckFailure(result)


class Expectation:
    """One call and what is expected of it; made by `expect`."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._function = function
        self._args = args
        self._kwargs = kwargs
        # Written down before the call: the function may change its arguments.
        self._blank = CheckResult(
            name=name_of(function),
            verdict="passed",
            call=call_text(name_of(function), args, kwargs),
        )

    def returns(self, value: object, rule: str = "") -> None:
        """The call returns exactly `value` (floats within 1e-9).

        Raises:
            CheckFailure: it does not.
        """
        found = self._call()
        blank = replace(self._blank, rule=rule, expected=shown(value), got=found.got)
        if found.verdict:
            report(without_value(blank, found))
            return
        apart = difference(value, found.value)
        verdict: Verdict = "passed"
        if apart:
            verdict = "wrong_type" if apart.kind == "type" else "wrong_value"
        report(replace(blank, verdict=verdict, detail=apart.detail if apart else ""))

    def includes(self, fields: dict[str, Any], rule: str = "") -> None:
        """The result is a dict whose `fields` have these values; its other fields do not matter.

        So a test of one rule does not also fail for another field.

        Raises:
            CheckFailure: a field is missing or has another value.
        """
        found = self._call()
        blank = replace(self._blank, rule=rule, expected=shown(fields), got=found.got)
        if found.verdict:
            report(without_value(blank, found))
            return
        got = found.value
        if type(got) is dict:
            got = {key: got[key] for key in fields if key in got}
        apart = difference(fields, got)
        verdict: Verdict = "passed"
        if apart:
            verdict = "wrong_type" if apart.kind == "type" else "wrong_value"
        report(replace(blank, verdict=verdict, detail=apart.detail if apart else ""))

    def raises(self, kind: type[BaseException], rule: str = "") -> None:
        """The call raises `kind` or a subclass of it.

        Raises:
            CheckFailure: it returns, raises something else, or is not written yet.
        """
        found = self._call()
        expected = text("feedback.raises", kind=kind.__name__)
        blank = replace(self._blank, rule=rule, expected=expected, got=found.got)
        if found.error is not None and isinstance(found.error, kind):
            report(blank)
        elif found.verdict in (None, "wrong_type"):
            report(replace(blank, verdict="wrong_value"))
        else:
            report(without_value(blank, found))

    def satisfies(self, predicate: Callable[[Any], bool], rule: str) -> None:
        """The (rebuilt) result satisfies `predicate`; `rule` says it in words.

        Raises:
            CheckFailure: it does not.
        """
        found = self._call()
        blank = replace(self._blank, rule=rule, got=found.got)
        if found.verdict:
            report(without_value(blank, found))
            return
        try:
            kept = predicate(found.value) is True
        except (TypeError, LookupError, AttributeError, ValueError, OverflowError) as error:
            detail = text("feedback.shape", error=error_text(error))
            report(replace(blank, verdict="wrong_type", detail=detail))
            return
        report(replace(blank, verdict="passed" if kept else "wrong_value"))

    def is_pure(self, rule: str = "") -> None:
        """The call leaves its arguments as they were, and gives the same result again.

        Raises:
            CheckFailure: an argument changed, or the second result differs.
        """
        blank = replace(self._blank, rule=rule or text("feedback.rule.pure"))
        before = copy.deepcopy((self._args, self._kwargs))
        first = self._call()
        if first.verdict:
            report(without_value(replace(blank, got=first.got), first))
            return
        report_purity(blank, before, (self._args, self._kwargs))
        again = outcome(self._function, *before)
        same = again.verdict is None and difference(first.value, again.value) is None
        again_blank = replace(blank, expected=first.got, got=again.got)
        detail = "" if same else text("feedback.second_call")
        report(replace(again_blank, verdict="passed" if same else "wrong_value", detail=detail))

    def _call(self) -> Outcome:
        return outcome(self._function, self._args, self._kwargs)


def report_purity(blank: CheckResult, before: object, after: object) -> None:
    """Raise when the arguments after a call differ from a copy made before it.

    Raises:
        CheckFailure: they differ.
    """
    try:
        apart = difference(rebuilt(before), rebuilt(after))
    except NotPlain:
        apart = difference("", None)
    if apart:
        got = text("feedback.arguments_after", arguments=shown(after))
        unchanged = text("feedback.arguments_unchanged")
        report(replace(blank, verdict="wrong_value", expected=unchanged, got=got))


def without_value(blank: CheckResult, found: Outcome) -> CheckResult:
    """The result of a call that gave nothing to judge."""
    verdict = found.verdict or "passed"
    hint = text(f"feedback.next.{verdict}")
    return replace(blank, verdict=verdict, got=found.got, detail=found.detail, hint=hint)


def expect(function: Any, /, *args: Any, **kwargs: Any) -> Expectation:
    """Expect something of ``function(*args, **kwargs)``; the call happens in the next method."""
    return Expectation(function, args, kwargs)
