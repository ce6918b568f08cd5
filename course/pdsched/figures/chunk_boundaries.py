"""Panel 2a's picture: the prompt's tokens coloured by chunk, and each chunk against its limit."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pdsched.figures.axes import linear_axis, numbered_axis, short_number
from pdsched.figures.scene import (
    Axis,
    Box,
    Cells,
    Column,
    Dot,
    Line,
    Mark,
    Note,
    Plot,
    Scene,
)
from pdsched.messages import text

SQUARES: Final = 480  # up to here every token is a square of its own
LINES: Final = 60  # more yield points than this are marked above the tokens, not across them
BARS: Final = 160  # more chunks than this share a bar


@dataclass(frozen=True, slots=True)
class Flaws:
    """Where a chunk plan breaks its rule, in token positions and chunk numbers (from 0)."""

    missing: tuple[int, ...] = ()
    repeated: tuple[int, ...] = ()
    misplaced: tuple[int, ...] = ()
    overlong: tuple[int, ...] = ()
    underfull: tuple[int, ...] = ()

    @property
    def positions(self) -> frozenset[int]:
        """Token positions to mark red."""
        return frozenset((*self.missing, *self.repeated, *self.misplaced))


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """A prompt of ``prefix_tokens`` cached and ``suffix_tokens`` new tokens, and its chunks.

    Token positions count from 0 at the start of the prompt. ``lengths`` are the chunk sizes in
    order, None before an answer.
    """

    prefix_tokens: int
    suffix_tokens: int
    chunk_size: int
    lengths: tuple[int, ...] | None = None
    flaws: Flaws = Flaws()
    predicted_chunks: float | None = None

    @property
    def total(self) -> int:
        """Tokens of the whole prompt."""
        return self.prefix_tokens + self.suffix_tokens

    @property
    def prefix_end(self) -> int:
        """Position of the first token that is not cached."""
        return self.prefix_tokens


@dataclass(frozen=True, slots=True)
class _Group:
    """Chunks ``first`` to ``last`` (from 0) that share a bar; token positions as in the plan."""

    first: int
    last: int
    start: int
    tokens: int
    longest: int

    @property
    def end(self) -> int:
        return self.start + self.tokens


def chunk_boundaries(plan: ChunkPlan) -> Scene:
    """The strip of tokens with its yield points above the chunks against ``chunk_size``."""
    count = len(plan.lengths or ())
    each = max(1, -(-count // BARS))
    groups = _grouped(plan, each)
    return Scene(
        key="chunk_boundaries",
        title=text(
            "figures.chunks.title",
            suffix=short_number(plan.suffix_tokens),
            size=short_number(plan.chunk_size),
        ),
        alt=text(
            "figures.chunks.alt",
            prefix=plan.prefix_tokens,
            suffix=plan.suffix_tokens,
            size=plan.chunk_size,
            count=count,
            last=(plan.lengths or (0,))[-1] if count else 0,
            wrong=len(plan.flaws.positions) + len(plan.flaws.overlong) + len(plan.flaws.underfull),
        ),
        plots=(_strip(plan, groups), _chunks(plan, groups)),
        legend=("cached", "prefill", "prefill_alt", "yield", "error", "prediction"),
        footer=text("figures.chunks.grouped", count=short_number(each)) if each > 1 else "",
    )


def _strip(plan: ChunkPlan, groups: Sequence[_Group]) -> Plot:
    x = linear_axis(text("figures.chunks.x_position"), max(plan.total, 1), wanted=8, whole=True)
    y = Axis("", 0, 1.6)
    marks: list[Mark] = []
    squares = plan.total <= SQUARES
    if plan.prefix_tokens:
        marks.extend(_run(0, plan.prefix_tokens, "cached", squares))
    if plan.lengths is None:
        marks.extend(_run(plan.prefix_end, plan.total, "idle", squares))
        return Plot("strip", x, y, 74, tuple(marks), title=text("figures.chunks.strip"))
    for number, group in enumerate(groups):
        end = group.end
        role = "prefill" if number % 2 == 0 else "prefill_alt"
        marks.extend(_run(group.start, min(end, plan.total), role, squares))
        if end < plan.total and len(groups) <= LINES:
            marks.append(Line(((end, 0), (end, 1.28)), "yield"))
        marks.append(Dot(end, 1.36, "yield", "triangle" if end < plan.total else "square", 7))
    for position in sorted(plan.flaws.positions)[:SQUARES]:
        marks.append(Box(position, position + 1, 0, 1, "error"))
    return Plot("strip", x, y, 74, tuple(marks), title=text("figures.chunks.strip"))


def _run(start: int, end: int, role: str, squares: bool) -> Iterator[Mark]:
    if end <= start:
        return
    if not squares:
        yield Box(start, end, 0, 1, role)
        return
    for position in range(start, end):
        yield Cells(position, position + 1, 0, 1, role)


def _grouped(plan: ChunkPlan, each: int) -> list[_Group]:
    """The chunks in runs of ``each``."""
    lengths = plan.lengths or ()
    groups = []
    start = plan.prefix_end
    for first in range(0, len(lengths), each):
        run = lengths[first : first + each]
        tokens = sum(run)
        groups.append(_Group(first, first + len(run) - 1, start, tokens, max(run)))
        start += tokens
    return groups


def _chunks(plan: ChunkPlan, groups: Sequence[_Group]) -> Plot:
    count = len(plan.lengths or ())
    shown = max(count, -(-plan.suffix_tokens // plan.chunk_size), 12)
    x = numbered_axis(text("figures.chunks.x_number"), shown)
    top = max([plan.chunk_size, *(group.longest for group in groups)]) * 1.3
    y = linear_axis(text("figures.chunks.y"), top, wanted=4, whole=True)
    squares = sum(group.tokens for group in groups) <= SQUARES and plan.chunk_size <= 24
    marks: list[Mark] = []
    columns: list[Column] = []
    bad = sorted({*plan.flaws.overlong, *plan.flaws.underfull})
    for number, group in enumerate(groups):
        span = (group.first, group.last + 1)
        role = "prefill" if number % 2 == 0 else "prefill_alt"
        within = min(group.longest, plan.chunk_size)
        flawed = bisect_left(bad, group.first) < bisect_left(bad, group.last + 1)
        if flawed and group.longest <= plan.chunk_size:
            role = "error"
        marks.extend(_bar(span, 0, within, role, squares))
        if group.longest > plan.chunk_size:
            marks.extend(_bar(span, within, group.longest, "error", squares))
        columns.append(Column(*span, _why(plan, group)))
    limit = float(plan.chunk_size)
    words = text("figures.chunks.limit", size=short_number(plan.chunk_size))
    marks.append(Line(((0, limit), (shown, limit)), "budget"))
    marks.append(Note(shown, limit, words, "budget", "end", -4, -6, bold=True))
    if plan.predicted_chunks is not None and 0 <= plan.predicted_chunks <= shown:
        marks.append(Line(((plan.predicted_chunks, 0), (plan.predicted_chunks, top)), "prediction"))
    return Plot("chunks", x, y, 190, tuple(marks), tuple(columns), text("figures.chunks.bars"))


def _bar(
    span: tuple[float, float], low: int, high: int, role: str, squares: bool
) -> Iterator[Mark]:
    x0, x1 = span
    inset = (x1 - x0) * 0.06
    if squares:
        yield Cells(x0 + inset, x1 - inset, low, high - low, role)
    elif high > low:
        yield Box(x0 + inset, x1 - inset, low, high, role)


def _why(plan: ChunkPlan, group: _Group) -> str:
    if group.first != group.last:
        return text("figures.chunks.why_many", first=group.first + 1, last=group.last + 1,
                    tokens=short_number(group.tokens))  # fmt: skip
    return text(
        "figures.chunks.why",
        number=group.first + 1,
        tokens=group.tokens,
        start=group.start,
        end=group.end - 1,
        size=plan.chunk_size,
    )
