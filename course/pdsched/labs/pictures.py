"""Pictures of the labs: curves over load, the stall as a strip, prediction over measurement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from pdsched.figures import Picture
from pdsched.figures.axes import linear_axis, log_axis, milliseconds, row_axis, text_width_px
from pdsched.figures.scene import Axis, Box, Dot, Line, Mark, Note, Plot, Scene, Shape, Tick

Points = Sequence[tuple[float, float]]

_SERIES: Final[tuple[tuple[str, Shape], ...]] = (
    ("shared", "diamond"),
    ("prefill", "triangle"),
    ("decode", "circle"),
    ("handoff", "square"),
    ("cached", "cross"),
    ("stall", "bar"),
)
_LINE_GAP_PX: Final = 17


@dataclass(frozen=True)
class Limit:
    """A horizontal line that something must stay below, or above."""

    value: float
    words: str


def curves(
    key: str,
    title: str,
    series: Mapping[str, Points],
    *,
    x: str,
    y: str,
    log_y: bool = False,
    limit: Limit | None = None,
    height_px: int = 340,
) -> Picture:
    """Lines with a marker at each point and their name at the right end."""
    every = [point for points in series.values() for point in points if math.isfinite(point[1])]
    x_high = max((at for at, _ in every), default=1.0)
    y_top = max([value for _, value in every] + ([limit.value] if limit else [])) * 1.08
    room = max(text_width_px(name) for name in series) / 760
    x_axis = linear_axis(x, x_high * (1 + room) * 1.04)
    y_axis = (
        log_axis(y, max(min(value for _, value in every) / 1.3, 1e-3), y_top * 1.3)
        if log_y
        else linear_axis(y, y_top)
    )
    marks: list[Mark] = []
    if limit is not None:
        ends = ((x_axis.low, limit.value), (x_axis.high, limit.value))
        marks += [Line(ends, "slo"), Note(0, limit.value, limit.words, "slo", dx_px=6, dy_px=-6)]
    styles = dict(zip(series, _SERIES, strict=False))
    for name, points in series.items():
        role, shape = styles[name]
        marks.append(Line(tuple(points), role))
        marks += [
            Dot(at, value, role, shape, 9, f"{name}: {x} {at:g}, {y} {value:.4g}")
            for at, value in points
        ]
    marks += _names(series, {name: role for name, (role, _) in styles.items()}, y_axis, height_px)
    told = "; ".join(f"{name}: {_range(points)}" for name, points in series.items())
    plot = Plot(key, x_axis, y_axis, height_px, tuple(marks))
    return Picture(Scene(key, title, f"{title}. {y} / {x}. {told}", (plot,)))


def _names(
    series: Mapping[str, Points], roles: Mapping[str, str], y: Axis, height_px: int
) -> list[Mark]:
    """Each name beside its line's last point, pushed apart where two would touch."""
    last = sorted((points[-1] for points in series.values()), key=lambda point: -point[1])
    names = sorted(series, key=lambda name: -series[name][-1][1])
    notes: list[Mark] = []
    lowest_px = -math.inf
    for name, (at, value) in zip(names, last, strict=True):
        natural_px = (1 - y.fraction(value)) * height_px
        placed_px = max(natural_px, lowest_px + _LINE_GAP_PX)
        lowest_px = placed_px
        shift = placed_px - natural_px + 4
        notes.append(Note(at, value, name, roles[name], "start", 9, shift, bold=True))
    return notes


def _range(points: Points) -> str:
    values = [value for _, value in points]
    return f"{min(values):.4g}-{max(values):.4g}"


def stall_strip(
    key: str, title: str, rows: Mapping[str, Sequence[float]], *, long_ms: float, x: str
) -> Picture:
    """Each row is one chat: a bar per wait for its next token, those above ``long_ms`` marked."""
    total = max(sum(gaps) for gaps in rows.values())
    marks: list[Mark] = []
    for index, (name, gaps) in enumerate(rows.items()):
        base = len(rows) - 1 - index
        ends = list(accumulate(gaps))
        longest = max(gaps)
        for gap, end in zip(gaps, ends, strict=True):
            label = milliseconds(gap) if gap == longest else ""
            marks.append(
                Box(
                    end - gap,
                    end,
                    base + 0.22,
                    base + 0.78,
                    "stall" if gap > long_ms else "decode",
                    label if gap > total * 0.12 else "",
                    f"{name}: {milliseconds(gap)}",
                )
            )
        if longest <= total * 0.12:
            words = f"max {milliseconds(longest)}"
            marks.append(Note(ends[-1], base + 0.5, words, "stall", "start", 8, 5))
    plot = Plot(key, linear_axis(x, total * 1.12), row_axis(tuple(rows)), 62 * len(rows),
                tuple(marks))  # fmt: skip
    told = "; ".join(f"{name}: max {milliseconds(max(gaps))}" for name, gaps in rows.items())
    return Picture(Scene(key, title, f"{title}. {told}", (plot,), ("decode", "stall")))


def predicted_against_measured(key: str, title: str, points: Points, *, x: str, y: str) -> Picture:
    """One dot per iteration on log axes; on the diagonal the prediction is right."""
    values = [value for point in points for value in point]
    low, high = min(values) / 1.3, max(values) * 1.3
    diagonal = Line(((low, low), (high, high)), "threshold")
    dots = [Dot(a, b, "prefill", "circle", 8, f"{x} {a:.3g}, {y} {b:.3g}") for a, b in points]
    plot = Plot(key, log_axis(x, low, high), log_axis(y, low, high), 380, (diagonal, *dots))
    alt = f"{title}. {len(points)} iterations, {low:.3g}-{high:.3g} ms."
    return Picture(Scene(key, title, alt, (plot,)))


@dataclass(frozen=True)
class Tile:
    """One point of a decision map."""

    keep: bool
    words: str
    why: str


def decision_map(
    key: str,
    title: str,
    tiles: Mapping[tuple[str, str], Tile],
    *,
    x: str,
    y: str,
    sentences: tuple[str, ...] = (),
) -> Picture:
    """A grid of decisions; columns and rows in order of first appearance, rows from below."""
    columns = list(dict.fromkeys(column for column, _ in tiles))
    lines = list(dict.fromkeys(line for _, line in tiles))
    marks = tuple(
        Box(
            columns.index(column) + 0.03,
            columns.index(column) + 0.97,
            lines.index(line) + 0.05,
            lines.index(line) + 0.95,
            "keep" if tile.keep else "reject",
            tile.words,
            tile.why,
        )
        for (column, line), tile in tiles.items()
    )
    x_axis = Axis(x, 0, len(columns), ticks=_middles(columns))
    y_axis = Axis(y, 0, len(lines), ticks=_middles(lines))
    kept = sum(tile.keep for tile in tiles.values())
    plot = Plot(key, x_axis, y_axis, 58 * len(lines) + 20, marks)
    scene = Scene(key, title, f"{title}. {kept} / {len(tiles)} keep", (plot,), ("keep", "reject"))
    return Picture(scene, sentences)


def _middles(names: Sequence[str]) -> tuple[Tick, ...]:
    return tuple(Tick(index + 0.5, name, grid=False) for index, name in enumerate(names))
