"""Timelines as data frames and as Chrome trace events."""

import json
import sys
from pathlib import Path

import pytest

from pdsched.kvcache import KVCache
from pdsched.simulator import Cluster, HandoffLink, simulate
from pdsched.workload import Request

sys.path.insert(0, str(Path(__file__).parent))
from costs import TokenCost


@pytest.fixture
def timeline():
    requests = [Request("a", 0.0, 20, 3), Request("b", 5.0, 4, 2)]
    link = HandoffLink(1e6 / 16, 1.0)
    return simulate(
        requests,
        "decode_first",
        TokenCost(),
        max_num_batched_tokens=16,
        kv=KVCache(8),
        cluster=Cluster.pd(1, 1, link),
    )


@pytest.mark.parametrize("what", ["requests", "iterations", "handoffs", "workers"])
def test_frames_have_a_row_for_each_record(timeline, what):
    pytest.importorskip("pandas")
    frame = timeline.to_dataframe(what)
    assert len(frame) == len(getattr(timeline, what))


def test_the_request_frame_carries_the_derived_times(timeline):
    pytest.importorskip("pandas")
    frame = timeline.to_dataframe().set_index("request_id")
    assert frame.loc["a", "ttft_ms"] == timeline.requests[0].ttft_ms()
    assert frame.loc["b", "tpot_ms"] == timeline.requests[1].tpot_ms


@pytest.mark.core
def test_a_trace_is_json_that_perfetto_reads(timeline):
    trace = json.loads(json.dumps(timeline.to_chrome_trace()))
    assert trace["otherData"]["evidence"] == "simulated"
    assert trace["otherData"]["cost_model"] == "1 + tokens"
    events = trace["traceEvents"]
    names = {e["args"]["name"]: e["pid"] for e in events if e["ph"] == "M"}
    assert list(names) == ["prefill0", "decode0", "link", "requests"]
    spans = [e for e in events if e["ph"] == "X"]
    assert all({"name", "cat", "pid", "tid", "ts", "dur"} <= set(e) for e in spans)
    assert all(e["dur"] > 0 for e in spans)
    first = next(e for e in spans if e["pid"] == names["prefill0"])
    assert (first["ts"], first["dur"], first["cat"]) == (0, 17_000, "prefill")  # microseconds
    assert sum(e["pid"] == names["link"] for e in spans) == 2
    counters = {e["name"] for e in events if e["ph"] == "C"}
    assert counters == {"scheduled tokens", "requests", "KV blocks"}


@pytest.mark.core
def test_iterations_index_slice_and_iterate_alike(timeline):
    iterations = timeline.iterations
    listed = list(iterations)
    assert [iterations[i] for i in range(len(iterations))] == listed
    assert iterations[1:3] == listed[1:3]
    assert iterations[-1] == listed[-1]
    assert [i.index for i in listed] == list(range(len(listed)))
