"""``check(3)``: run the public checks of a TODO on the learner's current function."""

from __future__ import annotations

import builtins
import contextlib
import io
from collections.abc import Iterator
from typing import Any, Final

from pdsched.contracts import Contract, contract
from pdsched.feedback import progress_store
from pdsched.feedback.calling import LIMIT_S, call_text, line_of
from pdsched.feedback.display import CheckReport
from pdsched.feedback.expectation import without_value
from pdsched.feedback.judging import Function, called
from pdsched.feedback.public_checks import PublicCheck, public_checks
from pdsched.feedback.results import CheckResult
from pdsched.learner import current
from pdsched.messages import text
from pdsched.time_limit import HungError, run_limited

KEPT_CHARACTERS: Final = 4_000


def check(todo: int | str, function: Function | None = None) -> CheckReport:
    """Check a TODO and show the smallest failing input, what was expected, and the rule.

    Args:
        todo: its number, 1 to 5, or the function's name.
        function: what to check; None takes the notebook's current definition.

    Raises:
        ValueError: there is no such TODO.
    """
    wanted = contract(todo)
    chosen = function if function is not None else current(wanted.function)
    checks = public_checks(wanted.todo)
    with _quiet() as printed:
        try:
            results = run_limited(lambda: _results(wanted, chosen, checks), LIMIT_S)
        except HungError as error:
            got = text("feedback.no_end", seconds=LIMIT_S)
            results = (_endless(wanted, chosen, error.__cause__, got),)
        except KeyboardInterrupt as interrupt:
            results = (_endless(wanted, chosen, interrupt, text("feedback.interrupted")),)
    passed = sum(result.passed for result in results)
    if results[0].name == wanted.function and results[0].verdict == "unavailable":
        known = progress_store.read()  # not defined after a restart: what was reached still stands
    else:
        known = progress_store.record_check(wanted.todo, _state(results), passed, len(checks))
    return CheckReport(wanted, results, known, _first_lines(printed.getvalue()))


def _results(
    wanted: Contract, function: Any, checks: tuple[PublicCheck, ...]
) -> tuple[CheckResult, ...]:
    """One result per rule, or a single one when there is nothing to check yet."""
    if not callable(function):
        hint = text("feedback.next.unavailable")
        return (CheckResult(wanted.function, "unavailable", hint=hint),)
    probe, found = called(wanted.function, function, checks[0].examples[0][0])
    if found.verdict in ("unwritten", "unavailable"):
        return (without_value(probe, found),)
    return tuple(each.run(function) for each in checks)


def _endless(
    wanted: Contract, function: Any, stopped: BaseException | None, got: str
) -> CheckResult:
    """The call that did not end, and the line it was in, as far as is known.

    Args:
        wanted: the TODO.
        function: what the learner wrote.
        stopped: what was raised in it: by the learner, who stopped the kernel, or by our limit.
        got: what to say of it.
    """
    call, trace = "", None if stopped is None else stopped.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code is called.__code__:
            case = trace.tb_frame.f_locals["case"]
            call = call_text(wanted.function, case.args, case.kwargs)
        trace = trace.tb_next
    return CheckResult(
        wanted.function,
        "raised",
        call=call,
        got=got,
        detail="" if stopped is None else line_of(function, stopped),
        hint=text("feedback.endless"),
    )


def _first_lines(printed: str) -> str:
    """The first few different lines: the function ran many times."""
    lines = list(dict.fromkeys(line.rstrip() for line in printed.splitlines() if line.strip()))
    return "; ".join(line[:80] for line in lines[:3]) + ("; …" if len(lines) > 3 else "")


def _state(results: tuple[CheckResult, ...]) -> progress_store.State:
    if all(result.passed for result in results):
        return "passed"
    return "unwritten" if results[0].verdict == "unwritten" else "started"


@contextlib.contextmanager
def _quiet() -> Iterator[io.StringIO]:
    """Keep the learner's prints out of the report, and refuse to wait for typed input."""

    def no_input(_prompt: object = "") -> str:
        raise RuntimeError(text("feedback.no_input"))

    real = builtins.input
    builtins.input = no_input
    try:
        with contextlib.redirect_stdout(_Beginning()) as printed:
            yield printed
    finally:
        builtins.input = real


class _Beginning(io.StringIO):
    """Keeps the beginning of what is printed, however much it is."""

    def write(self, printed: str, /) -> int:
        if self.tell() < KEPT_CHARACTERS:
            super().write(printed[:KEPT_CHARACTERS])
        return len(printed)
