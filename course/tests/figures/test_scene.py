"""A scene refuses what nobody could read, and says what it shows in words."""

import pytest

from pdsched.figures.axes import linear_axis, log_axis, milliseconds, short_number, text_width_px
from pdsched.figures.palette import ROLES, colour, stylesheet
from pdsched.figures.scene import MAX_MARKS, Axis, Box, Cells, Plot, Scene

pytestmark = pytest.mark.core


def scene_of(*marks):
    axis = Axis("tokens", 0, 10)
    return Scene("k", "title", "alt", (Plot("p", axis, axis, 100, marks),))


def test_every_token_cell_counts_as_a_mark():
    assert scene_of(Cells(0, 1, 0, 7, "prefill"), Box(0, 1, 0, 1, "idle")).mark_count == 8


def test_more_marks_than_legible_are_refused():
    with pytest.raises(ValueError, match=str(MAX_MARKS)):
        scene_of(Cells(0, 1, 0, MAX_MARKS + 1, "prefill"))


def test_a_picture_without_words_for_it_is_refused():
    axis = Axis("x", 0, 1)
    with pytest.raises(ValueError, match="alternative text"):
        Scene("k", "title", "", (Plot("p", axis, axis, 10),))


@pytest.mark.parametrize(("low", "high", "log"), [(1, 1, False), (2, 1, False), (0, 10, True)])
def test_an_axis_needs_a_range(low, high, log):
    with pytest.raises(ValueError, match="axis"):
        Axis("x", low, high, log=log)


def test_a_log_axis_puts_the_geometric_mean_in_the_middle_and_clamps_zero():
    axis = log_axis("x", 16, 16384)
    assert axis.fraction(512) == pytest.approx(0.5)
    assert axis.fraction(0) == 0
    assert [tick.text for tick in axis.ticks] == ["16", "64", "256", "1,024", "4,096", "16k"]


def test_linear_ticks_are_round_and_inside():
    assert [tick.value for tick in linear_axis("x", 23).ticks] == [0, 5, 10, 15, 20]
    assert [tick.value for tick in linear_axis("x", 3, whole=True).ticks] == [0, 1, 2, 3]


def test_numbers_are_short_and_carry_units():
    assert [short_number(n) for n in (7, 2048, 131072, 0.25)] == ["7", "2,048", "128k", "0.25"]
    assert [milliseconds(n) for n in (3.25, 212.4, 12_345)] == ["3.25 ms", "212 ms", "12.3 s"]


def test_chinese_is_twice_as_wide_as_half():
    assert text_width_px("预算", 10) == 20


def luminance(colour_hex):
    parts = [int(colour_hex[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("role", ["ink", "faint", "threshold", "error", "budget"])
def test_words_and_lines_have_the_contrast_wcag_asks_for(role):
    assert contrast(colour(role), "#ffffff") >= 4.5
    assert contrast(colour(role, dark=True), "#15181c") >= 4.5


def test_the_four_token_kinds_differ_by_pattern_too():
    patterns = [ROLES[role].pattern for role in ("prefill", "decode", "cached", "idle")]
    assert len(set(patterns)) == 4


def test_the_style_sheet_defines_every_role_in_light_and_dark():
    sheet = stylesheet()
    for role, style in ROLES.items():
        assert f"--pd-{role}:{style.light};" in sheet
        assert f"--pd-{role}:{style.dark};" in sheet
