"""Prediction over measurement: the same scenario, simulated, must be the same arithmetic."""

import pytest

pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched.cost import LinearCost
from pdsched.engine.stall import Scenario, StallRun
from pdsched.evidence import Evidence
from pdsched.labs.own_plan import OwnPlan
from pdsched.labs.real_engine import (
    LONG_PROMPT,
    Calibration,
    StallLab,
    mixed_requests,
    overlay,
    rate_that_keeps_busy,
    slo_of,
)

COST = LinearCost("toy", "by hand", "exact", base_ms=1.0, prefill_token_ms=0.1, decode_ms=0.5)
SCENARIO = Scenario(num_chats=2, chat_context_tokens=10, prompt_tokens=100, settle_steps=4)


def measured(gaps, ttft_ms):
    return StallRun(2.0, max(gaps), ttft_ms, tuple(gaps), (), 7)


def lab_with(specs, runs):
    table = Evidence("t", "measured", [], {"machine": "m"})
    return StallLab(SCENARIO, specs, runs, table, Calibration(COST, ()))


def test_overlay_predicts_a_whole_prompt_and_its_chunks_by_hand():
    plan = OwnPlan(None, "")
    specs = {"whole": plan.spec(None), "chunk 40": plan.spec(40, num_decodes=2)}
    # whole: 1 + 100 x 0.1 + 2 x 0.5 = 12 ms, then two steps with three decodes: 2.5 ms each
    # chunk 40: 1 + 4 + 1 = 6, 6, then 20 tokens: 4 ms, then 2.5 ms each
    runs = {
        "whole": measured([12.0, 2.5, 2.5], 12.0),
        "chunk 40": measured([6.0, 6.0, 4.0, 2.5, 2.5], 32.0),
    }
    found = overlay(lab_with(specs, runs), plan)
    assert found.predicted["whole"] == pytest.approx([12.0, 2.5, 2.5], abs=1e-3)
    assert found.predicted["chunk 40"] == pytest.approx([6.0, 6.0, 4.0, 2.5, 2.5], abs=1e-3)
    errors = {row["plan"]: row["error"] for row in found.table.rows}
    assert errors == {
        "whole · max ITL": "+0%",
        "whole · TTFT": "+0%",
        "chunk 40 · max ITL": "+0%",
        "chunk 40 · TTFT": "-50%",  # 16 ms predicted; the made-up measurement says 32
    }
    picture = found.picture("chunk 40")
    assert "0" in picture.to_svg()


def test_mixed_requests_are_seeded_and_sorted():
    first, again = (mixed_requests(50, rate_per_s=5, seed=3) for _ in range(2))
    assert first == again
    assert first != mixed_requests(50, rate_per_s=5, seed=4)
    assert [r.arrival_ms for r in first] == sorted(r.arrival_ms for r in first)
    assert {r.prompt_tokens for r in first} == {64, 1_024}


def test_the_rate_fills_a_prefill_worker_as_asked_on_any_machine():
    # 1 + 0.1 x 1,024 = 103.4 ms and 1 + 0.1 x 64 = 7.4 ms: 0.3 x 103.4 + 0.7 x 7.4 = 36.2 ms
    rate = rate_that_keeps_busy(COST, prefill_share=0.5)
    assert rate == pytest.approx(500 / 36.2)
    requests = mixed_requests(4_000, rate_per_s=rate, seed=0)
    busy_ms = sum(COST.iteration_ms(r.prompt_tokens, 0, 0.0, 0, 0, 1) for r in requests)
    assert busy_ms / requests[-1].arrival_ms == pytest.approx(0.5, rel=0.1)


def test_limits_are_multiples_of_what_an_idle_engine_needs():
    slo = slo_of(COST, times=2)
    assert slo.ttft_ms == pytest.approx(2 * (1 + 0.1 * LONG_PROMPT))
    assert slo.tpot_ms == pytest.approx(2 * (1 + 8 * 0.5))
