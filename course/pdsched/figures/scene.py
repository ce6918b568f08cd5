"""One description of a picture: marks in data coordinates, drawn by `svg` or by `plotly_figure`.

A `Scene` is a stack of `Plot` rows. Every mark names a *role* (`palette.ROLES`) instead of a
colour, so the same picture reads in light and dark, on paper and to a colour-blind reader.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final, Literal

MAX_MARKS: Final = 2000
"""More marks than this are neither legible nor fast: builders aggregate before they reach it."""

Shape = Literal["circle", "triangle", "diamond", "square", "cross", "bar"]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled position on an axis; ``grid`` draws its line through the plot."""

    value: float
    text: str
    grid: bool = True


@dataclass(frozen=True, slots=True)
class Axis:
    """A numeric axis from ``low`` to ``high`` in data units, linear or log10.

    Raises:
        ValueError: the range is empty, or a log axis touches zero.
    """

    label: str
    low: float
    high: float
    log: bool = False
    ticks: tuple[Tick, ...] = ()

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"axis {self.label!r}: low {self.low} must be below high {self.high}")
        if self.log and self.low <= 0:
            raise ValueError(f"log axis {self.label!r}: low must be positive, got {self.low}")

    def fraction(self, value: float) -> float:
        """Position of ``value`` between low (0) and high (1); a log axis clamps at low."""
        if self.log:
            value = max(value, self.low)
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle; ``text`` is written inside if it fits, ``why`` is its hover sentence.

    However small its range, it is drawn at least ``least_px`` high.
    """

    x0: float
    x1: float
    y0: float
    y1: float
    role: str
    text: str = ""
    why: str = ""
    least_px: float = 1.5


@dataclass(frozen=True, slots=True)
class Cells:
    """``count`` unit squares stacked upwards from ``y0`` between ``x0`` and ``x1``, one a token."""

    x0: float
    x1: float
    y0: float
    count: int
    role: str


@dataclass(frozen=True, slots=True)
class Line:
    """A polyline through ``points``; ``text`` is written at its last point."""

    points: tuple[tuple[float, float], ...]
    role: str
    text: str = ""
    anchor: Anchor = "end"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Dot:
    """A marker. ``size_px`` is its width on the screen."""

    x: float
    y: float
    role: str
    shape: Shape = "circle"
    size_px: float = 11
    why: str = ""
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Words at a point, shifted by ``dx_px``/``dy_px`` (y downwards)."""

    x: float
    y: float
    text: str
    role: str = "ink"
    anchor: Anchor = "start"
    dx_px: float = 0
    dy_px: float = 0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A band of the x axis that answers "why" on hover or keyboard focus."""

    x0: float
    x1: float
    why: str
    selected: bool = False


Mark = Box | Cells | Line | Dot | Note


@dataclass(frozen=True, slots=True)
class Plot:
    """One row of a scene: two axes and the marks between them."""

    name: str
    x: Axis
    y: Axis
    height_px: int
    marks: tuple[Mark, ...] = ()
    columns: tuple[Column, ...] = ()
    title: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture, with the words a screen reader says instead of it.

    Raises:
        ValueError: more than `MAX_MARKS` marks, or no alternative text.
    """

    key: str
    title: str
    alt: str
    plots: tuple[Plot, ...]
    legend: tuple[str, ...] = ()
    width_px: int = 940
    footer: str = field(default="")

    def __post_init__(self) -> None:
        if not self.alt:
            raise ValueError(f"scene {self.key!r} needs alternative text")
        if self.mark_count > MAX_MARKS:
            raise ValueError(f"scene {self.key!r} has {self.mark_count} marks, above {MAX_MARKS}")

    @property
    def mark_count(self) -> int:
        """Marks as an eye counts them: each token cell is one."""
        return sum(
            mark.count if isinstance(mark, Cells) else 1
            for plot in self.plots
            for mark in plot.marks
        )

    def plot(self, name: str) -> Plot:
        """The row called ``name``.

        Raises:
            KeyError: there is none.
        """
        for plot in self.plots:
            if plot.name == name:
                return plot
        raise KeyError(name)
