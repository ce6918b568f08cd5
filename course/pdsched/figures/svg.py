"""A scene as an SVG string: no script, no external file, the same in every notebook front end.

Marks of one role become one ``<path>``, so that two thousand token squares are a dozen elements.
The hover sentence of a column is a hidden ``<text>`` that CSS shows on hover or keyboard focus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from pdsched.figures.axes import text_width_px
from pdsched.figures.palette import ROLES, stylesheet
from pdsched.figures.scene import Axis, Box, Cells, Column, Dot, Line, Note, Plot, Scene
from pdsched.messages import text

MARGIN_LEFT: Final = 74
MARGIN_RIGHT: Final = 22
TITLE_PX: Final = 26
AXIS_PX: Final = 40
GAP_PX: Final = 10
LEGEND_PX: Final = 26
WHY_PX: Final = 22


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where one plot lies on the canvas, and the mapping from its data to pixels."""

    plot: Plot
    left: float
    top: float
    width: float
    prefix: str

    def x(self, value: float) -> float:
        return self.left + self.plot.x.fraction(value) * self.width

    def y(self, value: float) -> float:
        return self.top + (1 - self.plot.y.fraction(value)) * self.plot.height_px

    @property
    def bottom(self) -> float:
        return self.top + self.plot.height_px


def render(
    scene: Scene, *, uid: str = "pd", with_style: bool = True, mode: str = "live", why: bool = True
) -> str:
    """The scene as one ``<svg>`` element.

    Args:
        scene: what to draw.
        uid: a prefix for the ids inside, unique on the page.
        with_style: carry the style sheet along; a panel puts it on the page once instead.
        mode: ``live`` follows the notebook's theme, ``auto`` the reader's system, or ``light`` /
            ``dark`` fixed.
        why: make the columns answer on hover and on focus.
    """
    body: list[str] = []
    top = 4.0
    if scene.legend:
        body.append(_legend(scene, uid, top))
        top += LEGEND_PX
    left = MARGIN_LEFT + _extra_left(scene)
    for plot in scene.plots:
        if plot.title:
            body.append(f'<text x="{left:.0f}" y="{top + 17:.0f}" font-weight="600">'
                        f"{escape(plot.title)}</text>")
            top += TITLE_PX
        frame = _Frame(plot, left, top + 4, scene.width_px - left - MARGIN_RIGHT, uid)
        body.extend(_plot(frame, why))
        labelled = bool(plot.x.label or plot.x.ticks)
        top = frame.bottom + (AXIS_PX if labelled else 4) + GAP_PX
        if plot.columns and why:
            top += WHY_PX
    if scene.footer:
        body.append(f'<text x="{left:.0f}" y="{top + 12:.0f}" class="f" style="fill:'
                    f'var(--pd-faint)">{escape(scene.footer)}</text>')
        top += 20
    theme = {"dark": " pd-dark", "auto": " pd-auto"}.get(mode, "")
    style = f"<style>{stylesheet()}</style>" if with_style else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="pd{theme}" role="img" '
        f'data-scene="{scene.key}" viewBox="0 0 {scene.width_px} {top:.0f}" '
        f'aria-labelledby="{uid}-t {uid}-d"><title id="{uid}-t">{escape(scene.title)}</title>'
        f'<desc id="{uid}-d">{escape(scene.alt)}</desc>{style}{_patterns(uid)}{"".join(body)}</svg>'
    )


def _extra_left(scene: Scene) -> float:
    """Row names such as worker labels may need a wider left margin than numbers do."""
    widest = max(
        (text_width_px(tick.text) for plot in scene.plots for tick in plot.y.ticks), default=0
    )
    return max(0.0, widest + 34 - MARGIN_LEFT)


def _patterns(uid: str) -> str:
    def pattern(name: str, size: int, inner: str) -> str:
        return (
            f'<pattern id="{uid}-{name}" width="{size}" height="{size}" '
            f'patternUnits="userSpaceOnUse">{inner}</pattern>'
        )

    ink = 'stroke="#000" stroke-opacity=".38" stroke-width="1.4"'
    return (
        "<defs>"
        + pattern("stripes", 6, f'<path d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" {ink}/>')
        + pattern("dots", 6, '<circle cx="3" cy="3" r="1.2" fill="#000" fill-opacity=".42"/>')
        + pattern("cross", 7, f'<path d="M0 0L7 7M7 0L0 7" {ink}/>')
        + pattern("dense", 4, f'<path d="M0 0V4" {ink}/>')
        + "</defs>"
    )


