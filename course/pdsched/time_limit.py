"""End work that never returns, whatever code it runs.

In a kernel's main thread a POSIX interval timer interrupts it, a sleeping one included. Elsewhere
(Windows; ipykernel 7 answers widgets on a second thread) it runs on a thread that is told to stop
and, if it will not, is left behind. Pyodide has neither: `sys.monitoring` watches the clock there,
and a sleeping function is named when it wakes.
"""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, TypeVar

from pdsched.interruption import Interruption, raise_in, settle, take_back

LIMIT_S: Final = 0.8
RING_AGAIN_S: Final = 0.02  # a bare ``except:`` swallows interruptions, so keep ringing
_SOON_S: Final = 0.001
TOOL: Final = 4  # of sys.monitoring; debuggers, coverage and profilers have others

Result = TypeVar("Result")
_running: Final[list[float]] = []
# End and frame of each limit, where a clock is watched.
_watched: Final[list[tuple[float, FrameType]]] = []


class HungError(Exception):
    """The work did not end within the limit; its cause, where known, tells where it was."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"no answer within {limit_s} s")
        self.limit_s = limit_s


def run_limited(work: Callable[[], Result], limit_s: float = LIMIT_S) -> Result:
    """The result of ``work()``, ended after about ``limit_s`` seconds.

    Cyclic garbage waits meanwhile: a hundred thousand small lists would set it off many times.

    Raises:
        HungError: it did not return in time. Whatever ``work`` itself raises passes through.
    """
    collecting = gc.isenabled()
    gc.disable()
    _running.append(limit_s)
    try:
        return _limited(work, limit_s)
    finally:
        _running.pop()
        if collecting:
            gc.enable()


def is_limited() -> bool:
    """Whether work runs under a limit now: what it calls needs none of its own."""
    return bool(_running)


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
    began_s = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    waiting_s, interval_s = signal.getitimer(signal.ITIMER_REAL)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, limit_s, RING_AGAIN_S)
            result = work()
            over = True
        finally:
            over = True
            signal.setitimer(signal.ITIMER_REAL, 0)
            settle(tracing)
    except Interruption as interruption:
        raise HungError(limit_s) from interruption
    finally:
        signal.signal(signal.SIGALRM, before)
        if waiting_s:  # somebody else's alarm, or a limit around this one: late, but not lost
            left_s = waiting_s - (time.monotonic() - began_s)
            signal.setitimer(signal.ITIMER_REAL, max(left_s, _SOON_S), interval_s)
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
    events = (monitoring.events.JUMP, monitoring.events.PY_START)
    outermost = not _watched
    if outermost:
        monitoring.use_tool_id(TOOL, "pdsched")
    _watched.append((time.monotonic() + limit_s, sys._getframe()))
    try:
        try:
            if outermost:
                for event in events:
                    monitoring.register_callback(TOOL, event, _watch)
                monitoring.set_events(TOOL, sum(events))
            return work()
        finally:
            _watched.pop()
    except Interruption as interruption:
        raise HungError(limit_s) from interruption
    finally:
        if outermost:
            monitoring.set_events(TOOL, 0)
            monitoring.free_tool_id(TOOL)


def _watch(*_where: object) -> None:
    now_s, frame = time.monotonic(), sys._getframe(1)
    for end_s, here in _watched:
        if now_s > end_s and _inside(here, frame):
            raise Interruption(again=False)


def _inside(outer: FrameType, frame: FrameType | None) -> bool:
    """Whether ``frame`` was called from ``outer``: while a function sleeps, Pyodide's loop runs."""
    while frame is not None and frame is not outer:
        frame = frame.f_back
    return frame is outer
