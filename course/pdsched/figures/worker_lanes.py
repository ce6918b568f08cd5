"""A timeline as lanes: one row for each worker and for the link, iterations coloured by phase.

Used by panel 3, by the command line and by the labs. Neighbouring iterations of the same kind share
a bar once they are too narrow to tell apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pdsched.figures.axes import linear_axis, milliseconds, row_axis, short_number
from pdsched.figures.scene import Box, Line, Mark, Plot, Scene
from pdsched.messages import text
from pdsched.simulator import Handoff, Iteration, Timeline

BARS: Final = 1100  # in all lanes together
NARROW: Final = 1 / 900  # of the time shown: about a pixel
ROW_PX: Final = 30
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
    marks.extend(_handoffs(timeline.handoffs, level))
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


def _kind(iteration: Iteration) -> str:
    if iteration.prefills and iteration.decodes:
        return "both"
    return "prefill" if iteration.prefills else "decode"


def _merged(iterations: Iterable[Iteration], span: float) -> list[_Bar]:
    """Bars of equal kind; the fewer fit, the wider the gaps that are bridged."""
    bars: list[_Bar] = []
    last: dict[str, _Bar] = {}
    for each in iterations:
        kind = _kind(each)
        bar = last.get(each.worker)
        near = bar is not None and each.start_ms - bar.end_ms < span * NARROW
        if bar is not None and near and bar.kind == kind:
            bar.end_ms = each.end_ms
            bar.iterations += 1
            bar.tokens += each.num_scheduled_tokens
            continue
        bar = _Bar(each.worker, kind, each.start_ms, each.end_ms, 1, each.num_scheduled_tokens)
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


def _handoffs(handoffs: Iterable[Handoff], level: dict[str, int]) -> Iterator[Mark]:
    for number, handoff in enumerate(handoffs):
        row = level["link"]
        role = "handoff" if handoff.outcome == "ok" else "error"
        why = text(
            "figures.lanes.why.handoff",
            request_id=handoff.request_id,
            megabytes=short_number(round(handoff.num_bytes / 1e6)),
            took=milliseconds(handoff.end_ms - handoff.start_ms),
            waited=milliseconds(handoff.start_ms - handoff.ready_ms),
            outcome=handoff.outcome,
        )
        yield Box(handoff.start_ms, handoff.end_ms, row + 0.2, row + 0.8, role, why=why)
        if number < 40 and handoff.source in level and handoff.target in level:
            source, target = level[handoff.source] + 0.14, level[handoff.target] + 0.86
            yield Line(((handoff.start_ms, source), (handoff.start_ms, row + 0.8)), role)
            yield Line(((handoff.end_ms, row + 0.2), (handoff.end_ms, target)), role)
