"""A timeline as lanes: one row for each worker and for the link, iterations coloured by phase.

Used by panel 3, by the command line and by the labs. Neighbouring iterations of the same kind share
a bar once they are too narrow to tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pdsched.figures.axes import linear_axis, milliseconds, row_axis, short_number
from pdsched.figures.scene import Box, Line, Mark, Plot, Scene
from pdsched.messages import text
from pdsched.simulator import Handoff, Iteration, Timeline
from pdsched.simulator.log import IterationSequence, Stretch

BARS: Final = 1100  # in all lanes together
NARROW: Final = 1 / 900  # of the time shown: about a pixel
ROW_PX: Final = 30
TIED: Final = 40  # more handoffs than this are not tied to their lanes, and may share a bar
ROLE: Final = {"prefill": "prefill", "decode": "decode", "both": "shared"}


@dataclass(slots=True)
class _Bar:
    """Neighbouring iterations of one kind on one worker."""

    worker: str
    kind: str
    start_ms: float
    end_ms: float
    iterations: int
    tokens: int


def worker_lanes(timeline: Timeline) -> Scene:
    """The whole timeline as one picture."""
    plot = lanes_plot(timeline)
    handed = sum(handoff.outcome == "ok" for handoff in timeline.handoffs)
    return Scene(
        key="worker_lanes",
        title=text("figures.lanes.title", scheduler=timeline.scheduler),
        alt=text(
            "figures.lanes.alt",
            workers=len(timeline.workers),
            requests=len(timeline.requests),
            end=milliseconds(timeline.end_ms - timeline.start_ms),
            handoffs=handed,
        ),
        plots=(plot,),
        legend=("prefill", "decode", "shared", *(("handoff",) if timeline.handoffs else ())),
        footer=text("figures.evidence.simulated", cost=timeline.cost),
    )


def lanes_plot(timeline: Timeline) -> Plot:
    """The lanes alone, to stand in another scene."""
    rows = _rows(timeline)
    level = {name: len(rows) - 1 - position for position, name in enumerate(rows)}
    x = linear_axis(text("figures.lanes.x"), max(timeline.end_ms, 1.0), wanted=10)
    span = timeline.end_ms - timeline.start_ms or 1.0
    bars = _merged(timeline.iterations, span)
    marks: list[Mark] = [_bar_mark(bar, level[bar.worker]) for bar in bars]
    marks.extend(_handoffs(timeline.handoffs, level, span * NARROW * 1.5))
    y = row_axis(tuple(_row_name(name) for name in rows))
    height = ROW_PX * len(rows)
    return Plot("lanes", x, y, height, tuple(marks), title=text("figures.lanes.heading"))


def _rows(timeline: Timeline) -> list[str]:
    """Prefill workers, the link, decode workers, shared workers: the way a request takes."""
    names: dict[str, list[str]] = {"prefill": [], "decode": [], "shared": []}
    for worker in timeline.workers:
        names[worker.role].append(worker.name)
    link = ["link"] if names["prefill"] else []
    return [*names["prefill"], *link, *names["decode"], *names["shared"]]


def _row_name(name: str) -> str:
    if name == "link":
        return text("figures.lanes.link")
    role = name.rstrip("0123456789")
    return text(f"figures.lanes.{role}", number=int(name[len(role) :] or 0) + 1)


def _stretches(iterations: Sequence[Iteration]) -> Iterable[Stretch]:
    """What was recorded as one is drawn as one; building every iteration would take longest."""
    if isinstance(iterations, IterationSequence):
        return sorted(iterations.stretches(), key=lambda each: each.start_ms)
    return [
        Stretch(each.worker, each.start_ms, each.end_ms, 1, each.num_scheduled_tokens,
                bool(each.prefills), bool(each.decodes))
        for each in iterations
    ]  # fmt: skip


def _kind(stretch: Stretch) -> str:
    if stretch.prefills and stretch.decodes:
        return "both"
    return "prefill" if stretch.prefills else "decode"


def _merged(iterations: Sequence[Iteration], span: float) -> list[_Bar]:
    """Bars of equal kind; the fewer fit, the wider the gaps that are bridged."""
    bars: list[_Bar] = []
    last: dict[str, _Bar] = {}
    for each in _stretches(iterations):
        kind = _kind(each)
        bar = last.get(each.worker)
        near = bar is not None and each.start_ms - bar.end_ms < span * NARROW
        if bar is not None and near and bar.kind == kind:
            bar.end_ms = each.end_ms
            bar.iterations += each.iterations
            bar.tokens += each.num_scheduled_tokens
            continue
        bar = _Bar(each.worker, kind, each.start_ms, each.end_ms, each.iterations,
                   each.num_scheduled_tokens)  # fmt: skip
        last[each.worker] = bar
        bars.append(bar)
    narrow = span * NARROW
    while len(bars) > BARS:
        bars = _bridged(bars, narrow)
        narrow *= 2
    return bars


def _bridged(bars: list[_Bar], narrow: float) -> list[_Bar]:
    """Let each narrow bar join the one before it on its worker; the longer one names the kind."""
    kept: list[_Bar] = []
    last: dict[str, _Bar] = {}
    for bar in bars:
        before = last.get(bar.worker)
        width = bar.end_ms - bar.start_ms
        if before is not None and width < narrow and bar.start_ms - before.end_ms < narrow:
            if width > before.end_ms - before.start_ms:
                before.kind = bar.kind
            before.end_ms = bar.end_ms
            before.iterations += bar.iterations
            before.tokens += bar.tokens
        else:
            kept.append(bar)
            last[bar.worker] = bar
    return kept


def _bar_mark(bar: _Bar, level: int) -> Box:
    why = text(
        f"figures.lanes.why.{bar.kind}",
        count=bar.iterations,
        tokens=short_number(bar.tokens),
        start=milliseconds(bar.start_ms),
        took=milliseconds(bar.end_ms - bar.start_ms),
    )
    return Box(bar.start_ms, bar.end_ms, level + 0.14, level + 0.86, ROLE[bar.kind], why=why)


def _handoffs(handoffs: Sequence[Handoff], level: dict[str, int], narrow: float) -> Iterator[Mark]:
    """Bars on the link's row; tied to the lanes they leave and reach while there are few."""
    for group in _close_together(handoffs, narrow):
        first, last = group[0], group[-1]
        row = level["link"]
        role = "handoff" if all(each.outcome == "ok" for each in group) else "error"
        why = text(
            "figures.lanes.why.handoff",
            request_id=first.request_id
            if len(group) == 1
            else f"{first.request_id} … {last.request_id}",
            megabytes=short_number(round(sum(each.num_bytes for each in group) / 1e6)),
            took=milliseconds(sum(each.end_ms - each.start_ms for each in group)),
            waited=milliseconds(max(each.start_ms - each.ready_ms for each in group)),
            outcome=first.outcome,
        )
        end_ms = max(each.end_ms for each in group)
        yield Box(first.start_ms, end_ms, row + 0.2, row + 0.8, role, why=why)
    if len(handoffs) > TIED:
        return
    for each in handoffs:
        source, target = level[each.source] + 0.14, level[each.target] + 0.86
        row = level["link"]
        yield Line(((each.start_ms, source), (each.start_ms, row + 0.8)), "handoff")
        yield Line(((each.end_ms, row + 0.2), (each.end_ms, target)), "handoff")


def _close_together(handoffs: Sequence[Handoff], narrow: float) -> list[list[Handoff]]:
    """Every handoff alone, or, where there are many, those with no visible gap together."""
    ordered = sorted(handoffs, key=lambda each: each.start_ms)
    groups: list[list[Handoff]] = []
    for each in ordered:
        near = groups and each.start_ms - groups[-1][-1].end_ms < narrow
        if near and len(handoffs) > TIED:
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups
