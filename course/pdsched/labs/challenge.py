"""The open challenge: a better ``plan_iteration_budget``, scored on workloads it has not seen.

The score is the mean, over three workloads, of its goodput divided by the best baseline's on the
same requests: 1.00 is as good as the best of vLLM V1, SGLang and Sarathi-Serve, more is better.
``pdgrade challenge`` scores a whole class on seeds of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from statistics import mean
from typing import Any, Final

import pdsched.messages.labs  # noqa: F401  registers the catalog
from pdsched.evidence import Evidence
from pdsched.experiment import Experiment
from pdsched.messages import text
from pdsched.metrics import summarize
from pdsched.scheduler import PlanError, Scheduler, from_plan_function, make
from pdsched.simulator import simulate
from pdsched.workload import workload

BASELINES: Final = ("vllm_v1", "sglang", "sarathi")
PUBLIC_SEEDS: Final = (0, 1)
LEADERBOARD: Final = "leaderboard.json"
# One H100 at a load where the SLO starts to break: what a policy does decides.
WORKLOADS: Final = (
    ("chat", 13.0, 1_000.0, 16.0),
    ("code", 1.0, 6_000.0, 60.0),
    ("mixed", 4.0, 2_000.0, 25.0),
)
_REQUESTS: Final = 200
_BUDGET: Final = 2_048

PlanFunction = Callable[..., Any]


@dataclass(frozen=True)
class Standing:
    """How a policy did on one workload and seed."""

    workload: str
    seed: int
    goodput_per_s: float
    best_baseline: str
    baseline_goodput_per_s: float

    @property
    def ratio(self) -> float:
        """Goodput over the best baseline's."""
        return self.goodput_per_s / self.baseline_goodput_per_s


@dataclass(frozen=True)
class Score:
    """A policy's result.

    Attributes:
        name: who made it.
        score: mean ratio to the best baseline; 0 when a plan broke a rule.
        standings: one per workload and seed.
        error: the broken rule with its call, or empty.
    """

    name: str
    score: float
    standings: tuple[Standing, ...] = ()
    error: str = ""

    def table(self) -> Evidence:
        """The standings, simulated."""
        rows = [
            {
                "workload": each.workload,
                "seed": each.seed,
                "goodput_per_s": each.goodput_per_s,
                "best_baseline": f"{each.best_baseline} {each.baseline_goodput_per_s:.3g}",
                "ratio": each.ratio,
            }
            for each in self.standings
        ]
        title = text("labs.challenge.score", name=self.name, score=self.score)
        cost = Experiment().cost()
        fixed = {"cost_model": f"{cost.name} ({cost.error})", "budget": _BUDGET}
        return Evidence(title, "simulated", rows, fixed)

    def _repr_markdown_(self) -> str:
        return f"**{self.error}**" if self.error else self.table()._repr_markdown_()

    def __str__(self) -> str:
        return self.error or str(self.table())


def score(
    function: PlanFunction,
    *,
    name: str = "",
    seeds: Sequence[int] = PUBLIC_SEEDS,
    policy: str = "balanced",
) -> Score:
    """Serve every workload with the function and compare with the best baseline.

    Args:
        function: has the contract of ``plan_iteration_budget``; how it decides is free.
        name: for the table.
        seeds: of the workloads; the final ones are not `PUBLIC_SEEDS`.
        policy: passed to the function.
    """
    found: list[Standing] = []
    scheduler = from_plan_function(function, policy=policy, name=name or "challenge")
    try:
        found.extend(standings(scheduler, seeds))
    except PlanError as error:
        return Score(name, 0.0, tuple(found), str(error))
    return Score(name, mean(each.ratio for each in found), tuple(found))


def standings(scheduler: Scheduler, seeds: Sequence[int]) -> Iterator[Standing]:
    """How a scheduler does on every workload of every seed, one after the other.

    Raises:
        PlanError: a plan breaks a rule.
    """
    for seed in seeds:
        for index, (kind, *_) in enumerate(WORKLOADS):
            best, reference = _best_baseline(index, seed)
            yield Standing(kind, seed, _goodput(index, seed, scheduler), best, reference)


@lru_cache(maxsize=64)
def _best_baseline(index: int, seed: int) -> tuple[str, float]:
    found = {name: _goodput(index, seed, make(name)) for name in BASELINES}
    best = max(found, key=lambda name: found[name])
    return best, max(found[best], 1e-9)


def _goodput(index: int, seed: int, scheduler: Scheduler) -> float:
    kind, rate_per_s, ttft_ms, tpot_ms = WORKLOADS[index]
    experiment = Experiment(ttft_slo_ms=ttft_ms, tpot_slo_ms=tpot_ms)
    timeline = simulate(
        workload(kind, num_requests=_REQUESTS, rate_per_s=rate_per_s, seed=seed),
        scheduler,
        experiment.cost(),
        max_num_batched_tokens=_BUDGET,
        kv=experiment.kv_cache(),
        record_iterations=False,
    )
    return summarize(timeline, experiment.slo).goodput_per_s


def enter(result: Score, path: str | Path = LEADERBOARD) -> Evidence:
    """Write a score into the leaderboard file (the better one of a name stays) and show it.

    Raises:
        ValueError: the score has no name or an error, or the file is not a leaderboard.
    """
    if not result.name or result.error:
        raise ValueError(text("labs.challenge.cannot_enter"))
    entries = _read(Path(path))
    known = entries.get(result.name)
    if known is None or known["score"] < result.score:
        made_at = datetime.now(timezone.utc).isoformat("T", "seconds")
        standings = [asdict(each) for each in result.standings]
        entries[result.name] = {"score": result.score, "made_at": made_at, "standings": standings}
    ranked = sorted(entries.items(), key=lambda item: -item[1]["score"])
    body = {"schema_version": 1, "evidence_level": "simulated", "entries": dict(ranked)}
    Path(path).write_text(json.dumps(body, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    rows = [
        {"rank": rank, "name": name, "score": entry["score"], "made_at": entry["made_at"][:10]}
        for rank, (name, entry) in enumerate(ranked, 1)
    ]
    cost = Experiment().cost()
    return Evidence(
        text("labs.challenge.board"),
        "simulated",
        rows,
        {"cost_model": f"{cost.name} ({cost.error})"},
    )


def _read(path: Path) -> dict[str, Mapping[str, Any]]:
    if not path.exists():
        return {}
    try:
        entries: dict[str, Mapping[str, Any]] = json.loads(path.read_text(encoding="utf-8"))[
            "entries"
        ]
        scores = [float(entry["score"]) for entry in entries.values()]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(text("labs.challenge.not_a_board", path=path)) from None
    return entries if scores else {}
