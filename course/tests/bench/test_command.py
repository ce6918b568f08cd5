"""``pdsched bench`` end to end against a real streaming server."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched import messages
from pdsched.bench import Timeouts
from pdsched.commands.bench import BenchOptions, run, timeouts
from pdsched.engine.server import launched
from pdsched.evidence import Evidence
from pdsched.metrics import Slo

SMALL = ("--layers", "1", "--width", "32", "--idle-seconds", "60")


@pytest.fixture(autouse=True)
def _english():
    messages.set_language("en")
    yield
    messages.set_language(None)


@pytest.fixture(scope="module")
def server():
    with launched(*SMALL) as running:
        yield running


def options(server, **more):
    small = {"num_requests": 5, "rate_per_s": 50.0, "max_prompt_tokens": 60, "max_output_tokens": 6}
    return BenchOptions(server.url, **(small | more))


def test_prints_the_simulators_columns_and_writes_measured_evidence(server, tmp_path, capsys):
    out = tmp_path / "evidence.json"
    assert run(options(server, out=out, slo=Slo(ttft_ms=10_000))) == 0
    printed = capsys.readouterr().out
    for words in ("TTFT P95 / ms", "ITL P99 / ms", "goodput", "evidence level: measured"):
        assert words in printed
    evidence = Evidence.from_json(out.read_text(encoding="utf-8"))
    assert evidence.evidence_level == "measured"
    assert evidence.rows[0]["finished"] == 5
    assert {"machine", "versions", "threads", "seed", "workload"} <= set(evidence.conditions)
    for request in evidence.requests:
        assert len(request["token_ms"]) == request["output_tokens"] <= 6
        assert request["prompt_tokens"] <= 60


def test_closed_loop_sends_without_arrival_times(server, capsys):
    assert run(options(server, concurrency=2)) == 0
    assert "closed, 2" in capsys.readouterr().out


def test_server_down_and_wrong_model_end_before_a_request_is_sent(server, capsys):
    assert run(options(server, model="gpt-5")) == 2
    assert "no model 'gpt-5'; it has: pdsched-tiny" in capsys.readouterr().err
    assert run(BenchOptions("http://127.0.0.1:9", num_requests=1)) == 2
    assert "Is the server up" in capsys.readouterr().err
    assert run(options(server, workload="no-such-file.csv")) == 2
    assert "unknown workload" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("disconnect", "disconnected in the middle"),
        ("malformed", "answer cannot be parsed"),
        ("silent", "went silent in the middle"),
        ("refuse", "server answered with an error"),
    ],
)
def test_a_fault_is_told_and_the_rest_is_measured(fault, said, capsys):
    with launched(*SMALL, "--fault", fault, "--fault-every", "2") as broken:
        waits = Timeouts(first_token_s=20, between_tokens_s=2)
        assert run(options(broken, max_output_tokens=60, timeouts=waits)) == 1
    printed = capsys.readouterr().out
    assert f"2 requests did not finish ({said})" in printed
    assert "TTFT P50" in printed


def test_when_nothing_finishes_it_says_so(capsys):
    with launched(*SMALL, "--fault", "refuse") as broken:
        assert run(options(broken)) == 1
    assert "no request finished" in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to another process on Windows")
def test_interrupting_keeps_what_was_finished(tmp_path):
    out = tmp_path / "evidence.json"
    code = (
        "import sys; from pathlib import Path; from pdsched.commands.bench import *;"
        f"o = BenchOptions(sys.argv[1], num_requests=40, rate_per_s=10.0, max_prompt_tokens=8,"
        f"max_output_tokens=2, out=Path({str(out)!r})); sys.exit(run(o))"
    )
    with launched("--metronome-ms", "20") as running:
        command = [sys.executable, "-c", code, running.url]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        asyncio.run(asyncio.sleep(2.0))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 1
    evidence = json.loads(out.read_text(encoding="utf-8"))
    assert 0 < evidence["rows"][0]["finished"] < 40


def test_patience_is_one_number_of_seconds():
    assert timeouts(None) == Timeouts()
    assert (timeouts(2.5).first_token_s, timeouts(2.5).between_tokens_s) == (2.5, 2.5)
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="above 0"):
            timeouts(wrong)


@pytest.mark.parametrize("name", ["concurrency", "max_prompt_tokens", "max_output_tokens"])
def test_a_count_below_one_is_refused_before_anything_is_sent(name):
    with pytest.raises(ValueError, match=f"{name} must be at least 1, got 0"):
        BenchOptions(url="http://127.0.0.1:1", **{name: 0}).requests()
