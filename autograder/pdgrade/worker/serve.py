"""One worker: confine itself, run the learner's cells, then answer calls until it is ended."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import sys
from typing import Any

from . import frames
from .config import NOT_CONFINED, Config
from .confine import Seat, confine
from .learner_code import Namespace

CHANNEL = 3


def serve(config: Config, seat: Seat, nonce: bytes) -> int:
    """Be a worker on the descriptors 0 (nothing), 1 and 2 (output) and `CHANNEL`.

    Returns the exit status.
    """
    try:
        confine(config, seat)
    except OSError as error:
        os.write(2, f"{error}".encode("utf-8", "replace"))
        return NOT_CONFINED
    os.environ.update(HOME=seat.folder, TMPDIR=seat.folder)
    channel = _Channel(nonce, config.caps.message)
    channel.send({"up": True})
    namespace = Namespace()
    while True:
        message = channel.receive()
        if message is None:
            return 0
        channel.send(_answer(namespace, message))


def _answer(namespace: Namespace, message: dict[str, Any]) -> dict[str, Any]:
    if "cell" in message:
        answer = namespace.run_cell(message["label"], message["cell"])
        answer["functions"] = namespace.functions()
    else:
        answer = namespace.call(message["call"], message["args"], message["kwargs"])
    _flush()
    return {"id": message["id"], **answer}


class _Channel:
    def __init__(self, nonce: bytes, max_bytes: int) -> None:
        self._nonce, self._max_bytes = nonce, max_bytes
        self._socket = socket.socket(fileno=CHANNEL)
        self._reader = frames.FrameReader(nonce, max_bytes)

    def send(self, message: dict[str, Any]) -> None:
        try:
            data = frames.pack(self._nonce, message, self._max_bytes)
        except frames.FrameError as error:
            short = {"id": message["id"], "value": {"x": f"result ({error})"}}
            data = frames.pack(self._nonce, short, self._max_bytes)
        self._socket.sendall(data)

    def receive(self) -> dict[str, Any] | None:
        while True:
            message = self._reader.message()
            if message is not None:
                return message
            data = self._socket.recv(65536)
            if not data:
                return None
            self._reader.feed(data)


def rehearse(max_bytes: int) -> None:
    """In the template, once: what every worker would otherwise be slow to do for the first time."""
    _open_output()
    namespace = Namespace()
    for label in ("a", "b", "c"):
        answer = namespace.run_cell(
            label, "def rehearsed(a):\n    return [a, {'k': (1.5, None)}]\n"
        )
        answer["value"] = namespace.call("rehearsed", [[1]], {})
        reader = frames.FrameReader(bytes(frames.NONCE_BYTES), max_bytes)
        reader.feed(frames.pack(bytes(frames.NONCE_BYTES), answer, max_bytes))
        reader.message()
    _flush()


def _open_output() -> None:
    """Make fresh streams on the descriptors 1 and 2, whatever those are when they are used."""
    for name, number in (("stdout", 1), ("stderr", 2)):
        raw = io.FileIO(number, "w", closefd=False)
        stream = io.TextIOWrapper(
            io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace"
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # whatever the learner put there
            stream.flush()
