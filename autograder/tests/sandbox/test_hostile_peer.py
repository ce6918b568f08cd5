"""Whatever arrives on a worker's channel, the parent ends with a value or one of two exceptions."""

import json
import os
import socket
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdgrade.learner_errors import LearnerError, WorkerStopped, plain_text
from pdgrade.limits import Limits
from pdgrade.worker_client import Ends, Worker
from pdgrade.written_back import write_back

NONCE = bytes(range(16))
LIMITS = Limits(call_wall_s=0.05, question_wall_s=0.2, message_kib=64)
REPORT = {"status": 0, "cpu_ms": 1.0, "peak_kib": 10, "reason": ""}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["o", "d", "t", "s", "z", "f", "x", "id", "value", "message", "a"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.just(1) | ANYTHING,
        "value": ANYTHING,
        "error": ANYTHING,
        "changed": st.tuples(st.lists(ANYTHING, max_size=2), st.just({})) | ANYTHING,
    },
)


def frame(message):
    payload = json.dumps(message).encode()
    return NONCE + struct.pack(">I", len(payload)) + payload


def call_with(incoming):
    """What a call gives when `incoming` is all that its worker ever sends."""
    channel, theirs = socket.socketpair()
    status, their_status = socket.socketpair()
    output, their_output = os.pipe()
    with theirs, their_status:
        theirs.sendall(incoming)
        their_status.sendall(json.dumps(REPORT).encode())
        their_status.shutdown(socket.SHUT_WR)
        channel.setblocking(False)
        os.set_blocking(output, False)
        worker = Worker(Ends(channel, output, status, NONCE), LIMITS)
        worker.functions = frozenset({"f"})
        argument = [1, {"k": [2]}]
        try:
            return worker.call("f", [argument], {}), argument
        finally:
            os.close(their_output)
            worker.close()


def raised_by(incoming):
    try:
        call_with(incoming)
    except Exception as error:
        return error
    return None


@settings(max_examples=150, deadline=None)
@given(ANSWERS)
def test_any_answer_is_a_value_or_an_ordinary_exception(answer):
    error = raised_by(frame(answer))
    stopped = isinstance(error, WorkerStopped) and error.stop.kind in ("channel", "wall")
    assert error is None or stopped or isinstance(error.learner_error, LearnerError)


@settings(max_examples=80, deadline=None)
@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_end_the_worker_and_nothing_else(data, with_nonce):
    with pytest.raises(WorkerStopped):
        call_with((NONCE if with_nonce else b"") + data)


def test_the_right_answer_still_gets_through():
    answer = {"id": 1, "value": {"t": [1]}, "changed": [[[1, {"o": {"k": [3]}}]], {}]}
    assert call_with(frame(answer)) == ((1,), [1, {"k": [3]}])


@given(ANYTHING)
def test_any_description_of_an_error_becomes_an_exception(data):
    error = LearnerError.read(data)
    assert isinstance(error.exception(), Exception)
    assert not isinstance(error.exception(), StopIteration)
    str(error).encode("utf-8")


@given(st.text(max_size=50), st.integers(0, 60))
def test_texts_are_cut_and_can_be_written(text, limit):
    shown = plain_text(text, limit)
    assert len(shown) <= limit
    shown.encode("utf-8")
    assert "\x1b" not in shown


@given(ANYTHING, ANYTHING)
def test_writing_back_makes_containers_equal(old, new):
    write_back(old, new)
    if type(old) is type(new) and type(old) in (list, dict):
        assert old == new
