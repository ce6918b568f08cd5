"""Client against real servers, healthy and broken: every failure has a name, the rest is kept."""

import asyncio
import json
import os
import re
import socket
import urllib.request

import pytest

np = pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched.bench import Target, Timeouts, client, run_load  # noqa: E402
from pdsched.bench.client import Failure, list_models  # noqa: E402
from pdsched.bench.prompts import prompt_ids  # noqa: E402
from pdsched.engine import Engine, ModelConfig  # noqa: E402
from pdsched.engine.server import launched  # noqa: E402
from pdsched.messages import text  # noqa: E402
from pdsched.workload import Request  # noqa: E402

SMALL = ("--layers", "1", "--width", "32", "--idle-seconds", "60")


def workload(count=6, output_tokens=5):
    return [Request(f"r{i}", i * 5.0, 20 + i, output_tokens) for i in range(count)]


def load(server, requests, model=None, chat=False, **options):
    target = Target.from_url(server.url, model or server.model, chat=chat)
    return asyncio.run(run_load(target, requests, **options))


@pytest.fixture(scope="module")
def server():
    with launched(*SMALL) as running:
        yield running


@pytest.mark.parametrize("chat", [False, True])
def test_every_token_of_every_request_has_a_time(server, chat):
    run = load(server, workload(), chat=chat)
    assert [r.request_id for r in run.finished] == [f"r{i}" for i in range(6)]
    for request, result in zip(workload(), run.results, strict=True):
        assert len(result.token_ms) == len(result.server_ms) == result.output_tokens == 5
        assert sorted(result.token_ms) == list(result.token_ms)
        assert request.arrival_ms <= result.sent_ms < result.token_ms[0]
        if not chat:
            assert result.prompt_tokens == request.prompt_tokens


def test_streamed_tokens_are_the_engines_own_greedy_tokens(server):
    request = Request("r", 0.0, 30, 4)
    config = ModelConfig(1, 32, 1, 1, mlp_width=96)
    engine = Engine(config, num_pages=8)
    engine.add("r", prompt_ids(request, seed=0))
    expected = [engine.step([("r", 30)])["r"]] + [engine.step([("r", 1)])["r"] for _ in range(3)]
    body = {"model": server.model, "prompt": prompt_ids(request, seed=0), "max_tokens": 4}
    asked = urllib.request.Request(
        f"{server.url}/v1/completions", json.dumps(body).encode(), method="POST"
    )
    with urllib.request.urlopen(asked, timeout=10) as answer:
        text = json.load(answer)["choices"][0]["text"]
    assert [ord(character) - 0x4E00 for character in text] == expected


def test_closed_loop_keeps_at_most_so_many_in_flight(server):
    run = load(server, [Request(f"r{i}", 0.0, 8, 4) for i in range(6)], max_in_flight=2)
    assert len(run.finished) == 6
    edges = [(r.sent_ms, 1) for r in run.results] + [(r.token_ms[-1], -1) for r in run.results]
    in_flight = peak = 0
    for _, change in sorted(edges):
        in_flight += change
        peak = max(peak, in_flight)
    assert peak <= 2


def test_wrong_model_name_lists_what_there_is(server):
    failure = load(server, workload(1), model="gpt-5").results[0].failure
    assert failure.kind == "wrong_model"
    assert "gpt-5" in failure.detail
    assert "pdsched-tiny" in failure.detail


def test_a_request_the_server_cannot_hold_is_an_http_error(server):
    (result,) = load(server, [Request("huge", 0.0, 100_000, 4)]).results
    assert result.failure.kind == "http_error"
    assert "needs room for 100004 tokens" in result.failure.detail


# Long enough for a healthy request on a busy machine, short beside the fault.
FAST = Timeouts(first_token_s=2.0, between_tokens_s=2.0)


