"""Marks as SVG path and text elements; `svg` lays them out.

Marks of one role become one ``<path>``, so that two thousand token squares are a dozen elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from pdsched.figures.axes import text_width_px
from pdsched.figures.palette import ROLES
from pdsched.figures.scene import Box, Cells, Dot, Line, Note, Plot


@dataclass(frozen=True, slots=True)
class Frame:
    """Where one plot lies on the canvas, and the mapping from its data to pixels."""

    plot: Plot
    left: float
    top: float
    width: float
    prefix: str

    def x(self, value: float) -> float:
        """Pixels from the left."""
        return self.left + self.plot.x.fraction(value) * self.width

    def y(self, value: float) -> float:
        """Pixels from the top."""
        return self.top + (1 - self.plot.y.fraction(value)) * self.plot.height_px

    @property
    def bottom(self) -> float:
        """Pixels from the top to the x axis."""
        return self.top + self.plot.height_px


def patterns(uid: str) -> str:
    """The four fill patterns, their ids starting with ``uid``."""

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


def filled(path: str, role: str, uid: str, why: str = "") -> str:
    """An area in its role's colour, its pattern over it."""
    title = f"<title>{escape(why)}</title>" if why else ""
    kind = "m s" if why else "m"
    drawn = f'<path class="{kind}" data-role="{role}" d="{path}" {_paint(role)}>{title}</path>'
    pattern = ROLES[role].pattern
    if pattern in ("stripes", "dots", "cross", "dense"):
        drawn += f'<path d="{path}" fill="url(#{uid}-{pattern})" pointer-events="none"/>'
    return drawn


def rectangle(x0: float, y0: float, x1: float, y1: float, least: float = 1.5) -> str:
    """A closed rectangle path, never thinner than a visible line."""
    if x1 - x0 < 1:
        x1 = x0 + 1
    if y1 - y0 < least:
        y0 = y1 - least
    return f"M{x0:.1f} {y0:.1f}H{x1:.1f}V{y1:.1f}H{x0:.1f}z"


def cell_paths(frame: Frame, cells: Cells) -> Iterator[str]:
    """One rectangle for each token square."""
    x0, x1 = frame.x(cells.x0), frame.x(cells.x1)
    gap_x = min(1.5, (x1 - x0) * 0.08)
    for index in range(cells.count):
        low, high = frame.y(cells.y0 + index), frame.y(cells.y0 + index + 1)
        gap_y = min(1.5, (low - high) * 0.16)
        yield rectangle(x0 + gap_x, high + gap_y / 2, x1 - gap_x, low - gap_y / 2)


def box_text(frame: Frame, box: Box) -> str:
    """The words inside a box, if they fit."""
    x0, x1 = frame.x(box.x0), frame.x(box.x1)
    y0, y1 = frame.y(box.y1), frame.y(box.y0)
    if x1 - x0 < text_width_px(box.text, 12) + 8 or y1 - y0 < 13:
        return ""
    return (
        f'<text x="{(x0 + x1) / 2:.1f}" y="{(y0 + y1) / 2 + 4:.1f}" text-anchor="middle" '
        'class="halo" font-weight="600" style="font-size:12px;stroke-width:4px;'
        f'pointer-events:none">{escape(box.text)}</text>'
    )


def polyline(frame: Frame, line: Line) -> str:
    """A line with its words at the end."""
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
        drawn += written(frame, Note(x, y, line.text, line.role, line.anchor, -4, -6, bold=True))
    return drawn


def _outline(shape: str, x: float, y: float, r: float) -> str:
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
    half = f"a{r:.1f} {r:.1f} 0 1 0"
    return f"M{x - r:.1f} {y:.1f}{half} {2 * r:.1f} 0{half} {-2 * r:.1f} 0"


def marker(frame: Frame, dot: Dot) -> str:
    """A dot in its shape."""
    path = _outline(dot.shape, frame.x(dot.x), frame.y(dot.y), dot.size_px / 2)
    title = f"<title>{escape(dot.why)}</title>" if dot.why else ""
    stroke_only = dot.hollow or dot.shape in ("cross", "bar")
    paint = (
        f'fill="none" style="stroke:var(--pd-{dot.role})" stroke-width="2.2"'
        if stroke_only
        else f'style="fill:var(--pd-{dot.role});stroke:var(--pd-paper)" stroke-width="1"'
    )
    return f'<path class="d" data-role="{dot.role}" d="{path}" {paint}>{title}</path>'


def written(frame: Frame, note: Note) -> str:
    """Words with a halo of the paper's colour, readable over anything."""
    x, y = frame.x(note.x) + note.dx_px, frame.y(note.y) + note.dy_px
    weight = ' font-weight="600"' if note.bold else ""
    return (
        f'<text class="halo" x="{x:.1f}" y="{y:.1f}" text-anchor="{note.anchor}"{weight} '
        f'style="fill:var(--pd-{note.role})">{escape(note.text)}</text>'
    )
