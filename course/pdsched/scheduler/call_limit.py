"""Stop a function that does not return: a timer signal in the main thread, a watcher elsewhere."""

from __future__ import annotations

import signal
import threading
from contextlib import suppress
from time import perf_counter
from types import FrameType, TracebackType

_POLL_S = 0.05


class CallTimeoutError(BaseException):
    """A watched call took too long.

    Not an ``Exception``, so that ``except Exception`` in the function does not swallow it.
    """


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
        self._fired = False
        self._entered = 0
        self._old_handler: object = None
        self._by_signal = False
        self._watcher: threading.Thread | None = None
        self._stop = threading.Event()
        self._thread_id = 0

    def __enter__(self) -> CallLimit:
        self._entered += 1
        if self._entered > 1:
            return self
        self._fired = False
        self._thread_id = threading.get_ident()
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
        if self._by_signal:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._old_handler)  # type: ignore[arg-type]
            self._by_signal = False
        elif self._watcher is not None:
            self._stop.set()
            self._watcher.join()
            self._watcher = None
            if self._fired and kind is not CallTimeoutError:  # raised, not yet delivered
                with suppress(CallTimeoutError):
                    _raise_in(self._thread_id, None)

    def _overdue(self) -> bool:
        began_s = self.began_s
        return began_s > 0 and perf_counter() - began_s > self.seconds

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self._overdue():
            self.began_s = 0.0
            raise CallTimeoutError

    def _watch(self) -> None:
        while not self._stop.wait(_POLL_S):
            if self._overdue():
                self.began_s = 0.0
                self._fired = True
                _raise_in(self._thread_id, CallTimeoutError)


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


def _raise_in(thread_id: int, error: type[BaseException] | None) -> None:
    try:
        import ctypes  # some builds of Python (WebAssembly) come without
    except ImportError:
        return
    set_async = getattr(getattr(ctypes, "pythonapi", None), "PyThreadState_SetAsyncExc", None)
    if set_async is not None:
        set_async(ctypes.c_ulong(thread_id), ctypes.py_object(error) if error else None)
