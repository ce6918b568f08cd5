"""The trusted end of one worker: run its cells, call its functions, bound it, end it.

Nothing a worker sends is believed: frames are capped and checked, values are rebuilt from exact
builtin types, texts are cleaned. Anything that is not the one answer expected ends the worker.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, TypeGuard

from pdgrade.assignment import CodeCell
from pdgrade.learner_errors import LearnerError, Stop, StopKind, plain_text, stopped
from pdgrade.limits import Limits
from pdgrade.worker import frames, values
from pdgrade.worker.config import CHANNEL_LOST, NOT_CONFINED
from pdgrade.written_back import write_back
from pdsched.feedback import FunctionUnavailable

_EXIT_WAIT_S: Final = 10.0
_GRACE_S: Final = 0.5  # between the end of the channel and the end of the process
_CHUNK: Final = 1 << 16
#: Of requests sent before their answers are read: a socket must take them without a reader.
AHEAD_BYTES: Final = 1 << 15
#: A call to make: the function's name, arguments, keyword arguments.
_Call = tuple[str, tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class CellOutcome:
    """How one cell ran."""

    label: str
    error: LearnerError | None = None
    skipped: tuple[str, ...] = ()  # lines of notebook syntax that were left out


@dataclass(frozen=True)
class Usage:
    """What an ended worker used."""

    cpu_ms: float = 0.0
    peak_mib: float = 0.0


@dataclass(frozen=True)
class Ends:
    """The parent's ends of one worker's descriptors, all non-blocking."""

    channel: socket.socket
    output: int
    status: socket.socket
    nonce: bytes


@dataclass
class _Printed:
    """What the worker wrote: the beginning is kept, all of it counted."""

    limit: int
    text: bytearray = field(default_factory=bytearray)
    total: int = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self.text += data[: max(0, self.limit - len(self.text))]


class Worker:
    """A learner's process; use as a context manager, or `close` it."""

    def __init__(self, ends: Ends, limits: Limits, deadline: float | None = None) -> None:
        self._ends, self._limits = ends, limits
        self._deadline = (
            deadline if deadline is not None else time.monotonic() + limits.question_wall_s
        )
        self._channel_fd = ends.channel.fileno()
        self._poller = select.poll()
        self._poller.register(self._channel_fd)
        self._poller.register(ends.output, select.POLLIN)
        self._reader = frames.FrameReader(ends.nonce, limits.message_kib * 1024)
        self._printed = _Printed(limits.output_kept_kib * 1024)
        self._next_id = 0
        self._waiting: deque[int] = deque()  # ids of requests without an answer yet
        self._ahead: deque[_Call] = deque()  # announced; the first of them may be waiting
        self._exit: dict[str, Any] | None = None
        self._closed = False
        self.functions: frozenset[str] = frozenset()
        self.cells: list[CellOutcome] = []
        self.stop: Stop | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def printed(self) -> str:
        """What it printed so far, cut and cleaned."""
        text = self._printed.text.decode("utf-8", "replace").replace("\r\n", "\n")
        return plain_text(text, len(text))

    @property
    def usage(self) -> Usage:
        """CPU and memory; known once it has ended."""
        found = self._exit or {}
        return Usage(float(found.get("cpu_ms", 0.0)), float(found.get("peak_kib", 0)) / 1024)

    def wait_until_confined(self) -> str:
        """Wait for the worker's first word; empty if it is confined, else what went wrong."""
        try:
            message = self._receive(time.monotonic() + _EXIT_WAIT_S)
        except _Ended:
            found = self._exit_report()
            if found.get("status") == NOT_CONFINED:
                self._drain()
                return self.printed or "unknown"
            return f"the worker ended: {found.get('status')}"
        return "" if message == {"up": True} else "the worker did not start"

    @property
    def spent(self) -> bool:
        """Whether it was given calls that nobody made after all: another worker must go on."""
        return bool(self._waiting)

    def run_cells(self, cells: Sequence[CodeCell]) -> None:
        """Execute cells in order; stops early only if the worker ends."""
        for cell in cells:
            if self.stop is None:
                self._run_cell(cell)
        with contextlib.suppress(_Ended):  # too much output is noticed at the next call
            self._drain()

    def _run_cell(self, cell: CodeCell) -> None:
        if len(cell.source) * 2 > self._limits.message_kib * 1024:
            error = LearnerError(("ValueError",), "the cell is too large to be run when graded")
            self.cells.append(CellOutcome(cell.label, error))
            return
        request = {"label": cell.label, "cell": cell.source}
        answer = self._ask([request], self._limits.cell_wall_s, cell.label)
        if answer is None:
            return
        failed = LearnerError.read(answer["error"]) if "error" in answer else None
        skipped, functions = answer.get("skipped"), answer.get("functions")
        if not _all_text(skipped) or not _all_text(functions):
            self._end(Stop("channel", "malformed answer", cell.label))
            return
        self.functions = frozenset(functions)
        lines = tuple(plain_text(line, 120) for line in skipped[:20])
        self.cells.append(CellOutcome(cell.label, failed, lines))

    def proxy(self, name: str) -> Callable[..., Any]:
        """A callable that stands for the learner's function `name`."""

        def call(*args: Any, **kwargs: Any) -> Any:
            return self.call(name, args, kwargs)

        call.__name__ = call.__qualname__ = name
        return call

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Call a function of the learner; lists and dicts among the arguments may be changed.

        Raises:
            WorkerStopped: the worker has ended, before or during the call.
            FunctionUnavailable: no cell defined the function.
            Exception: what the function raised, as the nearest builtin exception.
        """
        if self.stop is not None:
            raise stopped(self.stop)
        if name not in self.functions:
            raise FunctionUnavailable(f"{name} is not defined")
        batch = self._batch((name, tuple(args), kwargs))
        answer = None if self.stop else self._ask(batch, self._limits.call_wall_s, name)
        if answer is None:
            raise stopped(self._why())
        try:
            if "changed" in answer:
                _write_back(answer["changed"], args, kwargs)
            if "error" not in answer:
                return values.decode(answer["value"])
        except (values.Refused, KeyError) as error:
            self._end(Stop("channel", f"malformed answer: {error}", name))
            raise stopped(self._why()) from None
        raise LearnerError.read(answer["error"]).exception()

    def announce(self, name: str, calls: Iterable[tuple[Sequence[Any], dict[str, Any]]]) -> None:
        """Say which calls of `name` come next, so that it need not wait for one after the other.

        They are still made by `call`, in this order, and each answer is the one it would be.
        """
        self._ahead.extend((name, tuple(args), kwargs) for args, kwargs in calls)

    def _batch(self, made: _Call) -> Iterable[dict[str, Any]]:
        """What to send so that the oldest request without an answer is this call."""
        if not self._ahead or self._ahead[0] != made:
            self._ahead.clear()
            while self._waiting and self.stop is None:  # announced, begun, and not made
                self._ask((), self._limits.call_wall_s, made[0])
            return [_request(made)]
        batch = () if self._waiting else map(_request, tuple(self._ahead))
        self._ahead.popleft()
        return batch

    def close(self) -> None:
        """End the worker and everything it started; returns when nothing of it is left."""
        if self._closed:
            return
        self._closed = True
        self._exit_report()
        self._drain()
        self._ends.channel.close()
        self._ends.status.close()
        os.close(self._ends.output)

    def _why(self) -> Stop:
        return self.stop or Stop("crashed", "ended")

    def _ask(
        self, batch: Iterable[dict[str, Any]], wall_s: float, where: str
    ) -> dict[str, Any] | None:
        """Send requests and wait for the oldest answer; None if the worker ended instead."""
        deadline = min(time.monotonic() + wall_s, self._deadline)
        try:
            self._send(self._packed(batch), deadline)
            answer = self._receive(deadline)
        except frames.FrameError as error:
            self._end(Stop("channel", str(error), where))
        except _Ended as end:
            kind, detail = end.kind, end.detail
            if kind == "wall":
                detail = f"wall limit {min(wall_s, self._limits.question_wall_s):g} s"
            self._end(Stop(kind, detail, where) if kind != "crashed" else self._post_mortem(where))
        else:
            if answer.get("id") == self._waiting.popleft():
                return answer
            self._end(Stop("channel", "unexpected answer", where))
        return None

    def _packed(self, batch: Iterable[dict[str, Any]]) -> bytes:
        """The first of the requests, and as many more as may wait together."""
        data = b""
        for number, request in enumerate(batch, start=self._next_id + 1):
            frame = frames.pack(
                self._ends.nonce, {"id": number, **request}, self._limits.message_kib * 1024
            )
            if data and len(data) + len(frame) > AHEAD_BYTES:
                break
            data += frame
            self._next_id = number
            self._waiting.append(number)
        return data

    def _send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[self._ends.channel.send(view) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except OSError:
                raise _Ended("crashed") from None

    def _receive(self, deadline: float) -> dict[str, Any]:
        try:
            while True:
                message = self._reader.message()
                if message is not None:
                    return message
                self._wait(select.POLLIN, deadline)
                try:
                    data = self._ends.channel.recv(_CHUNK)
                except BlockingIOError:
                    continue
                if not data:
                    raise _Ended("crashed")
                self._reader.feed(data)
        except frames.FrameError as error:
            raise _Ended("channel", str(error)) from None
        except ConnectionError:
            raise _Ended("crashed") from None

    def _wait(self, event: int, deadline: float) -> None:
        """Wait until the channel is ready, reading output meanwhile."""
        self._poller.modify(self._channel_fd, event)
        while True:
            left = deadline - time.monotonic()
            ready = self._poller.poll(max(0.0, left) * 1000)
            for descriptor, _ in ready:
                if descriptor != self._channel_fd and not self._drain():
                    self._poller.unregister(descriptor)  # closed by the worker
            if any(descriptor == self._channel_fd for descriptor, _ in ready):
                return
            if left <= 0:
                raise _Ended("wall")

    def _drain(self) -> bool:
        """Read what was printed; False when the pipe has no writer any more."""
        while True:
            try:
                data = os.read(self._ends.output, _CHUNK)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._printed.add(data)
            if self._printed.total > self._limits.output_mib << 20 and self._exit is None:
                raise _Ended("output", f"output limit {self._limits.output_mib} MiB")

    def _end(self, stop: Stop) -> None:
        self.stop = stop
        self._exit_report()

    def _exit_report(self) -> dict[str, Any]:
        """Have the template end the worker, and its report of how it ended."""
        if self._exit is None:
            self._exit = {}
            status = self._ends.status
            status.settimeout(_EXIT_WAIT_S)
            data = b""
            with contextlib.suppress(OSError):  # it has ended by itself: the report is waiting
                status.sendall(b"x")
            with contextlib.suppress(OSError):
                while chunk := status.recv(4096):
                    data += chunk
            if data:
                self._exit = dict(json.loads(data))
        return self._exit

    def _post_mortem(self, where: str) -> Stop:
        """Why a worker ended that nobody ended."""
        alive = not _readable(self._ends.status, _GRACE_S)
        found = self._exit_report()
        if found.get("reason"):  # the template ended it
            kind: StopKind = "disk" if found["reason"] == "disk" else "files"
            return Stop(kind, f"{kind} limit", where)
        if alive:
            return Stop("channel", "the result channel broke", where)
        kind, detail = _meaning(found.get("status"), self.usage.cpu_ms, self._limits)
        return Stop(kind, detail, where)


def _meaning(status: object, cpu_ms: float, limits: Limits) -> tuple[StopKind, str]:
    """What an exit status (negative: a signal) says about the end of a worker."""
    if not isinstance(status, int):
        return "lost", "the worker was lost"
    if status == CHANNEL_LOST:
        return "channel", "the result channel broke"
    if status >= 0:
        return "exited", f"exit status {status}"
    if cpu_ms >= (limits.cpu_s - 0.5) * 1000:
        return "cpu", f"CPU limit {limits.cpu_s} s"
    if status == -signal.SIGKILL:
        return "killed", "killed from outside, or out of memory"
    return "crashed", _signal_name(-status)


class _Ended(Exception):  # noqa: N818
    """Inside a conversation: the worker has to be, or has been, ended."""

    def __init__(self, kind: StopKind, detail: str = "") -> None:
        super().__init__(detail)
        self.kind, self.detail = kind, detail


def _request(made: _Call) -> dict[str, Any]:
    name, args, kwargs = made
    sent = [values.encode(item) for item in args]
    return {
        "call": name,
        "args": sent,
        "kwargs": {key: values.encode(item) for key, item in kwargs.items()},
    }


def _readable(end: socket.socket, wait_s: float) -> bool:
    poller = select.poll()
    poller.register(end, select.POLLIN)
    return bool(poller.poll(wait_s * 1000))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _all_text(data: object) -> TypeGuard[list[str]]:
    return isinstance(data, list) and all(isinstance(item, str) for item in data)


def _write_back(changed: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Let the caller's arguments look as they do in the worker."""
    if not isinstance(changed, list) or len(changed) != 2:
        raise values.Refused("no arguments")
    after, after_named = changed
    if not isinstance(after, list) or len(after) != len(args):
        raise values.Refused("other arguments")
    if not isinstance(after_named, dict) or after_named.keys() != kwargs.keys():
        raise values.Refused("other arguments")
    for old, new in zip(args, after, strict=True):
        write_back(old, values.decode(new))
    for name, old in kwargs.items():
        write_back(old, values.decode(after_named[name]))
