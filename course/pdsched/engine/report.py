"""From measured runs to the tables a learner reads, each with its origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pdsched.evidence import Evidence, measured_conditions
from pdsched.metrics import Distribution


def stall_table(title: str, answer: Mapping[str, Any], *, seed: int, repeats: int) -> Evidence:
    """The stall, its removal and its price; the first plan is the reference for the price."""
    runs: Mapping[str, Mapping[str, Any]] = answer["runs"]
    reference = next(iter(runs.values()))["ttft_ms"]
    rows = [
        {
            "plan": name,
            "decode_step_ms": run["decode_step_ms"],
            "max_itl_ms": run["max_itl_ms"],
            "stall_ratio": run["max_itl_ms"] / run["decode_step_ms"],
            "ttft_ms": run["ttft_ms"],
            "ttft_price": f"{run['ttft_ms'] / reference - 1:+.0%}",
            "iterations": len(run["steps"]),
        }
        for name, run in runs.items()
    ]
    conditions = measured_conditions(threads=answer["threads"], seed=seed, repeats=repeats)
    return Evidence(title, "measured", rows, conditions)


def pools_table(title: str, answer: Mapping[str, Any], *, seed: int, **more: Any) -> Evidence:
    """TTFT, ITL and TPOT of each plan; handoffs where there are any."""
    rows = [_pools_row(name, run) for name, run in answer["runs"].items()]
    conditions = measured_conditions(threads=answer["threads"], seed=seed, **more)
    return Evidence(title, "measured", rows, conditions)


def _pools_row(name: str, served: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    ttft = Distribution.of(r["token_ms"][0] - r["arrival_ms"] for r in served)
    itl = Distribution.of(b - a for r in served for a, b in pairwise(r["token_ms"]))
    tpot = Distribution.of(
        (r["token_ms"][-1] - r["token_ms"][0]) / (len(r["token_ms"]) - 1)
        for r in served
        if len(r["token_ms"]) > 1
    )
    handoff = Distribution.of(r["handoff_ms"] for r in served if r["handoff_ms"] is not None)
    span_ms = max(r["token_ms"][-1] for r in served) - min(r["arrival_ms"] for r in served)
    return {
        "plan": name,
        "ttft_p50_ms": ttft.p50,
        "ttft_p95_ms": ttft.p95,
        "tpot_p50_ms": tpot.p50,
        "itl_p50_ms": itl.p50,
        "itl_p99_ms": itl.p99,
        "itl_max_ms": itl.max,
        "output_tokens_per_s": sum(len(r["token_ms"]) for r in served) / span_ms * 1_000,
        "handoff_p50_ms": handoff.p50,
        "handoff_max_ms": handoff.max,
        "handoff_mb": sum(r["handoff_bytes"] for r in served) / 1e6 or None,
    }
