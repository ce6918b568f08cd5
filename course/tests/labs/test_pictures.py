"""Pictures of the labs: every series is named, every long wait is marked, nothing is empty."""

import pytest

pytest.importorskip("numpy", reason="the labs need the extra `labs`")

from pdsched.figures.scene import Box, Line, Note
from pdsched.labs.pictures import (
    Limit,
    Tile,
    curves,
    decision_map,
    predicted_against_measured,
    stall_strip,
)


def marks(picture, kind):
    (plot,) = picture.scene.plots
    return [mark for mark in plot.marks if isinstance(mark, kind)]


def test_curves_name_each_line_and_keep_names_apart():
    picture = curves(
        "k", "t", {"a": [(1, 5.0), (2, 9.0)], "b": [(1, 5.0), (2, 9.0)]}, x="x", y="y",
        limit=Limit(7.0, "SLO"),
    )  # fmt: skip
    assert len(marks(picture, Line)) == 3
    names = {note.text: note for note in marks(picture, Note)}
    assert set(names) == {"a", "b", "SLO"}
    assert abs(names["a"].dy_px - names["b"].dy_px) > 16
    assert "a: 5-9" in picture.scene.alt


def test_the_strip_marks_waits_above_the_limit_and_says_the_longest():
    picture = stall_strip("k", "t", {"whole": [3.0, 430.0, 3.0]}, long_ms=30, x="ms")
    boxes = marks(picture, Box)
    assert [box.role for box in boxes] == ["decode", "stall", "decode"]
    assert boxes[1].text == "430 ms"
    assert (boxes[1].x0, boxes[1].x1) == (3.0, 433.0)


def test_the_diagonal_is_where_prediction_is_right():
    picture = predicted_against_measured("k", "t", [(2.0, 2.2), (50.0, 45.0)], x="m", y="p")
    (diagonal,) = marks(picture, Line)
    assert all(x == y for x, y in diagonal.points)


def test_the_map_has_a_tile_per_point_and_counts_what_is_kept():
    tiles = {("1k", "short"): Tile(True, "+5%", "w"), ("8k", "short"): Tile(False, "-2%", "w")}
    picture = decision_map("k", "t", tiles, x="prompt", y="output")
    assert [box.role for box in marks(picture, Box)] == ["keep", "reject"]
    assert "1 / 2" in picture.scene.alt