@pytest.mark.parametrize(
    ("fault", "kind", "tokens"),
    [
        ("slow", "first_token_timeout", 0),
        ("silent", "between_tokens_timeout", 2),
        ("disconnect", "disconnected", 2),
        ("malformed", "malformed", 2),
        ("refuse", "http_error", 0),
    ],
)
def test_a_fault_has_its_name_and_finished_requests_are_kept(fault, kind, tokens):
    with launched(
        *SMALL, "--fault", fault, "--fault-every", "3", "--fault-delay-ms", "30000"
    ) as broken:
        run = load(broken, workload(), timeouts=FAST)
    assert len(run.finished) == 4
    failed = [r for r in run.results if r.failure]
    assert [r.failure.kind for r in failed] == [kind, kind]
    assert [len(r.token_ms) for r in failed] == [tokens, tokens]


def test_a_slow_request_as_a_whole_times_out():
    with launched("--metronome-ms", "200") as slow:
        run = load(slow, workload(1, output_tokens=50), timeouts=Timeouts(total_s=2.0))
    assert run.results[0].failure.kind == "total_timeout"
    assert run.results[0].token_ms, "what came is kept"


def test_a_server_that_is_down_is_told_once_it_is_clear():
    with launched(*SMALL) as gone:
        pass
    target = Target.from_url(gone.url, gone.model)
    listed = asyncio.run(list_models(target))
    assert isinstance(listed, Failure)
    assert listed.kind == "refused"
    run = load(gone, [Request(f"r{i}", i * 10.0, 4, 1) for i in range(25)])
    kinds = [r.failure.kind for r in run.results]
    assert kinds[:20] == ["refused"] * 20
    assert kinds[-1] == "not_sent"


def test_a_server_that_dies_in_the_middle_leaves_what_was_finished():
    async def scenario(running):
        target = Target.from_url(running.url, running.model)
        requests = [Request("short", 0.0, 4, 1), Request("long", 0.0, 4, 500)]
        task = asyncio.ensure_future(
            run_load(target, requests, on_result=lambda _: running.process.kill())
        )
        return await task

    with launched("--metronome-ms", "20") as running:
        run = asyncio.run(scenario(running))
    assert [r.failure and r.failure.kind for r in run.results] == [None, "disconnected"]


def test_stopping_early_keeps_finished_requests():
    async def scenario(running):
        target = Target.from_url(running.url, running.model)
        requests = [
            Request("short", 0.0, 4, 3),
            Request("long", 0.0, 4, 5_000),
            Request("later", 60_000.0, 4, 1),
        ]
        task = asyncio.ensure_future(run_load(target, requests, on_result=lambda _: task.cancel()))
        return await task

    with launched("--metronome-ms", "20") as running:
        run = asyncio.run(scenario(running))
    assert [r.failure and r.failure.kind for r in run.results] == [None, "not_sent", "not_sent"]
    assert run.results[1].token_ms, "what had come of it is kept"


def test_shared_prefixes_have_the_same_tokens_and_the_rest_differs():
    one, two = (Request(n, 0.0, 50, 1, cached_tokens=32) for n in "ab")
    a, b = prompt_ids(one, seed=1), prompt_ids(two, seed=1)
    assert len(a) == len(b) == 50
    assert a[:32] == b[:32]
    assert a[32:] != b[32:]
    traced = Request("t", 0.0, 700, 1, prefix_block_ids=(7, 8), prefix_block_tokens=512)
    other = Request("u", 0.0, 600, 1, prefix_block_ids=(7, 9), prefix_block_tokens=512)
    assert prompt_ids(traced, seed=1)[:512] == prompt_ids(other, seed=1)[:512]
    assert prompt_ids(traced, seed=1)[512:600] != prompt_ids(other, seed=1)[512:]


@pytest.mark.parametrize("url", ["ftp://host", "http://", "://"])
def test_an_address_that_is_not_http_is_refused(url):
    with pytest.raises(ValueError, match=re.escape(text("bench.bad_url", url=url))):
        Target.from_url(url, "m")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 9)"), os.strerror(111)),
        (socket.gaierror(-2, "Name or service not known"), "Name or service not known"),
        (OSError("Multiple exceptions: a, b"), "Multiple exceptions: a, b"),
    ],
)
def test_a_failure_to_connect_is_told_in_the_systems_own_words(error, words):
    assert client._plainly(error) == words
