"""Panel 3's picture: routing, two-lane Gantt, utilisation, and when moving KV pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pdsched.figures.axes import (
    linear_axis,
    log_axis,
    milliseconds,
    numbered_axis,
    row_axis,
    short_number,
)
from pdsched.figures.scene import Box, Column, Dot, Line, Mark, Note, Plot, Scene
from pdsched.figures.worker_lanes import lanes_plot
from pdsched.messages import text
from pdsched.simulator import Timeline

POOLS: Final = ("prefill_pool", "decode_pool", "shared_pool")
POOL_MARK: Final = {
    "prefill_pool": ("prefill", "triangle"),
    "decode_pool": ("decode", "circle"),
    "shared_pool": ("shared", "diamond"),
}


@dataclass(frozen=True, slots=True)
class Routed:
    """One request, the pools it was put into, and the sentence of the rule that breaks."""

    name: str
    prompt_tokens: int
    decode_tokens: int
    pools: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Milliseconds by prompt length: moving the KV, computing it again, or sharing the worker.

    ``threshold`` is the routing threshold; ``predicted`` the learner's (tokens, ms), if any. An
    empty ``transfer_ms`` keeps the answer back until the learner has predicted it.
    """

    tokens: tuple[int, ...]
    transfer_ms: tuple[float, ...]
    recompute_ms: tuple[float, ...]
    sharing_ms: tuple[float, ...]
    threshold: int
    predicted: tuple[int, float] | None = None


def pd_pools(
    routed: Sequence[Routed],
    curves: BreakEven,
    timeline: Timeline | None,
    utilisation: Sequence[tuple[str, float]] = (),
    *,
    evidence: str = "",
) -> Scene:
    """All four rows; without a timeline (no answer yet) the Gantt is left out."""
    plots = [_routing(routed)]
    if timeline is not None:
        plots += [lanes_plot(timeline), _utilisation(utilisation)]
    plots.append(_break_even(curves))
    handoffs = len(timeline.handoffs) if timeline is not None else 0
    counts = {pool: sum(pool in each.pools for each in routed) for pool in POOLS}
    return Scene(
        key="pd_pools",
        title=text("figures.pd.title"),
        alt=text(
            "figures.pd.alt",
            count=len(routed),
            prefill=counts["prefill_pool"],
            decode=counts["decode_pool"],
            shared=counts["shared_pool"],
            handoffs=handoffs,
            wrong=sum(bool(each.fault) for each in routed),
        ),
        plots=tuple(plots),
        legend=("prefill", "decode", "shared", "handoff", "recompute", "error"),
        footer=evidence,
    )


def _routing(routed: Sequence[Routed]) -> Plot:
    count = max(len(routed), 12)
    x = numbered_axis(text("figures.pd.x_request"), count)
    y = row_axis(POOLS)
    marks: list[Mark] = []
    columns = []
    for index, each in enumerate(routed):
        at = index + 0.5
        for pool in each.pools:
            role, shape = POOL_MARK[pool]
            marks.append(Dot(at, 2.5 - POOLS.index(pool), role, shape, 11))  # type: ignore[arg-type]
            if each.fault:
                level = 2.5 - POOLS.index(pool)
                marks.append(Dot(at, level, "error", "circle", 18, each.fault, hollow=True))
        if each.fault and not each.pools:
            marks.append(Dot(at, 1.5, "error", "cross", 12, each.fault))
            around = ((index, 0), (index, 3), (index + 1, 3), (index + 1, 0), (index, 0))
            marks.append(Line(around, "error", why=each.fault))  # no row: all three are empty
        columns.append(Column(index, index + 1, each.fault or _why(each)))
    return Plot("routing", x, y, 84, tuple(marks), tuple(columns), text("figures.pd.routing"))


def _why(each: Routed) -> str:
    return text(
        "figures.pd.why",
        name=each.name,
        prompt=short_number(each.prompt_tokens),
        output=short_number(each.decode_tokens),
        pool=", ".join(each.pools) or "–",
    )


def _utilisation(shares: Sequence[tuple[str, float]]) -> Plot:
    names = tuple(text(f"figures.pd.pool.{role}") for role, _ in shares)
    x = linear_axis(text("figures.pd.x_busy"), 100, wanted=10)
    marks: list[Mark] = []
    for index, (role, share) in enumerate(shares):
        level = len(shares) - 1 - index
        marks.append(Box(0, 100, level + 0.2, level + 0.8, "idle"))
        busy = Box(0, share * 100, level + 0.2, level + 0.8, role, f"{share:.0%}")
        marks.append(busy)
        if share < 0.06:
            marks.append(Note(share * 100, level + 0.5, f"{share:.0%}", "ink", "start", 6, 4))
    title = text("figures.pd.busy")
    return Plot("busy", x, row_axis(names), 26 * len(shares), tuple(marks), title=title)


def _break_even(curves: BreakEven) -> Plot:
    every = (*curves.transfer_ms, *curves.recompute_ms, *curves.sharing_ms)
    x = log_axis(text("figures.pd.x_prompt"), curves.tokens[0], curves.tokens[-1])
    least = min(every) / (1.6 if curves.transfer_ms else 5)  # room for words below the lines
    y = log_axis(text("figures.pd.y_ms"), max(least, 0.01), max(every) * 1.6, base=10)
    marks: list[Mark] = [
        Line(((curves.threshold, y.low), (curves.threshold, y.high)), "threshold"),
        Note(curves.threshold, y.high, text("figures.pd.threshold"), "threshold", "end", -6, 14),
    ]
    # Where each line is farthest from the others: (share of the way, shift down in pixels).
    for key, role, values, (share, shift) in (
        ("transfer", "handoff", curves.transfer_ms, (0.3, 20)),
        ("recompute", "recompute", curves.recompute_ms, (0.86, -8)),
        ("sharing", "shared", curves.sharing_ms, (0.28, 16)),
    ):
        if not values:
            continue
        points = tuple(zip(curves.tokens, values, strict=True))
        marks.append(Line(points, role))
        place = points[int((len(points) - 1) * share)]
        words = text(f"figures.pd.line.{key}")
        marks.append(Note(*place, words, role, "end", 0, shift, bold=True))
    crossing = _crossing(curves)
    if crossing is not None and crossing[0] > curves.tokens[0]:
        tokens, ms = crossing
        words = text("figures.pd.crossing", tokens=short_number(tokens), ms=milliseconds(ms))
        marks += [Dot(tokens, ms, "current", "circle", 12, words, hollow=True)]
        marks += [Note(tokens, ms, words, "ink", "start", 10, 14)]
    if curves.predicted is not None and y.low <= curves.predicted[1] <= y.high:
        tokens, ms = curves.predicted
        words = text("figures.pd.predicted", ms=milliseconds(ms))
        marks += [Dot(tokens, ms, "prediction", "diamond", 14, words, hollow=True)]
        marks += [Note(tokens, ms, words, "prediction", "start", 11, 4)]
    return Plot("break_even", x, y, 220, tuple(marks), title=text("figures.pd.break_even"))


def _crossing(curves: BreakEven) -> tuple[int, float] | None:
    """The shortest prompt whose KV is moved faster than it is computed again."""
    for tokens, transfer, recompute in zip(
        curves.tokens, curves.transfer_ms, curves.recompute_ms, strict=False
    ):
        if transfer < recompute:
            return tokens, transfer
    return None
