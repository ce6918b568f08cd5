"""Lab 5: equal GPUs, named evidence, decisions by the learner's function or an honest stand-in."""

import pytest

pytest.importorskip("numpy", reason="the labs need the extra `labs`")

from pdsched.labs import benchmark
from pdsched.labs.benchmark import Decider
from pdsched.labs.own_plan import OwnPlan


def small(**changes):
    return benchmark.base(num_requests=40, **changes)


def test_every_system_uses_two_gpus_and_says_it_is_simulated():
    table = benchmark.compare("t", small(), benchmark.systems())
    assert table.evidence_level == "simulated"
    assert "error" in table.conditions["cost_model"]
    assert len(table.rows) == 3
    gpus = {benchmark.replace(small(), **c).gpus for c in benchmark.systems().values()}
    assert gpus == {2}
    handed_over = [row.get("handoff_mb") for row in table.rows]
    assert handed_over[0] is handed_over[1] is None
    assert handed_over[2] > 0


def test_a_sweep_has_one_point_per_load_and_system():
    sweep = benchmark.load_sweep(small(), [4, 16])
    lines = sweep.curve(lambda result: result.metrics.goodput_per_s)
    assert all([x for x, _ in line] == [4, 16] for line in lines.values())
    assert len(benchmark.goodput_picture(sweep).scene.plots[0].marks) > 6


def test_policies_without_a_learner_are_the_three_engines():
    table = benchmark.policies(small(rate_per_s=8.0), OwnPlan(None, ""))
    assert [row["plan"] for row in table.rows] == ["vllm_v1", "sglang", "sarathi"]


def test_the_learners_decision_gets_computed_numbers_and_colours_the_tiles():
    asked = []

    def evaluate(baseline, split_run, max_handoff_ms):
        asked.append((baseline, split_run, max_handoff_ms))
        return {"keep_split": len(asked) == 1}

    picture = benchmark.slo_map(
        small(), Decider(evaluate), ttft_slos_ms=(300, 600), tpot_slos_ms=(12,)
    )
    roles = [mark.role for mark in picture.scene.plots[0].marks]
    assert roles == ["keep", "reject"]
    baseline, split, limit = asked[0]
    assert set(baseline) == {"throughput", "p95_latency_ms", "handoff_ms"}
    assert baseline["handoff_ms"] == 0 < split["handoff_ms"]
    assert limit == 20.0


def test_the_stand_in_decides_by_goodput_alone_and_says_so():
    decider = Decider(None)
    assert "evaluate_pd_decision" in str(decider)
    better = {"throughput": 2.0, "p95_latency_ms": 999.0, "handoff_ms": 999.0}
    worse = {"throughput": 1.0, "p95_latency_ms": 1.0, "handoff_ms": 0.0}
    assert decider.decide(worse, better)["keep_split"] is True
    assert decider.decide(better, worse)["keep_split"] is False


def test_a_slow_link_shows_in_the_map():
    picture = benchmark.load_map(
        small(), Decider(None), rates_per_s=(16,), links=("nvlink-h100", "ethernet-25g")
    )
    fast, slow = picture.scene.plots[0].marks
    assert fast.role == "keep" or fast.text != slow.text
