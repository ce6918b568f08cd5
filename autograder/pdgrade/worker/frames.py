"""Frames on a byte stream: a nonce, a length, then JSON; used by both ends of every channel.

The nonce is there to tell a frame from bytes that somebody else wrote to the descriptor. It is no
secret from the code in the worker, which may send whatever it likes: the trusted side checks every
frame, and a forged result is nothing but a result.
"""

from __future__ import annotations

import struct
from json import JSONDecoder, JSONEncoder
from typing import Any

NONCE_BYTES = 16
_HEADER = struct.Struct(f">{NONCE_BYTES}sI")
MAX_INT_DIGITS = 4300  # CPython's own limit for text to int, which 3.10 only has in late patches


class FrameError(ValueError):
    """Bytes that are not a frame: wrong nonce, too long, not JSON, or not an object."""


def pack(nonce: bytes, message: dict[str, Any], max_bytes: int) -> bytes:
    """One frame.

    Raises:
        FrameError: the message is longer than `max_bytes`, or cannot be written as JSON.
    """
    try:
        payload = _write(message).encode("ascii")
    except (ValueError, TypeError, RecursionError) as error:
        raise FrameError(f"message cannot be written: {error}") from None
    if len(payload) > max_bytes:
        raise FrameError(f"message of {len(payload)} bytes is over the limit of {max_bytes}")
    return _HEADER.pack(nonce, len(payload)) + payload


class FrameReader:
    """Collects bytes and gives back whole messages; never holds more than one frame's worth."""

    def __init__(self, nonce: bytes, max_bytes: int) -> None:
        self._nonce = nonce
        self._max_bytes = max_bytes
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes as they arrive.

        Raises:
            FrameError: what has arrived cannot become a frame within the limit.
        """
        self._buffer += data
        self._length()

    def message(self) -> dict[str, Any] | None:
        """The next whole message, or None while it is incomplete.

        Raises:
            FrameError: the frame is not a JSON object.
        """
        length = self._length()
        end = _HEADER.size + length
        if length < 0 or len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[_HEADER.size : end])
        del self._buffer[:end]
        return parse(payload)

    def _length(self) -> int:
        """Length of the frame at the front; -1 while its header is incomplete."""
        if len(self._buffer) < _HEADER.size:
            if not self._nonce.startswith(self._buffer[:NONCE_BYTES]):
                raise FrameError("foreign bytes on the channel")
            return -1
        nonce, length = _HEADER.unpack_from(self._buffer)
        if nonce != self._nonce:
            raise FrameError("foreign bytes on the channel")
        if length > self._max_bytes:
            raise FrameError(f"message of {length} bytes is over the limit of {self._max_bytes}")
        return int(length)


def parse(payload: bytes) -> dict[str, Any]:
    """The JSON object in a frame.

    Raises:
        FrameError: not strict JSON, too deep for the parser, or no object.
    """
    try:
        message = _read(payload.decode("ascii"))
    except (ValueError, RecursionError, MemoryError) as error:
        raise FrameError(f"not a message: {type(error).__name__}") from None
    if type(message) is not dict:
        raise FrameError("not a message: no object")
    return message


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _bounded_int(digits: str) -> int:
    if len(digits) > MAX_INT_DIGITS:
        raise ValueError("integer too long")
    return int(digits)


# Made once: json.dumps and json.loads with options would make new ones for every message.
_write = JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_read = JSONDecoder(parse_constant=_no_constant, parse_int=_bounded_int).decode
