"""The server by its own: OpenAI's errors, streams that end well, and an end by itself."""

import http.client
import json
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched.engine.server import launched

SMALL = ("--layers", "1", "--width", "32", "--pages", "64", "--idle-seconds", "60")


@pytest.fixture(scope="module")
def server():
    with launched(*SMALL) as running:
        yield running


def ask(server, method, path, body=None):
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    payload = body if isinstance(body, bytes) else json.dumps(body).encode() if body else None
    connection.request(method, path, payload)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_models_and_health(server):
    status, text = ask(server, "GET", "/v1/models")
    assert (status, json.loads(text)["data"][0]["id"]) == (200, "pdsched-tiny")
    status, body = ask(server, "GET", "/health")
    told = json.loads(body)
    assert (status, told["status"]) == (200, "ok")
    assert 0 < told["core_share"] <= 1


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("GET", "/nowhere", None, 404, "no such path"),
        ("GET", "/v1/completions", None, 405, "POST"),
        ("POST", "/v1/completions", b"{not json", 400, "not JSON"),
        ("POST", "/v1/completions", b"[1]", 400, "JSON object"),
        ("POST", "/v1/completions", {"model": "other", "prompt": "x"}, 404, "does not exist"),
        ("POST", "/v1/completions", {"model": "pdsched-tiny"}, 400, "prompt must be"),
        ("POST", "/v1/completions", {"model": "pdsched-tiny", "prompt": ""}, 400, "empty"),
        ("POST", "/v1/completions", {"model": "pdsched-tiny", "prompt": [512]}, 400, "0..511"),
        (
            "POST",
            "/v1/completions",
            {"model": "pdsched-tiny", "prompt": "x", "max_tokens": 0},
            400,
            "max_tokens",
        ),
        (
            "POST",
            "/v1/completions",
            {"model": "pdsched-tiny", "prompt": "x", "temperature": 1},
            400,
            "greedily",
        ),
        ("POST", "/v1/chat/completions", {"model": "pdsched-tiny"}, 400, "messages"),
        (
            "POST",
            "/v1/completions",
            {"model": "pdsched-tiny", "prompt": "x", "max_tokens": 5_000, "stream": True},
            400,
            "needs room for 5001 tokens; the engine has 1024",
        ),
    ],
)
def test_errors_come_in_openai_form(server, method, path, body, status, said):  # noqa: PLR0917
    got, text = ask(server, method, path, body)
    assert got == status
    assert said in json.loads(text)["error"]["message"]


def test_a_chat_stream_has_content_a_finish_reason_usage_and_done(server):
    body = {
        "model": "pdsched-tiny",
        "messages": [{"role": "user", "content": "你好"}],
        "max_tokens": 3,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    status, text = ask(server, "POST", "/v1/chat/completions", body)
    assert status == 200
    *events, done = [line[6:] for line in text.split("\n") if line.startswith("data: ")]
    assert done == "[DONE]"
    events = [json.loads(event) for event in events]
    assert [bool(e["choices"] and e["choices"][0]["delta"]) for e in events] == [True] * 3 + [
        False,
        False,
    ]
    assert events[3]["choices"][0]["finish_reason"] == "length"
    assert events[4]["usage"]["completion_tokens"] == 3


def test_a_client_that_leaves_frees_its_request(server):
    address = urlsplit(server.url)
    body = json.dumps({"model": "pdsched-tiny", "prompt": "x", "max_tokens": 900, "stream": True})
    head = f"POST /v1/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
    for _ in range(4):  # 57 of the 64 pages each: the next could not enter if one stayed
        with socket.create_connection((address.hostname, address.port), timeout=10) as client:
            client.sendall((head + body).encode())
            assert client.recv(100).startswith(b"HTTP/1.1 200")
    status, text = ask(
        server, "POST", "/v1/completions", {"model": "pdsched-tiny", "prompt": "x", "max_tokens": 4}
    )
    assert (status, json.loads(text)["usage"]["completion_tokens"]) == (200, 4)


def test_rubbish_does_not_stop_the_server(server):
    address = urlsplit(server.url)
    for rubbish in (b"\x00\x01\r\n\r\n", b"GET\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: x"):
        with socket.create_connection((address.hostname, address.port), timeout=10) as client:
            client.sendall(rubbish + b"\r\n\r\n")
            client.recv(1_000)
    assert ask(server, "GET", "/health")[0] == 200


def test_it_ends_without_a_word_while_requests_are_in_flight():
    body = json.dumps({"model": "pdsched-tiny", "prompt": "x", "max_tokens": 2})
    head = f"POST /v1/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n"
    with launched(*SMALL, "--fault", "slow", "--fault-delay-ms", "30000") as server:
        address = urlsplit(server.url)
        with socket.create_connection((address.hostname, address.port), timeout=10) as client:
            client.sendall((head + body).encode())
            assert ask(server, "GET", "/health")[0] == 200  # so the one before has been read
            server.process.terminate()
            assert server.process.wait(timeout=10) == 0
            assert server.process.stderr.read() == ""


@pytest.mark.parametrize("limit", ["--idle-seconds", "--max-seconds"])
def test_it_ends_by_itself(limit):
    with launched(*SMALL, limit, "0.3") as short:
        assert short.process.wait(timeout=10) == 0


def test_it_ends_with_the_process_that_started_it():
    code = (
        "import subprocess, sys;"
        "p = subprocess.Popen([sys.executable, '-m', 'pdsched.engine.server', '--layers', '1',"
        "'--width', '32'], stdout=subprocess.PIPE, text=True);"
        "print(p.stdout.readline(), end='')"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True, timeout=30
    )
    address = urlsplit(json.loads(told.stdout)["url"])
    deadline = time.monotonic() + 20
    while _listens(address) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _listens(address)


def _listens(address):
    try:
        socket.create_connection((address.hostname, address.port), timeout=5).close()
    except OSError:
        return False
    return True


def test_a_wrong_option_is_told_by_launched():
    with pytest.raises(RuntimeError, match="invalid choice"), launched("--fault", "earthquake"):
        pass
