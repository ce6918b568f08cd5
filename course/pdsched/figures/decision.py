"""Panel 4's picture: three ways of serving over load, and where the learner keeps the split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pdsched.figures.axes import linear_axis, milliseconds, short_number
from pdsched.figures.scene import Axis, Box, Column, Dot, Line, Mark, Note, Plot, Scene, Tick
from pdsched.messages import text

System = Literal["shared", "chunked", "pd"]
SYSTEMS: Final[tuple[System, ...]] = ("shared", "chunked", "pd")
SHAPES: Final = {"shared": "square", "chunked": "triangle", "pd": "diamond"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one system did at one load. Rates are per second, times P95 in milliseconds."""

    throughput: float
    goodput: float
    latency_ms: float
    ttft_ms: float
    tpot_ms: float
    handoff_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """One load: requests in flight, the outcome of each system, and the learner's decision.

    Without an outcome of ``pd`` the picture keeps the answer back. ``keep`` is None before an
    answer; ``fault`` is the sentence of a wrong decision.
    """

    load: int
    outcomes: dict[System, Outcome]
    keep: bool | None = None
    why: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """The handoff budget of TODO 5 and the SLO box."""

    max_handoff_ms: float
    ttft_ms: float
    tpot_ms: float


def decision(
    points: Sequence[LoadPoint],
    limits: Limits,
    *,
    metric: Literal["throughput", "goodput"] = "throughput",
    baseline: System = "shared",
    predicted: float | None = None,
    evidence: str = "",
) -> Scene:
    """Throughput or goodput, latency and handoff over load, above the SLO box."""
    kept = [point.load for point in points if point.keep]
    return Scene(
        key="decision",
        title=text("figures.decision.title"),
        alt=text(
            "figures.decision.alt",
            loads=", ".join(str(point.load) for point in points),
            kept=", ".join(map(str, kept)) or "–",
            baseline=text(f"figures.role.system_{baseline}"),
            wrong=sum(bool(point.fault) for point in points),
        ),
        plots=(
            _rates(points, metric, predicted),
            _latency(points),
            *([_handoff(points, limits.max_handoff_ms)] if "pd" in points[0].outcomes else []),
            _slo_box(points, limits),
        ),
        legend=(*(f"system_{each}" for each in SYSTEMS), "keep", "reject", "slo", "error"),
        footer=evidence,
    )


def _load_axis(points: Sequence[LoadPoint]) -> Axis:
    ticks = tuple(Tick(i + 0.5, str(point.load), False) for i, point in enumerate(points))
    return Axis(text("figures.decision.x"), 0, len(points), ticks=ticks)


def _lines(
    points: Sequence[LoadPoint], field: str, systems: Sequence[System] = SYSTEMS
) -> Iterator[Mark]:
    for system in systems:
        if system not in points[0].outcomes:
            continue
        values = [getattr(point.outcomes[system], field) for point in points]
        path = tuple((i + 0.5, value) for i, value in enumerate(values))
        role = f"system_{system}"
        yield Line(path, role)
        for x, value in path:
            shape = SHAPES[system]
            why = f"{text(f'figures.role.{role}')}: {short_number(round(value, 2))}"
            yield Dot(x, value, role, shape, 10, why)  # type: ignore[arg-type]


def _regions(points: Sequence[LoadPoint], top: float) -> Iterator[Mark]:
    """The learner's decision as a band behind each load."""
    for index, point in enumerate(points):
        if point.keep is None:
            continue
        yield Box(index, index + 1, 0, top, "keep" if point.keep else "reject")


def _rates(points: Sequence[LoadPoint], metric: str, predicted: float | None) -> Plot:
    most = max(getattr(o, metric) for point in points for o in point.outcomes.values())
    top = max(most * 1.3, 1e-6)
    y = linear_axis(text(f"figures.decision.y_{metric}"), top, wanted=4)
    marks = [*_regions(points, top), *_lines(points, metric)]
    for index, point in enumerate(points):
        if point.keep is not None:
            words = text("figures.decision.keep" if point.keep else "figures.decision.reject")
            role = "error" if point.fault else ("slo" if point.keep else "faint")
            marks.append(Note(index + 0.5, top, words, role, "middle", 0, 15, bold=True))
        if point.fault:
            marks.append(Dot(index + 0.5, top * 0.8, "error", "cross", 13, point.fault))
    if predicted is not None:
        words = text("figures.decision.predicted", count=f"{predicted:g}")
        marks.append(Note(len(points), 0, words, "prediction", "end", -6, -8, bold=True))
    columns = tuple(
        Column(i, i + 1, point.fault or point.why) for i, point in enumerate(points) if point.why
    )
    title = text(f"figures.decision.{metric}")
    return Plot("rates", _load_axis(points), y, 170, tuple(marks), columns, title)


def _latency(points: Sequence[LoadPoint]) -> Plot:
    top = max(o.latency_ms for point in points for o in point.outcomes.values()) * 1.15
    y = linear_axis("ms", top, wanted=4)
    marks = [*_regions(points, top), *_lines(points, "latency_ms")]
    title = text("figures.decision.latency")
    return Plot("latency", _load_axis(points), y, 130, tuple(marks), title=title)


def _handoff(points: Sequence[LoadPoint], limit: float) -> Plot:
    top = max(limit, *(point.outcomes["pd"].handoff_ms for point in points)) * 1.3
    y = linear_axis("ms", top, wanted=3)
    words = text("figures.decision.max_handoff", limit=milliseconds(limit))
    marks = [
        *_regions(points, top),
        *_lines(points, "handoff_ms", ("pd",)),
        Line(((0, limit), (len(points), limit)), "budget"),
        Note(len(points), limit, words, "budget", "end", -4, -6, bold=True),
    ]
    title = text("figures.decision.handoff")
    return Plot("handoff", _load_axis(points), y, 100, tuple(marks), title=title)


def _slo_box(points: Sequence[LoadPoint], limits: Limits) -> Plot:
    """P95 TTFT against P95 TPOT; the SLO is the corner box."""
    every = [outcome for point in points for outcome in point.outcomes.values()]
    right = max(limits.ttft_ms, *(o.ttft_ms for o in every)) * 1.12
    top = max(limits.tpot_ms, *(o.tpot_ms for o in every)) * 1.2
    x = linear_axis(text("figures.decision.x_ttft"), right, wanted=8)
    y = linear_axis(text("figures.decision.y_tpot"), top, wanted=4)
    marks: list[Mark] = [
        Box(0, limits.ttft_ms, 0, limits.tpot_ms, "keep"),
        Line(((limits.ttft_ms, 0), (limits.ttft_ms, limits.tpot_ms), (0, limits.tpot_ms)), "slo"),
        Note(0, limits.tpot_ms, text("figures.decision.slo"), "slo", "start", 6, -6, bold=True),
    ]
    for system in points[0].outcomes:
        path = tuple((p.outcomes[system].ttft_ms, p.outcomes[system].tpot_ms) for p in points)
        role = f"system_{system}"
        marks.append(Line(path, role))
        for point, (ttft, tpot) in zip(points, path, strict=True):
            inside = ttft <= limits.ttft_ms and tpot <= limits.tpot_ms
            why = text(
                "figures.decision.slo_why",
                system=text(f"figures.role.{role}"),
                load=point.load,
                ttft=milliseconds(ttft),
                tpot=milliseconds(tpot),
            )
            shape = SHAPES[system]
            marks.append(
                Dot(ttft, tpot, role, shape, 10, why, hollow=not inside)  # type: ignore[arg-type]
            )
    title = text("figures.decision.box")
    return Plot("slo", x, y, 180, tuple(marks), title=title)
