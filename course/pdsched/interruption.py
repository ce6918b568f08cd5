"""Get an error out of somebody's code, even where it swallows every error.

A loop with a bare ``except`` swallows what a signal or another thread raises in it, and may do so
for ever: Python 3.10 looks at signals in few places, all of which can lie inside the ``try``. (And
it looks nowhere in a loop that begins with a ``try`` and calls nothing: nobody can end that one.)
So an `Interruption` also sets a trace, which raises it once more a random number of lines later.
Whoever interrupts does it again and again; before long one falls outside the ``try``.
"""

from __future__ import annotations

import random
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from _typeshed import TraceFunction

_MOST_LINES: Final = 20  # until the trace raises; more than a small loop's body
_PACKAGE: Final = __name__.partition(".")[0]
_on_their_way: Final[set[int]] = set()  # threads in which something was raised, not yet heard


class Interruption(BaseException):
    """Ends code that takes too long; not an ``Exception``, so ``except Exception`` lets it pass.

    A signal handler may raise it, or another thread through `raise_in`: its making is what sets
    the trace, in the thread that it is raised in. Who catches it calls `settle` before anything
    else, so that nothing is raised in what Python itself does afterwards.
    """

    def __init__(self, *, again: bool = True) -> None:
        super().__init__()
        _on_their_way.discard(threading.get_ident())
        if again and _may_trace():
            _Again(type(self)).begin(sys._getframe(1))


class _TakenBack(Interruption):
    """Raised in the place of one that is on its way, where it is caught at once."""

    def __init__(self) -> None:
        super().__init__(again=False)


def raise_in(thread_id: int, error: type[Interruption]) -> None:
    """Raise an error in a thread at its next instruction; one that sleeps hears it when it wakes.

    Nothing happens where Python is built without the means (WebAssembly).
    """
    try:
        import ctypes
    except ImportError:
        return
    set_async = getattr(getattr(ctypes, "pythonapi", None), "PyThreadState_SetAsyncExc", None)
    if set_async is not None:
        _on_their_way.add(thread_id)
        set_async(ctypes.c_ulong(thread_id), ctypes.py_object(error))


def take_back() -> None:
    """Nothing that another thread has raised in this one comes after this call."""
    settle()
    try:
        # Not by asking for no error: that leaves Python 3.11 looking for one for ever.
        raise_in(threading.get_ident(), _TakenBack)
    except Interruption:
        settle()


def settle(before: TraceFunction | None = None) -> None:
    """Take back the trace of an `Interruption` of this thread, so that nothing more is raised.

    Args:
        before: ``sys.gettrace()`` from before the code ran; a debugger's goes on.
    """
    if sys.gettrace() is not before:
        sys.settrace(before)


class _Again:
    """A trace that raises an interruption after some lines of code that is not ours."""

    def __init__(self, error: type[Interruption]) -> None:
        self._error = error
        self._left = random.randrange(1, _MOST_LINES)

    def begin(self, frame: FrameType | None) -> None:
        """Trace the code that is running: the frames up to the one of ours that called it."""
        while frame is not None and _is_ours(frame):  # a signal handler
            frame = frame.f_back
        while frame is not None and not _is_ours(frame):
            frame.f_trace = self.trace
            frame = frame.f_back
        sys.settrace(self.trace)

    def trace(self, frame: FrameType, event: str, _arg: Any) -> Any:
        """One event of a traced frame; see `sys.settrace`."""
        if event == "call" and _is_ours(frame):
            return None
        self._left -= 1
        if self._left > 0:
            return self.trace
        raise self._error(again=False)  # which ends the tracing


def _may_trace() -> bool:
    """Python 3.11 runs in circles if it traces while an error is on its way to another thread."""
    if sys.version_info[:2] == (3, 11):
        _on_their_way.intersection_update(sys._current_frames())  # not to one that has ended
        return not _on_their_way
    return True


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE
