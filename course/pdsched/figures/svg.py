"""A scene as an SVG string: no script, no external file, the same in every notebook front end.

The hover sentence of a column is a hidden ``<text>`` that CSS shows on hover or keyboard focus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from pdsched.figures.axes import text_width_px
from pdsched.figures.palette import ROLES, stylesheet
from pdsched.figures.scene import Axis, Box, Cells, Column, Dot, Line, Scene
from pdsched.figures.svg_marks import (
    Frame,
    box_text,
    cell_paths,
    filled,
    marker,
    patterns,
    polyline,
    rectangle,
    written,
)
from pdsched.messages import text

MARGIN_LEFT: Final = 74
MARGIN_RIGHT: Final = 22
TITLE_PX: Final = 26
AXIS_PX: Final = 40
GAP_PX: Final = 10
LEGEND_PX: Final = 26
WHY_PX: Final = 22


def render(
    scene: Scene,
    *,
    uid: str = "pd",
    with_style: bool = True,
    mode: str = "live",
    why: bool = True,
    paper: bool = False,
) -> str:
    """The scene as one ``<svg>`` element.

    Args:
        scene: what to draw.
        uid: a prefix for the ids inside, unique on the page.
        with_style: carry the style sheet along; a panel puts it on the page once instead.
        mode: ``live`` follows the notebook's theme, ``auto`` the reader's system, or ``light`` /
            ``dark`` fixed.
        why: make the columns answer on hover and on focus.
        paper: paint the background too, where the picture cannot know what it stands on.
    """
    body: list[str] = []
    top = 4.0
    if scene.legend:
        body.append(_legend(scene, uid, top))
        top += LEGEND_PX
    left = MARGIN_LEFT + _extra_left(scene)
    for plot in scene.plots:
        if plot.title:
            body.append(
                f'<text x="{left:.0f}" y="{top + 17:.0f}" font-weight="600">'
                f"{escape(plot.title)}</text>"
            )
            top += TITLE_PX
        frame = Frame(plot, left, top + 4, scene.width_px - left - MARGIN_RIGHT, uid)
        body.extend(_plot(frame, why))
        labelled = bool(plot.x.label or plot.x.ticks)
        top = frame.bottom + (AXIS_PX if labelled else 4) + GAP_PX
        if plot.columns and why:
            top += WHY_PX
    if scene.footer:
        body.append(
            f'<text x="{left:.0f}" y="{top + 12:.0f}" class="f" style="fill:'
            f'var(--pd-faint)">{escape(scene.footer)}</text>'
        )
        top += 20
    theme = {"dark": " pd-dark", "auto": " pd-auto"}.get(mode, "")
    style = f"<style>{stylesheet()}</style>" if with_style else ""
    if paper:
        size = f'width="{scene.width_px}" height="{top:.0f}"'
        style += f'<rect {size} style="fill:var(--pd-paper)"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pd{theme}" role="img" '
        f'data-scene="{scene.key}" viewBox="0 0 {scene.width_px} {top:.0f}" '
        f'aria-labelledby="{uid}-t {uid}-d"><title id="{uid}-t">{escape(scene.title)}</title>'
        f'<desc id="{uid}-d">{escape(scene.alt)}</desc>{style}{patterns(uid)}{"".join(body)}</svg>'
    )


def _extra_left(scene: Scene) -> float:
    """Row names such as worker labels may need a wider left margin than numbers do."""
    widest = max(
        (text_width_px(tick.text) for plot in scene.plots for tick in plot.y.ticks), default=0
    )
    return max(0.0, widest + 34 - MARGIN_LEFT)


def _plot(frame: Frame, why: bool) -> Iterator[str]:
    plot = frame.plot
    yield f'<g class="plot" data-plot="{plot.name}">'
    yield from _grid(frame)
    merged: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    single: list[str] = []
    over: list[str] = []
    for mark in plot.marks:
        if isinstance(mark, Cells):
            merged.setdefault(mark.role, []).extend(cell_paths(frame, mark))
            counts[mark.role] = counts.get(mark.role, 0) + mark.count
        elif isinstance(mark, Box):
            x0, x1 = frame.x(mark.x0), frame.x(mark.x1)
            path = rectangle(x0, frame.y(mark.y1), x1, frame.y(mark.y0), mark.least_px)
            if mark.why:
                single.append(filled(path, mark.role, frame.prefix, mark.why))
            else:
                merged.setdefault(mark.role, []).append(path)
            counts[mark.role] = counts.get(mark.role, 0) + 1
            if mark.text:
                over.append(box_text(frame, mark))
        elif isinstance(mark, Line):
            over.append(polyline(frame, mark))
        elif isinstance(mark, Dot):
            over.append(marker(frame, mark))
        else:
            over.append(written(frame, mark))
    for role in sorted(merged, key=_depth):
        yield filled("".join(merged[role]), role, frame.prefix)
    yield from single
    yield from _axes(frame)
    if plot.columns:
        yield from _columns(frame, plot.columns, why)
    yield from over
    yield "</g>"


def _depth(role: str) -> int:
    """Backgrounds first, the error last."""
    order = ("keep", "reject", "idle", "prefill", "prefill_alt")
    late = {"decode": 60, "ghost": 80, "prediction": 90, "error": 99}
    return order.index(role) if role in order else late.get(role, 50)


def _grid(frame: Frame) -> Iterator[str]:
    right = frame.left + frame.width
    path = "".join(
        f"M{frame.left:.1f} {frame.y(t.value):.1f}H{right:.1f}"
        for t in frame.plot.y.ticks
        if t.grid
    ) + "".join(
        f"M{frame.x(t.value):.1f} {frame.top:.1f}V{frame.bottom:.1f}"
        for t in frame.plot.x.ticks
        if t.grid
    )
    if path:
        yield f'<path d="{path}" fill="none" style="stroke:var(--pd-grid)" stroke-width="1"/>'


def _axes(frame: Frame) -> Iterator[str]:
    x_axis, y_axis = frame.plot.x, frame.plot.y
    right = frame.left + frame.width
    yield (
        f'<path d="M{frame.left:.1f} {frame.top:.1f}V{frame.bottom:.1f}H{right:.1f}" fill="none" '
        'style="stroke:var(--pd-faint)" stroke-width="1"/>'
    )
    for value, words in _spaced(x_axis, frame):
        yield (
            f'<text x="{frame.x(value):.1f}" y="{frame.bottom + 16:.1f}" '
            f'text-anchor="middle">{escape(words)}</text>'
        )
    for tick in y_axis.ticks:
        yield (
            f'<text x="{frame.left - 7:.1f}" y="{frame.y(tick.value) + 4.5:.1f}" '
            f'text-anchor="end">{escape(tick.text)}</text>'
        )
    if x_axis.label:
        yield (
            f'<text x="{right:.1f}" y="{frame.bottom + 34:.1f}" text-anchor="end" '
            f'style="fill:var(--pd-faint)">{escape(x_axis.label)}</text>'
        )
    if y_axis.label:
        middle = (frame.top + frame.bottom) / 2
        x = frame.left - MARGIN_LEFT + 16
        yield (
            f'<text transform="translate({x:.1f} {middle:.1f}) rotate(-90)" text-anchor="middle" '
            f'style="fill:var(--pd-faint)">{escape(y_axis.label)}</text>'
        )


def _spaced(axis: Axis, frame: Frame) -> Iterator[tuple[float, str]]:
    """The ticks whose words do not run into the one before."""
    last = float("-inf")
    for tick in axis.ticks:
        centre, half = frame.x(tick.value), text_width_px(tick.text) / 2
        if centre - half > last + 6:
            yield tick.value, tick.text
            last = centre + half


def _columns(frame: Frame, columns: Sequence[Column], why: bool) -> Iterator[str]:
    baseline = frame.bottom + AXIS_PX + 14
    for index, column in enumerate(columns):
        x0, x1 = frame.x(column.x0), frame.x(column.x1)
        box = (
            f'x="{x0:.1f}" y="{frame.top:.1f}" width="{max(x1 - x0, 1):.1f}" '
            f'height="{frame.plot.height_px}"'
        )
        if column.selected:
            yield (
                f'<rect {box} fill="none" style="stroke:var(--pd-current)" stroke-width="2.2" '
                'data-selected="1"/>'
            )
        if why:
            words = escape(column.why)
            yield (
                f'<g class="col" tabindex="0" role="img" data-col="{index}" aria-label="{words}">'
                f'<rect {box}/><text x="{frame.left:.0f}" y="{baseline:.0f}">{words}</text></g>'
            )


def _legend(scene: Scene, uid: str, top: float) -> str:
    parts, x = [], float(MARGIN_LEFT)
    for role in scene.legend:
        words = text(f"figures.role.{role}")
        swatch = rectangle(x, top + 3, x + 18, top + 17)
        style = ROLES[role]
        if style.dash or role in ("budget", "current", "system_pd"):
            dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
            parts.append(
                f'<path d="M{x:.0f} {top + 10:.0f}h18" fill="none" style="stroke:var(--pd-{role})" '
                f'stroke-width="{style.width_px}"{dash}/>'
            )
        else:
            parts.append(filled(swatch, role, uid).replace('class="m" ', ""))
        parts.append(f'<text x="{x + 24:.1f}" y="{top + 15:.0f}">{escape(words)}</text>')
        x += 24 + text_width_px(words) + 22
    return f'<g class="legend">{"".join(parts)}</g>'
