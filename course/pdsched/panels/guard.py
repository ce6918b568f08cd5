"""Call a learner's function so that what goes wrong is named in the learner's own terms."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

from pdsched.errors import words_of
from pdsched.interruption import Interruption
from pdsched.time_limit import run_limited

CALL_WIDTH: Final = 150


class UnwrittenError(Exception):
    """The learner's function still raises NotImplementedError, or does not exist."""


class LearnerRaisedError(Exception):
    """The learner's function raised; carries the call and the learner's own line."""

    def __init__(self, error: BaseException, call: str, line: int | None, source: str) -> None:
        super().__init__(words_of(error))
        self.error = error
        self.call = call
        self.line = line
        self.source = source


class LearnerFunction:
    """A learner's function; calling it raises only this module's errors.

    Args:
        function: what the learner wrote.
        name: what to call it.
        limit_s: seconds a single call may take; None leaves that to the caller.
    """

    def __init__(
        self, function: Callable[..., Any], name: str, limit_s: float | None = None
    ) -> None:
        self._function = function
        self._limit_s = limit_s
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result.

        Raises:
            UnwrittenError: it raised NotImplementedError.
            LearnerRaisedError: it raised anything else.
            HungError: it did not return in time.
        """
        if self._limit_s is None:
            return self._called(args, kwargs)
        return run_limited(lambda: self._called(args, kwargs), self._limit_s)

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result; putting an error into words may call the learner's code again."""
        try:
            return self._function(*args, **kwargs)
        except NotImplementedError as error:
            raise UnwrittenError(self.name) from error
        except (KeyboardInterrupt, Interruption):
            raise
        except BaseException as error:  # sys.exit() too: in a kernel it would end the cell
            line, source = _own_line(error.__traceback__, self._function)
            call = describe_call(self.name, args, kwargs)
            raise LearnerRaisedError(error, call, line, source) from error


def describe_call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The call as the learner would type it, cut to a readable length."""
    words = [repr(arg) for arg in args] + [f"{key}={value!r}" for key, value in kwargs.items()]
    call = f"{name}({', '.join(words)})"
    return call if len(call) <= CALL_WIDTH else call[: CALL_WIDTH - 2] + "…)"


def _own_line(trace: TracebackType | None, function: Callable[..., Any]) -> tuple[int | None, str]:
    """The last line of the traceback that lies in the learner's cell, and its source text."""
    filename = getattr(getattr(function, "__code__", None), "co_filename", None)
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    if filename is None or line is None:
        return None, ""
    return line, linecache.getline(filename, line).strip()
