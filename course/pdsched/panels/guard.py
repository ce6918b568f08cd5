"""Run a learner's function so that a panel survives whatever it does.

`LearnerFunction` names what went wrong in the learner's own terms; `run_limited` ends a function
that never returns. In a kernel's main thread a POSIX interval timer interrupts it, a sleeping one
included. Elsewhere (Windows; ipykernel 7 answers widgets on a second thread) it runs on a thread
that is told to stop and, if it will not, is left behind. Pyodide has neither: `sys.monitoring`
watches the clock there, and a sleeping function is named when it wakes.
"""

from __future__ import annotations

import gc
import linecache
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Final, TypeVar

from pdsched.errors import words_of
from pdsched.interruption import Interruption, raise_in, settle, take_back

LIMIT_S: Final = 0.8
RING_AGAIN_S: Final = 0.02  # a bare ``except:`` swallows interruptions, so keep ringing
CALL_WIDTH: Final = 150
TOOL: Final = 4  # of sys.monitoring; debuggers, coverage and profilers have others

Result = TypeVar("Result")


class UnwrittenError(Exception):
    """The learner's function still raises NotImplementedError, or does not exist."""


class HungError(Exception):
    """The work did not end within the limit."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"no answer within {limit_s} s")
        self.limit_s = limit_s


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
        try:
            if self._limit_s is None:
                return self._function(*args, **kwargs)
            return run_limited(lambda: self._function(*args, **kwargs), self._limit_s)
        except HungError:
            raise
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


def run_limited(work: Callable[[], Result], limit_s: float = LIMIT_S) -> Result:
    """The result of ``work()``, ended after about ``limit_s`` seconds.

    Cyclic garbage waits meanwhile: a hundred thousand small lists would set it off many times.

    Raises:
        HungError: it did not return in time. Whatever ``work`` itself raises passes through.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _limited(work, limit_s)
    finally:
        if collecting:
            gc.enable()


def _limited(work: Callable[[], Result], limit_s: float) -> Result:
    if sys.platform == "emscripten":
        return _by_monitoring(work, limit_s)
    main = threading.current_thread() is threading.main_thread()
    if main and hasattr(signal, "setitimer"):
        return _by_alarm(work, limit_s)
    return _on_thread(work, limit_s)


def _by_alarm(work: Callable[[], Result], limit_s: float) -> Result:
    over = False

    def ring(_signal: int, _frame: FrameType | None) -> None:
        if not over:
            raise Interruption

    tracing = sys.gettrace()
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, limit_s, RING_AGAIN_S)
        try:
            result = work()
            over = True
        finally:
            over = True
            signal.setitimer(signal.ITIMER_REAL, 0)
            settle(tracing)
    except Interruption:
        raise HungError(limit_s) from None
    finally:
        signal.signal(signal.SIGALRM, before)
    return result


def _on_thread(work: Callable[[], Result], limit_s: float) -> Result:
    results: list[Result] = []
    errors: list[BaseException] = []
    over: list[bool] = []

    def target() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            settle()
            over.append(True)  # nothing may be raised in what threading does after this
            take_back()

    thread = threading.Thread(target=target, name="pdsched-learner", daemon=True)
    thread.start()
    thread.join(limit_s)
    if thread.is_alive():
        _stop(thread, over)
        raise HungError(limit_s)
    if errors:
        raise errors[0]
    return results[0]


def _stop(thread: threading.Thread, over: list[bool]) -> None:
    """Ask a thread to end; one that sleeps in C hears it only when it wakes, and is left behind."""
    for _ in range(8):
        if over:
            return
        raise_in(thread.ident or 0, Interruption)
        thread.join(RING_AGAIN_S)


def _by_monitoring(work: Callable[[], Result], limit_s: float) -> Result:
    """Look at the clock at every jump and call, also after a bare ``except:`` swallowed it once."""
    monitoring: Any = getattr(sys, "monitoring", None)
    if monitoring is None:  # before Python 3.12; Pyodide has been newer since 2024
        return work()
    end, over = time.monotonic() + limit_s, False
    here = sys._getframe()

    def watch(*_where: object) -> None:
        if not over and time.monotonic() > end and _inside(here, sys._getframe(1)):
            raise Interruption(again=False)

    events = (monitoring.events.JUMP, monitoring.events.PY_START)
    monitoring.use_tool_id(TOOL, "pdsched")
    try:
        for event in events:
            monitoring.register_callback(TOOL, event, watch)
        monitoring.set_events(TOOL, sum(events))
        try:
            return work()
        finally:
            over = True
    except Interruption:
        raise HungError(limit_s) from None
    finally:
        over = True
        monitoring.set_events(TOOL, 0)
        monitoring.free_tool_id(TOOL)


def _inside(outer: FrameType, frame: FrameType | None) -> bool:
    """Whether ``frame`` was called from ``outer``: while a function sleeps, Pyodide's loop runs."""
    while frame is not None and frame is not outer:
        frame = frame.f_back
    return frame is outer
