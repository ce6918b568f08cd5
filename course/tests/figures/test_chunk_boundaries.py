"""Panel 2a's picture as data: token positions, chunk bars, yield points and flaws."""

import pytest

from pdsched.figures import MAX_MARKS, ChunkPlan, Flaws, chunk_boundaries
from pdsched.figures.scene import Box, Cells, Dot, Line

PLAN = ChunkPlan(6, 13, 5, (5, 5, 3))


def marks(scene, plot, kind):
    return [mark for mark in scene.plot(plot).marks if isinstance(mark, kind)]


def test_the_strip_has_one_square_for_each_token_coloured_by_chunk():
    cells = marks(chunk_boundaries(PLAN), "strip", Cells)
    assert [cell.x0 for cell in cells] == list(range(19))
    roles = ["cached"] * 6 + ["prefill"] * 5 + ["prefill_alt"] * 5 + ["prefill"] * 3
    assert [cell.role for cell in cells] == roles


def test_yield_points_stand_at_the_end_of_every_chunk():
    dots = marks(chunk_boundaries(PLAN), "strip", Dot)
    assert [dot.x for dot in dots] == [11, 16, 19]
    assert [line.points[0][0] for line in marks(chunk_boundaries(PLAN), "strip", Line)] == [11, 16]


def test_chunk_bars_stand_against_the_chunk_size():
    scene = chunk_boundaries(PLAN)
    assert [cell.count for cell in marks(scene, "chunks", Cells)] == [5, 5, 3]
    (limit,) = marks(scene, "chunks", Line)
    assert {y for _, y in limit.points} == {5}


def test_tokens_beyond_the_chunk_size_are_red():
    plan = ChunkPlan(0, 8, 5, (8,), Flaws(overlong=(0,)))
    bars = marks(chunk_boundaries(plan), "chunks", Cells)
    assert [(bar.y0, bar.count, bar.role) for bar in bars] == [(0, 5, "prefill"), (5, 3, "error")]


def test_a_missing_token_is_red_at_its_position():
    plan = ChunkPlan(2, 4, 2, (2, 1), Flaws(missing=(5,)))
    boxes = marks(chunk_boundaries(plan), "strip", Box)
    assert [(box.x0, box.x1, box.role) for box in boxes] == [(5, 6, "error")]


def test_before_an_answer_the_suffix_is_an_empty_frame():
    cells = marks(chunk_boundaries(ChunkPlan(2, 3, 2)), "strip", Cells)
    assert [cell.role for cell in cells] == ["cached"] * 2 + ["idle"] * 3


@pytest.mark.parametrize("suffix", [131072, 32768, 481])
def test_extreme_plans_stay_legible(suffix):
    plan = ChunkPlan(16384, suffix, 1, (1,) * suffix)
    assert chunk_boundaries(plan).mark_count <= MAX_MARKS


def test_the_words_for_the_picture_count_the_chunks():
    assert "3 块" in chunk_boundaries(PLAN).alt