def _paint(role: str) -> str:
    style = ROLES[role]
    if style.pattern == "hollow":
        dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
        return f'fill="none" style="stroke:var(--pd-{role})" stroke-width="1.2"{dash}'
    edge = 'stroke="#000" stroke-opacity=".25" stroke-width=".6"'
    return f'style="fill:var(--pd-{role})" {edge}'


def _filled(path: str, role: str, uid: str, why: str = "") -> str:
    title = f"<title>{escape(why)}</title>" if why else ""
    drawn = f'<path class="m" data-role="{role}" d="{path}" {_paint(role)}>{title}</path>'
    pattern = ROLES[role].pattern
    if pattern in ("stripes", "dots", "cross", "dense"):
        drawn += f'<path d="{path}" fill="url(#{uid}-{pattern})" pointer-events="none"/>'
    return drawn


def _rect(x0: float, y0: float, x1: float, y1: float) -> str:
    """A closed rectangle path, never thinner than a visible line."""
    if x1 - x0 < 1:
        x1 = x0 + 1
    if y1 - y0 < 1.5:
        y0 = y1 - 1.5
    return f"M{x0:.1f} {y0:.1f}H{x1:.1f}V{y1:.1f}H{x0:.1f}z"


def _cell_paths(frame: _Frame, cells: Cells) -> Iterator[str]:
    x0, x1 = frame.x(cells.x0), frame.x(cells.x1)
    gap_x = min(1.5, (x1 - x0) * 0.08)
    for index in range(cells.count):
        low, high = frame.y(cells.y0 + index), frame.y(cells.y0 + index + 1)
        gap_y = min(1.5, (low - high) * 0.16)
        yield _rect(x0 + gap_x, high + gap_y / 2, x1 - gap_x, low - gap_y / 2)


def _plot(frame: _Frame, why: bool) -> Iterator[str]:
    plot = frame.plot
    yield f'<g class="plot" data-plot="{plot.name}">'
    yield from _grid(frame)
    merged: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    single: list[str] = []
    over: list[str] = []
    for mark in plot.marks:
        if isinstance(mark, Cells):
            merged.setdefault(mark.role, []).extend(_cell_paths(frame, mark))
            counts[mark.role] = counts.get(mark.role, 0) + mark.count
        elif isinstance(mark, Box):
            path = _rect(frame.x(mark.x0), frame.y(mark.y1), frame.x(mark.x1), frame.y(mark.y0))
            if mark.why:
                single.append(_filled(path, mark.role, frame.prefix, mark.why))
            else:
                merged.setdefault(mark.role, []).append(path)
            counts[mark.role] = counts.get(mark.role, 0) + 1
            if mark.text:
                over.append(_box_text(frame, mark))
        elif isinstance(mark, Line):
            over.append(_line(frame, mark))
        elif isinstance(mark, Dot):
            over.append(_dot(frame, mark))
        else:
            over.append(_note(frame, mark))
    for role in sorted(merged, key=_depth):
        yield _filled("".join(merged[role]), role, frame.prefix)
    yield from single
    yield from _axes(frame)
    if plot.columns:
        yield from _columns(frame, plot.columns, why)
    yield from over
    yield "</g>"


def _depth(role: str) -> int:
    """Backgrounds first, the error last."""
    order = ("keep", "reject", "idle", "ghost")
    return order.index(role) if role in order else (99 if role == "error" else 50)


def _grid(frame: _Frame) -> Iterator[str]:
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


