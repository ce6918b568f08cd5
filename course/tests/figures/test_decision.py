"""Panel 4's picture as data: three systems over load, the keep region and the SLO box."""

import pytest

from pdsched.figures.decision import Limits, LoadPoint, Outcome, decision
from pdsched.figures.scene import Box, Dot, Line, Note

LIMITS = Limits(max_handoff_ms=10, ttft_ms=300, tpot_ms=20)


def outcomes(pd_latency):
    return {
        "shared": Outcome(100, 1, 180, 200, 30),
        "chunked": Outcome(110, 2, 170, 250, 15),
        "pd": Outcome(126, 3, pd_latency, 280, 12, handoff_ms=8),
    }


POINTS = (
    LoadPoint(1, outcomes(150), keep=True, why="all three"),
    LoadPoint(2, outcomes(190), keep=True, fault="P95 is worse"),
    LoadPoint(4, outcomes(190), keep=False),
)


def marks(plot, kind, **options):
    found = decision(POINTS, LIMITS, **options).plot(plot).marks
    return [mark for mark in found if isinstance(mark, kind)]


@pytest.mark.parametrize("plot", ["rates", "latency", "handoff"])
def test_the_keep_region_is_the_learners_decision_at_each_load(plot):
    bands = [(box.x0, box.x1, box.role) for box in marks(plot, Box)]
    assert bands == [(0, 1, "keep"), (1, 2, "keep"), (2, 3, "reject")]


def test_each_system_is_a_line_through_its_value_at_each_load():
    lines = {line.role: [y for _, y in line.points] for line in marks("latency", Line)}
    assert lines == {
        "system_shared": [180, 180, 180],
        "system_chunked": [170, 170, 170],
        "system_pd": [150, 190, 190],
    }


def test_goodput_replaces_throughput_on_request():
    lines = {line.role: line.points[0][1] for line in marks("rates", Line, metric="goodput")}
    assert lines == {"system_shared": 1, "system_chunked": 2, "system_pd": 3}


def test_a_wrong_decision_is_crossed_with_its_sentence():
    crosses = [(dot.x, dot.why) for dot in marks("rates", Dot) if dot.role == "error"]
    assert crosses == [(1.5, "P95 is worse")]


def test_the_handoff_budget_is_a_line():
    (budget,) = [line for line in marks("handoff", Line) if line.role == "budget"]
    assert {y for _, y in budget.points} == {10}


def test_points_outside_the_slo_box_are_hollow():
    dots = [(dot.role, dot.hollow) for dot in marks("slo", Dot)]
    assert dots.count(("system_shared", True)) == 3
    assert dots.count(("system_chunked", False)) == 3
    assert dots.count(("system_pd", False)) == 3
    (box,) = marks("slo", Box)
    assert (box.x1, box.y1) == (300, 20)


def test_the_prediction_is_written_beside_the_outcome():
    words = [note.text for note in marks("rates", Note, predicted=2.0)]
    assert any("2 档" in each for each in words)


def test_without_decisions_only_the_lines_are_drawn():
    frame = [LoadPoint(1, outcomes(150)), LoadPoint(2, outcomes(150))]
    assert not [m for m in decision(frame, LIMITS).plot("rates").marks if isinstance(m, Box)]


def test_before_an_answer_the_split_can_be_kept_back():
    shared = {name: o for name, o in outcomes(150).items() if name != "pd"}
    scene = decision([LoadPoint(1, shared), LoadPoint(2, shared)], LIMITS)
    roles = {m.role for plot in scene.plots for m in plot.marks}
    assert "system_pd" not in roles
    assert [plot.name for plot in scene.plots] == ["rates", "latency", "slo"]
