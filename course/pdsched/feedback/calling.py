"""Call a learner's function once and say what happened, whatever it does."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final

from pdsched.contracts import FunctionUnavailable
from pdsched.errors import message_of
from pdsched.feedback.results import Verdict
from pdsched.feedback.values import NotPlain, rebuilt, shown
from pdsched.interruption import Interruption
from pdsched.messages import text
from pdsched.time_limit import HungError, is_limited, run_limited

LIMIT_S: Final = 3.0  # of a call and of a whole check; a right answer takes milliseconds


@dataclass(frozen=True)
class Outcome:
    """What a call did: the verdict is None when it returned a plain value.

    Attributes:
        verdict: None, or why there is no value to judge.
        value: the rebuilt result.
        got: the result or the exception, as text.
        error: the exception, if one was raised.
        detail: the learner's line that raised, or the type that is not plain.
    """

    verdict: Verdict | None
    value: Any = None
    got: str = ""
    error: BaseException | None = None
    detail: str = ""


def call_text(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The call as Python source, long arguments shortened."""
    parts = [shown(argument) for argument in args]
    parts += [f"{name}={shown(argument)}" for name, argument in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def name_of(function: object) -> str:
    """The function's own name, or a readable stand-in."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else shown(function, 60)


def outcome(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Outcome:
    """Call the function once and say what happened; never raises for what the function does."""
    if not callable(function):
        return Outcome("unavailable", got=shown(function, 60))
    try:
        value = _called(function, args, kwargs or {})
    except NotImplementedError as error:
        return Outcome("unwritten", error=error)
    except FunctionUnavailable as error:
        return Outcome("unavailable", got=message_of(error), error=error)
    except (KeyboardInterrupt, Interruption):
        raise
    except BaseException as error:  # a learner may raise anything
        hung = isinstance(error, HungError)
        got = text("feedback.no_end", seconds=LIMIT_S) if hung else error_text(error)
        where = error.__cause__ or error if hung else error
        return Outcome("raised", got=got, error=error, detail=line_of(function, where))
    try:
        return Outcome(None, rebuilt(value), shown(value))
    except NotPlain as error:
        detail = text("feedback.value.not_plain", kind=str(error))
        return Outcome("wrong_type", got=shown(value), detail=detail)


def _called(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Its result, within the limit; the grader's stand-ins for functions have their own."""
    if is_limited() or not isinstance(function, FunctionType):
        return function(*args, **kwargs)
    return run_limited(lambda: function(*args, **kwargs), LIMIT_S)


def error_text(error: BaseException) -> str:
    """``KeyError: 'x'``, cut to a readable length."""
    message = shown_text(message_of(error))
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def shown_text(message: str, limit: int = 300) -> str:
    """A message cut to `limit` characters."""
    return message if len(message) <= limit else message[: limit - 1] + "…"


def line_of(function: Any, error: BaseException) -> str:
    """The last line of the learner's own file that the exception went through."""
    own_file = getattr(getattr(function, "__code__", None), "co_filename", None)
    number, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == own_file:
            number = trace.tb_lineno
        trace = trace.tb_next
    if own_file is None or number == 0:
        return ""
    source = linecache.getline(own_file, number).strip()
    if not source:
        return text("feedback.raised_at_line", line=number)
    return text("feedback.raised_at", line=number, source=source)
