"""Panel 4: the learner's decision at each load of one simulation."""

import sys
from pathlib import Path

from pdsched.panels.decision import Decision
from pdsched.panels.decision_runs import LOADS

sys.path.insert(0, str(Path(__file__).parent))
import learner_functions as learner

SPEC = Decision()


def view_of(function=learner.right_decision, **values):
    return SPEC.compute(function, SPEC.settings(values), None)


def test_a_larger_handoff_budget_never_shrinks_the_keep_region():
    kept = [view_of(max_handoff=ms).answer for ms in (1, 20, 500)]
    assert kept == sorted(kept)
    assert kept[0] == 0
    assert kept[-1] > kept[0]


def test_the_function_is_asked_once_for_each_load_with_the_numbers_drawn():
    seen = []

    def spy(baseline, split_run, max_handoff_ms):
        seen.append((baseline["throughput"], split_run["handoff_ms"], max_handoff_ms))
        return learner.right_decision(baseline, split_run, max_handoff_ms)

    view = view_of(spy, max_handoff=50)
    lines = {m.role: m for m in view.scene.plot("rates").marks if hasattr(m, "points")}
    drawn = [y for _, y in lines["system_chunked"].points]
    assert len(seen) == len(LOADS)
    assert [throughput for throughput, _, _ in seen] == drawn
    assert {limit for _, _, limit in seen} == {50.0}


def test_keeping_on_throughput_alone_is_wrong_where_another_condition_fails():
    view = view_of(learner.throughput_only)
    assert view.faults
    assert "✗" in view.faults[0]


def test_a_wrong_reported_number_is_named():
    def negated(baseline, split_run, max_handoff_ms):
        decided = learner.right_decision(baseline, split_run, max_handoff_ms)
        return {**decided, "throughput_gain": -decided["throughput_gain"]}

    assert "throughput_gain" in view_of(negated).faults[0]


def test_the_two_definitions_of_ttft_move_only_pd():
    def ttft(definition):
        view = view_of(first_token=definition)
        lines = [m for m in view.scene.plot("slo").marks if hasattr(m, "points")]
        return {line.role: line.points[0][0] for line in lines if line.role != "slo"}

    on_p, after = ttft("prefill"), ttft("decode")
    assert after["system_pd"] > on_p["system_pd"]
    assert after["system_shared"] == on_p["system_shared"]