def _axes(frame: _Frame) -> Iterator[str]:
    x_axis, y_axis = frame.plot.x, frame.plot.y
    right = frame.left + frame.width
    yield (
        f'<path d="M{frame.left:.1f} {frame.top:.1f}V{frame.bottom:.1f}H{right:.1f}" fill="none" '
        'style="stroke:var(--pd-faint)" stroke-width="1"/>'
    )
    for tick in _spaced(x_axis, frame):
        yield (
            f'<text x="{frame.x(tick[0]):.1f}" y="{frame.bottom + 16:.1f}" '
            f'text-anchor="middle">{escape(tick[1])}</text>'
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


def _spaced(axis: Axis, frame: _Frame) -> Iterator[tuple[float, str]]:
    """The ticks whose words do not run into the one before."""
    last = float("-inf")
    for tick in axis.ticks:
        centre, half = frame.x(tick.value), text_width_px(tick.text) / 2
        if centre - half > last + 6:
            yield tick.value, tick.text
            last = centre + half


def _columns(frame: _Frame, columns: Sequence[Column], why: bool) -> Iterator[str]:
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


def _box_text(frame: _Frame, box: Box) -> str:
    x0, x1 = frame.x(box.x0), frame.x(box.x1)
    y0, y1 = frame.y(box.y1), frame.y(box.y0)
    if x1 - x0 < text_width_px(box.text, 12) + 4 or y1 - y0 < 13:
        return ""
    style = ROLES[box.role]
    halo = "" if style.pattern == "solid" else ' class="halo"'
    fill = "var(--pd-ink)" if halo else style.on
    return (
        f'<text x="{(x0 + x1) / 2:.1f}" y="{(y0 + y1) / 2 + 4:.1f}" text-anchor="middle"{halo} '
        f'style="font-size:12px;fill:{fill};pointer-events:none">{escape(box.text)}</text>'
    )


def _line(frame: _Frame, line: Line) -> str:
    style = ROLES[line.role]
    dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
    path = "M" + "L".join(f"{frame.x(x):.1f} {frame.y(y):.1f}" for x, y in line.points)
    title = f"<title>{escape(line.why)}</title>" if line.why else ""
    drawn = (
        f'<path class="l" data-role="{line.role}" d="{path}" fill="none" '
        f'style="stroke:var(--pd-{line.role})" stroke-width="{style.width_px}"{dash}>{title}</path>'
    )
    if line.text:
        x, y = line.points[-1]
        drawn += _note(frame, Note(x, y, line.text, line.role, line.anchor, -4, -6, bold=True))
    return drawn


def _shape(shape: str, x: float, y: float, r: float) -> str:
    if shape == "triangle":
        return f"M{x:.1f} {y - r:.1f}L{x + r:.1f} {y + r * 0.8:.1f}H{x - r:.1f}z"
    if shape == "diamond":
        return f"M{x:.1f} {y - r:.1f}L{x + r:.1f} {y:.1f}L{x:.1f} {y + r:.1f}L{x - r:.1f} {y:.1f}z"
    if shape == "square":
        return f"M{x - r:.1f} {y - r:.1f}h{2 * r:.1f}v{2 * r:.1f}h{-2 * r:.1f}z"
    if shape == "cross":
        return (
            f"M{x - r:.1f} {y - r:.1f}L{x + r:.1f} {y + r:.1f}"
            f"M{x + r:.1f} {y - r:.1f}L{x - r:.1f} {y + r:.1f}"
        )
    if shape == "bar":
        return f"M{x:.1f} {y - r:.1f}V{y + r:.1f}"
    return f"M{x - r:.1f} {y:.1f}a{r:.1f} {r:.1f} 0 1 0 {2 * r:.1f} 0a{r:.1f} {r:.1f} 0 1 0 {-2 * r:.1f} 0"


def _dot(frame: _Frame, dot: Dot) -> str:
    path = _shape(dot.shape, frame.x(dot.x), frame.y(dot.y), dot.size_px / 2)
    title = f"<title>{escape(dot.why)}</title>" if dot.why else ""
    stroke_only = dot.hollow or dot.shape in ("cross", "bar")
    paint = (
        f'fill="none" style="stroke:var(--pd-{dot.role})" stroke-width="2.2"'
        if stroke_only
        else f'style="fill:var(--pd-{dot.role});stroke:var(--pd-paper)" stroke-width="1"'
    )
    return f'<path class="d" data-role="{dot.role}" d="{path}" {paint}>{title}</path>'


def _note(frame: _Frame, note: Note) -> str:
    x, y = frame.x(note.x) + note.dx_px, frame.y(note.y) + note.dy_px
    weight = ' font-weight="600"' if note.bold else ""
    return (
        f'<text class="halo" x="{x:.1f}" y="{y:.1f}" text-anchor="{note.anchor}"{weight} '
        f'style="fill:var(--pd-{note.role})">{escape(note.text)}</text>'
    )


def _legend(scene: Scene, uid: str, top: float) -> str:
    parts, x = [], float(MARGIN_LEFT)
    for role in scene.legend:
        words = text(f"figures.role.{role}")
        swatch = _rect(x, top + 3, x + 18, top + 17)
        style = ROLES[role]
        if style.dash or role in ("budget", "current"):
            dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
            parts.append(
                f'<path d="M{x:.0f} {top + 10:.0f}h18" fill="none" style="stroke:var(--pd-{role})" '
                f'stroke-width="{style.width_px}"{dash}/>'
            )
        else:
            parts.append(_filled(swatch, role, uid).replace('class="m" ', ""))
        parts.append(f'<text x="{x + 24:.1f}" y="{top + 15:.0f}">{escape(words)}</text>')
        x += 24 + text_width_px(words) + 22
    return f'<g class="legend">{"".join(parts)}</g>'
