"""The channel's parser: whole frames in any pieces, and nothing but frames."""

import contextlib
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdgrade.worker import frames

NONCE = bytes(range(16))
MESSAGES = st.dictionaries(st.text(), st.none() | st.integers() | st.text(), max_size=5)


def read_all(data, pieces=1, limit=1000):
    reader = frames.FrameReader(NONCE, limit)
    found = []
    size = max(1, len(data) // pieces)
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
        while (message := reader.message()) is not None:
            found.append(message)
    return found


@given(st.lists(MESSAGES, max_size=4), st.integers(1, 50))
def test_frames_arrive_whole_however_they_are_cut(messages, pieces):
    data = b"".join(frames.pack(NONCE, message, 10_000) for message in messages)
    assert read_all(data, pieces, 10_000) == messages


@given(st.binary(max_size=200))
def test_bytes_without_the_nonce_are_an_error(data):
    if NONCE.startswith(data[:16]):
        return
    with pytest.raises(frames.FrameError, match="foreign bytes"):
        read_all(data)


@given(st.binary(max_size=200))
def test_any_payload_is_an_object_or_an_error(payload):
    with contextlib.suppress(frames.FrameError):
        assert isinstance(frames.parse(payload), dict)


@given(st.binary(max_size=120))
def test_any_bytes_after_the_nonce_are_a_message_or_an_error(data):
    with contextlib.suppress(frames.FrameError):
        assert all(isinstance(message, dict) for message in read_all(NONCE + data, 3))


def test_a_length_over_the_limit_is_refused_before_the_bytes_are_collected():
    with pytest.raises(frames.FrameError, match="over the limit"):
        read_all(NONCE + struct.pack(">I", 1001))


@pytest.mark.parametrize(
    "payload",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 50_000,
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":' + b"9" * 5000 + b"}",
        b"[1]",
        b"\xff\xfe",
        b"",
    ],
)
def test_hostile_json_is_an_error(payload):
    with pytest.raises(frames.FrameError):
        frames.parse(payload)


def test_a_message_that_json_cannot_say_is_not_packed():
    with pytest.raises(frames.FrameError):
        frames.pack(NONCE, {"a": float("nan")}, 100)
    with pytest.raises(frames.FrameError, match="over the limit"):
        frames.pack(NONCE, {"a": "x" * 200}, 100)
    assert json.loads(frames.pack(NONCE, {"a": 1}, 100)[20:]) == {"a": 1}
