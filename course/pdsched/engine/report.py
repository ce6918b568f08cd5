"""From measured runs to the tables a learner reads, each with its origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pdsched.bench.measured import metrics_row
from pdsched.engine import interference
from pdsched.engine.pools import PoolsRun
from pdsched.evidence import Evidence, measured_conditions
from pdsched.metrics import Slo, summarize


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
    conditions = measured_conditions(
        threads=answer["threads"],
        seed=seed,
        repeats=repeats,
        interference=interference.told(answer["core_share"]),
    )
    return Evidence(title, "measured", rows, conditions)


def pools_table(
    title: str, answer: Mapping[str, Any], *, seed: int, slo: Slo | None = None, **more: Any
) -> Evidence:
    """TTFT, ITL, TPOT, utilisation and handoffs of each plan."""
    rows = [
        metrics_row(name, summarize(PoolsRun.from_json(run).timeline(name), slo))
        for name, run in answer["runs"].items()
    ]
    conditions = measured_conditions(
        threads=answer["threads"],
        seed=seed,
        **more,
        interference=interference.told(answer["core_share"]),
    )
    return Evidence(title, "measured", rows, conditions)
