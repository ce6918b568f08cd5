"""The response parser: any split of the bytes gives the same events."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdsched.bench.stream import MalformedResponseError, ResponseParser

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


WHOLE = (
    CHUNKED
    + chunk(b'data: {"a": 1}\n\n')
    + chunk(b": keep-alive\n\ndata: two")  # an event may span HTTP chunks
    + chunk(b"\n\ndata:3\r\n\r\n")
    + b"0\r\n\r\n"
)


@given(st.sets(st.integers(1, len(WHOLE) - 1), max_size=12))
def test_events_do_not_depend_on_how_the_bytes_are_cut(cuts):
    edges = [0, *sorted(cuts), len(WHOLE)]
    parser, events = ResponseParser(), []
    for start, stop in itertools.pairwise(edges):
        events += parser.feed(WHOLE[start:stop])
    assert events == [b'{"a": 1}', b"two", b"3"]
    assert parser.complete


def test_body_until_close_and_body_with_a_length():
    parser = ResponseParser()
    assert parser.feed(HEAD + b"\r\ndata: x\n\n") == [b"x"]
    assert not parser.complete, "only the closing tells"
    parser = ResponseParser()
    parser.feed(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nab")
    assert (parser.status, parser.complete) == (404, False)
    parser.feed(b"cd")
    assert (bytes(parser.body), parser.complete) == (b"abcd", True)


@pytest.mark.parametrize(
    "data", [b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 what\r\n\r\n", CHUNKED + b"zz\r\nrubbish"]
)
def test_what_is_not_http_is_refused(data):
    with pytest.raises(MalformedResponseError, match="not"):
        ResponseParser().feed(data)
