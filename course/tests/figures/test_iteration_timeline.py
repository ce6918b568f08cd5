"""Panel 2b's picture as data: token bars against the budget, and the stall strip on both axes."""

import pytest

from pdsched.figures.iteration_timeline import (
    StallRow,
    StepBar,
    TimelinePicture,
    iteration_timeline,
)
from pdsched.figures.plotly_figure import to_plotly
from pdsched.figures.scene import MAX_MARKS, Box, Cells, Dot

# Hand-made: two decodes each; the second iteration adds a chunk of 5, the third asks for 9 of 8.
STEPS = (
    StepBar(0, 10, 2, why="first"),
    StepBar(10, 60, 2, ((0, 5),)),
    StepBar(60, 130, 2, ((0, 4), (1, 3)), fault="over"),
)
STALLS = (StallRow("c1", (0, 1, 2), (10.0, 60.0, 130.0)),)
PICTURE = TimelinePicture("t", 8, STEPS, STALLS)


def pieces(view, kind=Cells, picture=PICTURE):
    plot = iteration_timeline(picture, view).plot("tokens")
    return [mark for mark in plot.marks if isinstance(mark, kind)]


def test_squares_stack_decodes_then_chunks_then_idle_up_to_the_budget():
    first, second = pieces("step")[:2], pieces("step")[2:5]
    assert [(c.y0, c.count, c.role) for c in first] == [(0, 2, "decode"), (2, 6, "idle")]
    assert [(c.y0, c.count, c.role) for c in second] == [
        (0, 2, "decode"),
        (2, 5, "prefill"),
        (7, 1, "idle"),
    ]


def test_the_token_beyond_the_budget_is_red_and_its_iteration_crossed():
    third = pieces("step")[5:]
    assert [(c.y0, c.count, c.role) for c in third] == [
        (0, 2, "decode"),
        (2, 4, "prefill"),
        (6, 2, "prefill_alt"),
        (8, 1, "error"),
    ]
    (cross,) = pieces("step", Dot)
    assert (cross.x, cross.role, cross.why) == (2.5, "error", "over")


def test_the_ms_view_stretches_each_iteration_to_its_duration():
    assert {(c.x0, c.x1) for c in pieces("ms")} == {(0, 10), (10, 60), (60, 130)}


def test_the_same_gaps_are_one_step_each_but_fifty_and_seventy_milliseconds():
    def gaps(view):
        plot = iteration_timeline(PICTURE, view).plot("stalls")
        return [(m.x0, m.x1, m.text) for m in plot.marks if isinstance(m, Box)]

    assert gaps("step") == [(1.0, 2.0, "1 步"), (2.0, 3.0, "1 步")]
    assert [(start, end) for start, end, _ in gaps("ms")] == [(10.0, 60.0), (60.0, 130.0)]


def test_a_gap_far_above_the_usual_one_is_a_stall_with_its_milliseconds():
    row = StallRow("c1", (0, 1, 2, 3, 4), (0.0, 7.0, 14.0, 74.0, 81.0))
    plot = iteration_timeline(TimelinePicture("t", 8, STEPS, (row,)), "ms").plot("stalls")
    stalls = [m for m in plot.marks if isinstance(m, Box) and m.role == "stall"]
    assert [(m.x0, m.x1, m.text) for m in stalls] == [(14.0, 74.0, "60 ms")]
    assert row.longest_ms == 60


def test_a_prediction_is_drawn_from_the_start_of_the_longest_gap():
    picture = TimelinePicture("t", 8, STEPS, STALLS, predicted_ms=30)
    plot = iteration_timeline(picture, "ms").plot("stalls")
    (guess,) = [m for m in plot.marks if isinstance(m, Box) and m.role == "prediction"]
    assert (guess.x0, guess.x1) == (60.0, 90.0)


def test_a_baseline_is_outlined_behind():
    picture = TimelinePicture("t", 8, STEPS, STALLS, ghost=(StepBar(0, 20, 8),))
    ghosts = [box for box in pieces("ms", Box, picture) if box.role == "ghost"]
    assert [(g.x0, g.x1, g.y1) for g in ghosts] == [(0, 20, 8)]


def test_hover_columns_carry_the_reason_into_plotly_too():
    data = to_plotly(iteration_timeline(PICTURE, "step")).to_plotly_json()["data"]
    (columns,) = [trace for trace in data if trace["name"] == "why"]
    assert columns["hovertext"][0] == "first"


@pytest.mark.parametrize("budget", [1, 40, 41, 16384])
def test_a_full_picture_stays_legible(budget):
    step = StepBar(0, 1, budget // 2, tuple((n, max(1, budget // 8)) for n in range(4)))
    assert iteration_timeline(TimelinePicture("t", budget, (step,) * 120)).mark_count <= MAX_MARKS
