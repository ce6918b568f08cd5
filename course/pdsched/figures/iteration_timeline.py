"""Panel 2b's picture: tokens of every iteration against the budget, in steps or in milliseconds.

Below it, the stall strip: the gaps between the tokens of one running chat, on the same axis. The
same schedule looks free in steps and stalls in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final, Literal

from pdsched.figures.axes import linear_axis, milliseconds, numbered_axis, row_axis, short_number
from pdsched.figures.scene import Axis, Box, Cells, Column, Dot, Line, Mark, Note, Plot, Scene
from pdsched.messages import text

ViewName = Literal["step", "ms"]
SQUARE_BUDGET: Final = 40  # a budget up to this many tokens is drawn as squares
SQUARES: Final = 1300
STALL: Final = 1.8  # a gap this many times the usual one counts as a stall


@dataclass(frozen=True, slots=True)
class StepBar:
    """One iteration as drawn: what the learner's plan asked for, on the clock of the cost model.

    ``chunks`` are (request number, tokens); ``fault`` is the sentence of the rule the plan breaks.
    """

    start_ms: float
    end_ms: float
    decodes: int
    chunks: tuple[tuple[int, int], ...] = ()
    why: str = ""
    fault: str = ""

    @property
    def tokens(self) -> int:
        """Tokens asked for, over the budget or not."""
        return self.decodes + sum(tokens for _, tokens in self.chunks)


@dataclass(frozen=True, slots=True)
class StallRow:
    """When one request received its tokens: iteration numbers (from 0) and their end times."""

    label: str
    iterations: tuple[int, ...]
    times_ms: tuple[float, ...]
    ghost: bool = False

    @property
    def longest_ms(self) -> float:
        """The longest gap between two tokens, 0 without one."""
        return max((after - before for before, after in pairwise(self.times_ms)), default=0.0)


@dataclass(frozen=True, slots=True)
class TimelinePicture:
    """Everything `iteration_timeline` draws.

    ``arrival_ms`` is when the long prompt arrives; ``selected`` counts iterations from 1, 0 for
    none; ``predicted_ms`` is the learner's guess of the longest gap.
    """

    title: str
    budget: int
    steps: tuple[StepBar, ...]
    stalls: tuple[StallRow, ...] = ()
    ghost: tuple[StepBar, ...] = ()
    arrival_ms: float | None = None
    selected: int = 0
    predicted_ms: float | None = None
    footer: str = ""
    windowed: bool = False


def iteration_timeline(picture: TimelinePicture, view: ViewName = "step") -> Scene:
    """The token bars against the budget above the stall strip."""
    x = _time_axis(picture, view)
    plots = [_tokens(picture, view, x)]
    if picture.stalls:
        plots.append(_strip(picture, view, x))
    longest = max((row.longest_ms for row in picture.stalls if not row.ghost), default=0.0)
    alt = text(
        "figures.timeline.alt",
        count=len(picture.steps),
        budget=picture.budget,
        used=sum(step.tokens for step in picture.steps),
        end=milliseconds(picture.steps[-1].end_ms if picture.steps else 0),
        longest=milliseconds(longest),
        wrong=sum(bool(step.fault) for step in picture.steps),
    )
    legend = ["prefill", "decode", "idle", "budget", "stall", "error"]
    legend += ["ghost"] if picture.ghost else []
    legend += ["prediction"] if picture.predicted_ms is not None else []
    return Scene(
        key="iteration_timeline",
        title=picture.title,
        alt=alt,
        plots=tuple(plots),
        legend=tuple(legend),
        footer=picture.footer,
    )


def _time_axis(picture: TimelinePicture, view: ViewName) -> Axis:
    if view == "step":
        count = max(len(picture.steps), len(picture.ghost), 12)
        return numbered_axis(text("figures.timeline.x_step"), count)
    ends = [step.end_ms for step in (*picture.steps, *picture.ghost)]
    return linear_axis(text("figures.timeline.x_ms"), max(ends, default=100.0), wanted=10)


def _span(step: StepBar, index: int, view: ViewName) -> tuple[float, float]:
    """Where an iteration lies on the x axis."""
    if view == "ms":
        return step.start_ms, step.end_ms
    return index + 0.06, index + 0.94


def _tokens(picture: TimelinePicture, view: ViewName, x: Axis) -> Plot:
    most = max((step.tokens for step in picture.steps), default=0)
    top = max(picture.budget, most) * 1.22
    y = linear_axis(text("figures.timeline.y"), top, wanted=5, whole=True)
    squares = picture.budget <= SQUARE_BUDGET and len(picture.steps) * picture.budget <= SQUARES
    marks: list[Mark] = []
    columns = []
    for index, step in enumerate(picture.steps):
        marks.extend(_bar(step, _span(step, index, view), picture.budget, squares))
        start, end = (step.start_ms, step.end_ms) if view == "ms" else (index, index + 1)
        columns.append(Column(start, end, step.why, picture.selected == index + 1))
    for index, step in enumerate(picture.ghost):
        start, end = _span(step, index, view)
        marks.append(Box(start, end, 0, step.tokens, "ghost"))
    words = text("figures.timeline.budget", budget=short_number(picture.budget))
    marks.append(Line(((x.low, picture.budget), (x.high, picture.budget)), "budget"))
    marks.append(Note(x.high, picture.budget, words, "budget", "end", -4, -6, bold=True))
    marks.extend(_arrival(picture, view, top))
    return Plot("tokens", x, y, 250, tuple(marks), tuple(columns), text("figures.timeline.tokens"))


def _bar(step: StepBar, span: tuple[float, float], budget: int, squares: bool) -> Iterator[Mark]:
    """Decodes at the bottom, chunks on them, idle budget above, and red beyond the budget."""
    level = 0
    for role, tokens in (
        ("decode", step.decodes),
        *((("prefill", "prefill_alt")[number % 2], tokens) for number, tokens in step.chunks),
    ):
        fits = max(0, min(tokens, budget - level))
        yield from _piece(span, level, fits, role, squares)
        yield from _piece(span, level + fits, tokens - fits, "error", squares)
        level += tokens
    yield from _piece(span, level, budget - level, "idle", squares)
    if step.fault:
        middle = (span[0] + span[1]) / 2
        yield Dot(middle, max(level, budget) * 1.07, "error", "cross", 12, step.fault)


def _piece(
    span: tuple[float, float], level: int, tokens: int, role: str, squares: bool
) -> Iterator[Mark]:
    if tokens <= 0:
        return
    if squares:
        yield Cells(span[0], span[1], level, tokens, role)
    else:
        least = {"decode": 3.5, "error": 5.0}.get(role, 1.5)
        yield Box(span[0], span[1], level, level + tokens, role, least_px=least)


def _arrival(picture: TimelinePicture, view: ViewName, top: float) -> Iterator[Mark]:
    if picture.arrival_ms is None:
        return
    at = picture.arrival_ms
    if view == "step":
        at = float(sum(step.start_ms < picture.arrival_ms for step in picture.steps))
    yield Line(((at, 0), (at, top)), "yield")
    yield Note(at, top, text("figures.timeline.arrival"), "ink", "start", 5, 13)


def _strip(picture: TimelinePicture, view: ViewName, x: Axis) -> Plot:
    y = row_axis(tuple(row.label for row in picture.stalls))
    marks: list[Mark] = []
    for number, row in enumerate(picture.stalls):
        marks.extend(_gaps(row, len(picture.stalls) - 1 - number, view))
    predicted = picture.predicted_ms
    if predicted is not None and view == "ms" and picture.stalls[0].times_ms:
        start = _longest_start(picture.stalls[0])
        low = len(picture.stalls) - 1 + 0.12
        end = min(start + predicted, x.high)
        marks.append(Box(start, end, low, low + 0.76, "prediction"))
    height = 34 * len(picture.stalls) + 8
    return Plot("stalls", x, y, height, tuple(marks), title=text("figures.timeline.stalls"))


def _longest_start(row: StallRow) -> float:
    pairs = list(pairwise(row.times_ms))
    return max(pairs, key=lambda pair: pair[1] - pair[0])[0] if pairs else row.times_ms[0]


def _gaps(row: StallRow, level: int, view: ViewName) -> Iterator[Mark]:
    """One box for each gap between tokens; long ones are stalls and say how long."""
    gaps = list(pairwise(row.times_ms))
    numbers = list(pairwise(row.iterations))
    shown = gaps if view == "ms" else numbers
    usual = median(after - before for before, after in shown) if shown else 0.0
    for (before, after), (first, last) in zip(gaps, numbers, strict=True):
        took = after - before
        long = (took if view == "ms" else last - first) > usual * STALL
        role = "ghost" if row.ghost else ("stall" if long else "decode")
        start, end = (before, after) if view == "ms" else (first + 1.0, last + 1.0)
        steps = text("figures.timeline.gap_steps", count=last - first)
        words = milliseconds(took) if view == "ms" else steps
        why = text("figures.timeline.gap_why", took=milliseconds(took), steps=steps)
        written = words if long or view == "step" else ""
        yield Box(start, end, level + 0.2, level + 0.8, role, written, why)
