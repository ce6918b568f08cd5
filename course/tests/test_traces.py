"""Trace readers: the formats, the prefix cache, and what happens to a bad line or no network."""

import math
from pathlib import Path

import pytest

from pdsched import workload as w

TRACES = Path(__file__).parents[3] / "shared" / "traces"
needs_traces = pytest.mark.skipif(
    not TRACES.is_dir(), reason="the public traces are not beside this checkout"
)

AZURE = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2023-11-16 18:15:46.6805900,374,44\n"
    "2023-11-16 18:15:50.9951690,396,109\n"
)
MOONCAKE = (
    '{"timestamp": 0, "input_length": 1300, "output_length": 5, "hash_ids": [0, 1, 2]}\n'
    '{"timestamp": 3000, "input_length": 1100, "output_length": 6, "hash_ids": [0, 1, 9]}\n'
    '{"timestamp": 3000, "input_length": 1024, "output_length": 7, "hash_ids": [0, 1]}\n'
)


def write(tmp_path, text, name="trace"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.core
def test_azure_rows_become_requests_and_the_clock_starts_at_the_first(tmp_path):
    first, second = w.read_trace(write(tmp_path, AZURE))
    assert (first.arrival_ms, first.prompt_tokens, first.output_tokens) == (0.0, 374, 44)
    assert second.arrival_ms == pytest.approx(4314.579, abs=1e-3)


@pytest.mark.core
def test_mooncake_hits_are_leading_known_blocks_with_one_token_left(tmp_path):
    requests = w.read_trace(write(tmp_path, MOONCAKE))
    assert [r.cached_tokens for r in requests] == [0, 1024, 1023]
    assert requests[1].prefix_block_ids == (0, 1, 9)


@pytest.mark.core
def test_a_small_prefix_cache_forgets_and_none_never_hits(tmp_path):
    path = write(tmp_path, MOONCAKE)
    assert [r.cached_tokens for r in w.read_mooncake_jsonl(path, cache_blocks=0)] == [0, 0, 0]
    # Two blocks fit: after the first request only 1 and 2 are left, so its prefix is gone.
    assert [r.cached_tokens for r in w.read_mooncake_jsonl(path, cache_blocks=2)] == [0, 0, 0]
    with pytest.raises(ValueError, match="cache_blocks"):
        w.read_mooncake_jsonl(path, cache_blocks=math.nan)


@pytest.mark.core
def test_a_plain_csv_is_sorted_and_may_carry_ids_and_hits(tmp_path):
    text = (
        "request_id,arrival_ms,prompt_tokens,output_tokens,cached_tokens\n"
        "b,250,100,3,16\na,50,10,2,\n"
    )
    a, b = w.read_trace(write(tmp_path, text))
    assert (a.request_id, a.arrival_ms, a.cached_tokens) == ("a", 0.0, 0)
    assert (b.request_id, b.arrival_ms, b.cached_tokens) == ("b", 200.0, 16)


@pytest.mark.core
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b,c\n1,2,3\n", "unknown trace format"),
        ("", "unknown trace format"),
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n", "no requests"),
        (AZURE + "yesterday,1,1\n", "line 4"),
        (AZURE + "2023-11-16 18:15:51,0,1\n", "line 4.*prompt_tokens must be at least 1"),
        (AZURE + "2023-11-16 18:15:51,12.5,1\n", "line 4"),
        ("arrival_ms,prompt_tokens,output_tokens\nnan,1,1\n", "line 2.*arrival_ms"),
        ("arrival_ms,prompt_tokens,output_tokens\n5,1\n", "line 2"),
        (MOONCAKE + "{oops\n", "line 4: not JSON"),
        (MOONCAKE + '{"timestamp": 1}\n', "line 4: missing field"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, words):
    with pytest.raises(w.TraceError, match=words):
        w.read_trace(write(tmp_path, text))


@pytest.mark.core
def test_rate_scaling_keeps_requests_and_slicing_resets_the_clock(tmp_path):
    requests = w.synthetic("chat", 200, seed=5)
    twice = w.scale_rate(requests, 2)
    assert twice[-1].arrival_ms == pytest.approx(requests[-1].arrival_ms / 2)
    assert [r.prompt_tokens for r in twice] == [r.prompt_tokens for r in requests]
    assert w.summarize_workload(w.with_rate(requests, 3.5)).rate_per_s == pytest.approx(3.5)
    part = w.between(requests, 5_000, 20_000)
    assert part[0].arrival_ms == 0.0
    assert 0 < len(part) < 200
    for factor in (0, -1, math.nan):
        with pytest.raises(ValueError, match="factor"):
            w.scale_rate(requests, factor)
    with pytest.raises(ValueError, match="below end_ms"):
        w.between(requests, 5, 5)


@pytest.mark.core
def test_the_summary_line_says_lengths_rate_burstiness_and_balance():
    requests = [w.Request(f"r{i}", i * 100.0, 24, 2) for i in range(5)]
    summary = w.summarize_workload(requests)
    assert str(summary) == (
        "5 requests at 10.00/s (CV 0.00); prompt P50/P90/P99 24/24/24, output 2/2/2 tokens; "
        "prefix hits 0.0%; prefill:decode 12.0:1 in tokens, 1.00:1 in work"
    )
    with pytest.raises(ValueError, match="empty workload"):
        w.summarize_workload([])


def test_no_network_means_a_clear_warning_and_the_synthetic_preset(tmp_path, monkeypatch):
    pooch = pytest.importorskip("pooch")

    def unreachable(*_args, **_kwargs):
        raise ConnectionError("no route to host")

    monkeypatch.setattr(pooch, "retrieve", unreachable)
    with pytest.warns(w.SyntheticStandInWarning, match=r"azure-conv.*no network.*'chat'"):
        requests = w.public_trace("azure-conv", num_requests=30, cache_dir=tmp_path)
    assert requests == w.synthetic("chat", 30)


def test_a_download_with_another_checksum_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    trace = w.PUBLIC_TRACES["azure-conv"]
    path = write(tmp_path, AZURE, "served.csv")
    changed = w.public.PublicTrace("here", path.as_uri(), trace.sha256, 2, "chat", "CC-BY")
    monkeypatch.setattr(w.public, "PUBLIC_TRACES", {"here": changed})
    with pytest.raises(w.TraceUnavailableError, match="here"):
        w.fetch_trace("here", cache_dir=tmp_path / "cache")


def test_a_workload_has_one_name(tmp_path):
    assert w.workload("chat", num_requests=3, seed=1) == w.synthetic("chat", 3, seed=1)
    from_file = w.workload(str(write(tmp_path, AZURE)), rate_per_s=2.0)
    assert from_file[1].arrival_ms == pytest.approx(500)
    with pytest.raises(ValueError, match=r"unknown workload 'chatt'.*azure-conv"):
        w.workload("chatt")
    with pytest.raises(ValueError, match="num_requests"):
        w.workload("chat", num_requests=0)


# Serving facts of the traces: rows, prompt and output P50/P90/P99, rate, CV, share of prefix hits.
PUBLISHED = {
    "azure-conv": (19_366, (1020, 2735, 4142), (129, 424, 601), 5.53, 1.09, 0),
    "azure-code": (8_819, (1469, 5188, 7436), (13, 55, 252), 2.57, 13.2, 0),
    "mooncake-conv": (12_031, (6909, 27367, 85400), (350, 597, 1119), 3.4, 3, 0.374),
}


def local_copy(name):
    file = Path(w.PUBLIC_TRACES[name].url).name
    return TRACES / (f"mooncake_{file}" if name.startswith("mooncake") else file)


@needs_traces
@pytest.mark.parametrize("name", PUBLISHED)
def test_the_public_traces_have_their_published_statistics(name):
    rows, prompt, output, rate, cv, cached = PUBLISHED[name]
    summary = w.summarize_workload(w.read_trace(local_copy(name)))
    assert summary.num_requests == rows
    assert summary.prompt_tokens == pytest.approx(prompt, rel=0.002)
    assert summary.output_tokens == pytest.approx(output, abs=1)
    assert summary.rate_per_s == pytest.approx(rate, rel=0.01)
    assert summary.arrival_cv == pytest.approx(cv, rel=0.02)
    assert summary.cached_share == pytest.approx(cached, abs=0.001)


@needs_traces
@pytest.mark.parametrize("name", PUBLISHED)
def test_a_download_with_the_pinned_checksum_is_read(name, monkeypatch):
    pooch = pytest.importorskip("pooch")
    trace, local = w.PUBLIC_TRACES[name], local_copy(name)

    def served_locally(url, known_hash, **_kwargs):
        assert url == trace.url
        assert known_hash == f"sha256:{pooch.file_hash(str(local))}"
        return str(local)

    monkeypatch.setattr(pooch, "retrieve", served_locally)
    assert len(w.public_trace(name)) == trace.num_requests


PLAIN_HEADER = b"arrival_ms,prompt_tokens,output_tokens\n"


@pytest.mark.core
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\x00\x01", "must be uncompressed UTF-8 text"),
        (PLAIN_HEADER + b"0,nan,5\n", "line 2: prompt_tokens must be an integer, got 'nan'"),
        (PLAIN_HEADER + b"nan,3,5\n", "line 2: arrival_ms must be a finite number, got 'nan'"),
        (PLAIN_HEADER + b"0,3\n", "line 2: output_tokens must be an integer, got None"),
        (PLAIN_HEADER + b'0,3,"' + b"9" * 200_000 + b'"\n', "not a CSV"),
        (b'{"timestamp": 0}\n[1]\n', "missing field|must be a JSON object"),
        (b'{"a": ' + b"[" * 100_000 + b"\n", "nested too deep"),
        (
            b'{"timestamp": 0, "input_length": 1.5, "output_length": 2, "hash_ids": []}\n',
            "input_length must be an integer, got '1.5'",
        ),
    ],
)
def test_a_file_that_is_no_trace_is_one_sentence_with_its_name(tmp_path, content, words):
    path = tmp_path / "odd.csv"
    path.write_bytes(content)
    with pytest.raises(w.TraceError, match=words) as caught:
        w.read_trace(path)
    assert "odd.csv" in str(caught.value)
