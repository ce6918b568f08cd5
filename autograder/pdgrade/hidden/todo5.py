"""TODO 5, ``evaluate_pd_decision``: all three conditions, equality, reported numbers, purity.

Measurements are multiples of 1/8, so that differences are exact and equality is really equality.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from pdgrade.hidden.properties import Case, Property, calls_of_pure, exact, pure

NAME: Final = "evaluate_pd_decision"
STEP: Final = 0.125


def oracle(
    baseline: dict[str, float], split_run: dict[str, float], max_handoff_ms: float
) -> dict[str, Any]:
    """The agreed decision: no condition may be violated."""
    gain, delta = (
        float(split_run.get(key, 0.0) - baseline.get(key, 0.0))
        for key in ("throughput", "p95_latency_ms")
    )
    handoff = float(split_run.get("handoff_ms", 0.0))
    violated = gain <= 0 or delta > 0 or handoff > max_handoff_ms
    return {
        "throughput_gain": gain,
        "latency_delta_ms": delta,
        "handoff_ms": handoff,
        "keep_split": not violated,
    }


def eighths(rng: Random, low: int, high: int) -> float:
    """A random multiple of 1/8 from [low, high)."""
    return rng.randrange(low * 8, high * 8) * STEP


def measured(rng: Random, gain: float, delta: float, slack: float) -> Case:
    """Two runs that differ by `gain` and `delta`, the handoff `slack` ms under its budget."""
    throughput, latency = eighths(rng, 80, 300), eighths(rng, 120, 400)
    budget = eighths(rng, 20, 60)
    baseline = {"throughput": throughput, "p95_latency_ms": latency}
    split_run = {
        "throughput": throughput + gain,
        "p95_latency_ms": latency + delta,
        "handoff_ms": budget - slack,
    }
    return Case((baseline, split_run), {"max_handoff_ms": budget})


def all_combinations(rng: Random) -> Iterator[Case]:
    """Every combination of kept and violated conditions, far from the boundaries."""
    for _ in range(4):
        for gain in (eighths(rng, 1, 60), -eighths(rng, 1, 60)):
            for delta in (eighths(rng, 1, 90), -eighths(rng, 1, 90)):
                for slack in (eighths(rng, 1, 19), -eighths(rng, 1, 90)):
                    yield measured(rng, gain, delta, slack)
    # A small improvement beside a long (allowed) handoff: the handoff is no part of the latency.
    yield measured(rng, eighths(rng, 9, 60), -eighths(rng, 1, 8), eighths(rng, 1, 5))


def boundaries(rng: Random) -> Iterator[Case]:
    """Each condition one step to either side of equality while the others hold; zeros."""
    for _ in range(3):
        for nudge in (-STEP, 0.0, STEP):
            yield measured(rng, nudge, -eighths(rng, 1, 60), eighths(rng, 1, 19))
            yield measured(rng, eighths(rng, 1, 60), nudge, eighths(rng, 1, 19))
            yield measured(rng, eighths(rng, 1, 60), -eighths(rng, 1, 60), nudge)
    yield measured(rng, eighths(rng, 1, 60), 0.0, 0.0)
    yield measured(rng, 0.0, 0.0, 0.0)
    faster = {"throughput": eighths(rng, 90, 99), "p95_latency_ms": 50.0, "handoff_ms": 0.0}
    slower = {"throughput": eighths(rng, 70, 80), "p95_latency_ms": 60.0}
    yield Case((slower, faster), {"max_handoff_ms": 0.0})
    yield Case((slower, {**faster, "handoff_ms": STEP}), {"max_handoff_ms": 0.0})


def reported(rng: Random) -> Iterator[Case]:
    """Gains and losses, whole numbers, missing keys."""
    for _ in range(10):
        yield measured(rng, eighths(rng, -60, 60), eighths(rng, -90, 90), eighths(rng, -20, 19))
    whole = {"throughput": rng.randrange(90, 200), "p95_latency_ms": rng.randrange(90, 200)}
    yield Case((whole, {**whole, "throughput": 300, "handoff_ms": 8}), {"max_handoff_ms": 10})
    full = {"throughput": 120.5, "p95_latency_ms": eighths(rng, 90, 200), "handoff_ms": 4.25}
    for key in ("throughput", "p95_latency_ms"):
        yield Case((_without(full, key), full), {"max_handoff_ms": 9.0})
    for key in full:
        yield Case((full, _without(full, key)), {"max_handoff_ms": 9.0})
    yield Case(({}, {}), {"max_handoff_ms": eighths(rng, 1, 9)})


def _without(measurements: dict[str, float], key: str) -> dict[str, float]:
    return {name: value for name, value in measurements.items() if name != key}


def two_measurements(rng: Random) -> Iterator[Case]:
    """Pairs of comparisons whose gains differ."""
    for _ in range(4):
        one = measured(rng, eighths(rng, 1, 20), -1.5, 2.0)
        other = measured(rng, eighths(rng, 30, 60), 4.5, -2.0)
        pairs = [(*case.args, case.kwargs["max_handoff_ms"]) for case in (one, other)]
        yield Case(tuple(pairs))


def _is_decision(result: Any) -> bool:
    return type(result) is dict and type(result.get("keep_split")) is bool


def kept(decision: dict[str, Any]) -> Any:
    """Only the decision itself."""
    return decision["keep_split"]


def numbers(decision: dict[str, Any]) -> dict[str, Any]:
    """Everything but the decision's value: the numbers, and no field beyond the four."""
    return {**decision, "keep_split": None} if "keep_split" in decision else decision


_kept = exact(NAME, oracle, kept)

PROPERTIES: Final = (
    Property("todo5_keep_requires_all_three", all_combinations, _kept),
    Property("todo5_boundaries", boundaries, _kept),
    Property("todo5_reported_numbers", reported, exact(NAME, oracle, numbers)),
    Property(
        "todo5_pure", two_measurements, pure(NAME, _is_decision), shrinks=False, calls=calls_of_pure
    ),
)
