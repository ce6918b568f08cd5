"""Stop a function that does not return: a timer signal in the main thread, a watcher elsewhere."""

from __future__ import annotations

import signal
import sys
import threading
from time import perf_counter
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, NoReturn

from pdsched.interruption import Interruption, raise_in, settle, take_back

if TYPE_CHECKING:
    from _typeshed import TraceFunction

_POLL_S = 0.05


class CallTimeoutError(Interruption):
    """A watched call took too long; raised again and again until the call ends."""


class CallLimit:
    """Watches calls while it is entered; set ``began_s`` around each.

    One recurring timer serves all calls, so that a call costs only the reading of a clock. In
    the main thread the timer is SIGALRM, unless somebody else uses it; in another thread (or
    without that signal) a watcher thread raises the error in the calling thread. Neither can
    interrupt a single long operation in C, and where neither exists (Pyodide) there is no
    limit.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began_s = 0.0  # when the call in progress began; 0 between calls
        self.rang = False  # whether a call has been overdue
        self._entered = 0
        self._old_handler: object = None
        self._by_signal = False
        self._watcher: threading.Thread | None = None
        self._stop = threading.Event()
        self._thread_id = 0
        self._tracing: TraceFunction | None = None  # a debugger's, from before

    def __enter__(self) -> CallLimit:
        self._entered += 1
        if self._entered > 1:
            return self
        self.rang = False
        self._thread_id = threading.get_ident()
        self._tracing = sys.gettrace()
        if _signal_is_free():
            self._by_signal = True
            self._old_handler = signal.signal(signal.SIGALRM, self._on_signal)
            signal.setitimer(signal.ITIMER_REAL, _POLL_S, _POLL_S)
        else:
            self._stop.clear()
            self._watcher = threading.Thread(target=self._watch, name="call-limit", daemon=True)
            try:
                self._watcher.start()
            except RuntimeError:  # no threads on this platform
                self._watcher = None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._entered -= 1
        if self._entered:
            return
        if self.rang:
            self.settle()
        if self._by_signal:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._old_handler)  # type: ignore[arg-type]
            self._by_signal = False
        elif self._watcher is not None:
            self._stop.set()
            try:
                self._watcher.join()
            except CallTimeoutError:  # of a call that was over when it came
                self.settle()
                self._watcher.join()
            self._watcher = None
            if self.rang:
                take_back()

    def refuse(self) -> NoReturn:
        """After an overdue call that returned, having swallowed the error."""
        raise CallTimeoutError(again=False)

    def settle(self) -> None:
        """After a call that was overdue: nothing more is raised on its behalf."""
        settle(self._tracing)

    def _overdue(self) -> bool:
        began_s = self.began_s
        return began_s > 0 and perf_counter() - began_s > self.seconds

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self._overdue():
            self.rang = True
            raise CallTimeoutError

    def _watch(self) -> None:
        while not self._stop.wait(_POLL_S):
            if self._overdue():
                self.rang = True
                raise_in(self._thread_id, CallTimeoutError)


def _signal_is_free() -> bool:
    if not hasattr(signal, "setitimer"):
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    try:
        taken = signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0)
        return not taken and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN)
    except (OSError, ValueError):
        return False
