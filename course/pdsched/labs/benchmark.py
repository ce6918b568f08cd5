"""Lab 5: one workload, several ways to serve it, everything simulated and said to be so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pdsched.bench.measured import metrics_row
from pdsched.evidence import Evidence
from pdsched.experiment import Experiment, ExperimentResult
from pdsched.figures import Picture
from pdsched.labs import pictures
from pdsched.labs.own_plan import OwnPlan
from pdsched.learner import LearnerFunctions
from pdsched.messages import text
from pdsched.metrics import Slo, summarize
from pdsched.simulator import Timeline

DECIDE: Final = "evaluate_pd_decision"
Changes = Mapping[str, Any]

# Two GPUs each, so that the comparison is fair.
WHOLE: Final[Changes] = {
    "policy": "orca_hybrid",
    "shared_workers": 2,
    "max_num_batched_tokens": 131_072,
}
CHUNKED: Final[Changes] = {
    "policy": "vllm_v1",
    "shared_workers": 2,
    "max_num_batched_tokens": 2_048,
}
SPLIT: Final[Changes] = {
    "policy": "vllm_v1",
    "shared_workers": 0,
    "prefill_workers": 1,
    "decode_workers": 1,
    "max_num_batched_tokens": 16_384,
}


def systems() -> dict[str, Changes]:
    """The three ways to use two GPUs, by the name a table gives them."""
    return {
        text("labs.bench.whole"): WHOLE,
        text("labs.bench.chunked", budget=CHUNKED["max_num_batched_tokens"]): CHUNKED,
        text("labs.pools.pd"): SPLIT,
    }


def base(**changes: Any) -> Experiment:
    """The lab's experiment: Llama-3.1-8B on H100, chat, TTFT counted after the handoff."""
    settings: dict[str, Any] = {
        "workload": "chat",
        "num_requests": 300,
        "rate_per_s": 24.0,
        "ttft_slo_ms": 2_000.0,
        "tpot_slo_ms": 14.0,
        "ttft_definition": "decode",
    }
    return Experiment(**(settings | changes))


def compare(title: str, shared: Experiment, plans: Mapping[str, Changes]) -> Evidence:
    """One row per plan, everything else equal."""
    rows = []
    for name, changes in plans.items():
        experiment = replace(shared, **changes)
        rows.append(metrics_row(name, experiment.run().metrics))
    return Evidence(title, "simulated", rows, conditions(shared))


def conditions(experiment: Experiment) -> dict[str, Any]:
    """What was held fixed, and how far the cost model is from measurements."""
    cost = experiment.cost()
    return {
        "cost_model": f"{cost.name} ({cost.error})",
        "workload": f"{experiment.workload} x {experiment.num_requests}",
        "rate_per_s": experiment.rate_per_s,
        "SLO": f"TTFT {experiment.ttft_slo_ms:g} ms, TPOT {experiment.tpot_slo_ms:g} ms",
        "ttft_definition": experiment.ttft_definition,
        "seed": experiment.seed,
    }


@dataclass(frozen=True)
class Sweep:
    """Results of several systems along one axis."""

    axis: str
    values: tuple[float, ...]
    results: Mapping[str, tuple[ExperimentResult, ...]]

    def curve(self, of: Callable[[ExperimentResult], float | None]) -> dict[str, pictures.Points]:
        """One number of every result, as lines over the axis."""
        return {
            name: [(x, of(result) or 0.0) for x, result in zip(self.values, each, strict=True)]
            for name, each in self.results.items()
        }


def load_sweep(shared: Experiment, rates_per_s: Iterable[float]) -> Sweep:
    """Every system at every load."""
    rates = tuple(rates_per_s)
    results = {
        name: tuple(replace(shared, rate_per_s=rate, **changes).run() for rate in rates)
        for name, changes in systems().items()
    }
    return Sweep(text("labs.bench.rate"), rates, results)


def goodput_picture(sweep: Sweep) -> Picture:
    """Goodput over load: where a line bends down, the SLO breaks."""
    return pictures.curves(
        "lab5_goodput",
        text("labs.bench.goodput_title"),
        sweep.curve(lambda result: result.metrics.goodput_per_s),
        x=sweep.axis,
        y=text("evidence.column.goodput_per_s"),
    )


def budget_sweep(shared: Experiment, budgets: Iterable[int]) -> Picture:
    """ITL P99 and TTFT P95 of the shared pool over the token budget."""
    itl, ttft = [], []
    for budget in budgets:
        experiment = replace(shared, **{**CHUNKED, "max_num_batched_tokens": budget})
        metrics = experiment.run().metrics
        itl.append((float(budget), metrics.itl_ms.p99 or 0.0))
        ttft.append((float(budget), metrics.ttft_ms.p95 or 0.0))
    return pictures.curves(
        "lab5_budget",
        text("labs.bench.budget_title"),
        {"TTFT P95": ttft, "ITL P99": itl},
        x="max_num_batched_tokens",
        y="ms",
        log_y=True,
    )


def policies(shared: Experiment, plan: OwnPlan) -> Evidence:
    """The learner's three policies beside the built-in schedulers, one GPU, one budget."""
    one_gpu = replace(shared, shared_workers=1, max_num_batched_tokens=2_048)
    plans: dict[str, Changes] = {}
    if plan.function is not None:
        for policy in ("decode_first", "balanced", "prefill_first"):
            plans[text("labs.bench.yours", policy=policy)] = {"policy": f"learner:{policy}"}
    for name in ("vllm_v1", "sglang", "sarathi"):
        plans[name] = {"policy": name}
    return compare(text("labs.bench.policies_table"), one_gpu, plans)


@dataclass(frozen=True)
class Decider:
    """TODO 5 of the learner, or a stand-in that looks at goodput alone and says so."""

    function: Callable[..., Any] | None
    max_handoff_ms: float = 20.0

    @classmethod
    def of(cls, functions: LearnerFunctions) -> Decider:
        """The learner's `evaluate_pd_decision`, if it is usable."""
        ready = DECIDE in functions.named("ready")
        return cls(functions[DECIDE] if ready else None)

    def __str__(self) -> str:
        if self.function is None:
            return text("labs.bench.no_decision", function=DECIDE)
        return text("labs.bench.own_decision", function=DECIDE)

    def decide(self, shared: Mapping[str, float], split: Mapping[str, float]) -> Mapping[str, Any]:
        """The decision for computed numbers (goodput as throughput, E2E P95, handoff P95)."""
        if self.function is None:
            gain = split["throughput"] - shared["throughput"]
            return {"throughput_gain": gain, "keep_split": gain > 0}
        answer: Mapping[str, Any] = self.function(
            dict(shared), dict(split), max_handoff_ms=self.max_handoff_ms
        )
        return answer


def ledger(result: ExperimentResult) -> dict[str, float]:
    """What TODO 5 wants to know about one run, computed."""
    return _ledger(result.metrics)


def _ledger(metrics: Any) -> dict[str, float]:
    return {
        "throughput": metrics.goodput_per_s,
        "p95_latency_ms": metrics.e2e_ms.p95,
        "handoff_ms": metrics.handoff.exposed_ms.p95 or 0.0,
    }


def slo_map(
    shared: Experiment,
    decider: Decider,
    *,
    ttft_slos_ms: Sequence[float] = (150, 300, 600, 1_200, 2_400),
    tpot_slos_ms: Sequence[float] = (10, 12, 14, 18, 25),
) -> Picture:
    """Where PD is kept, over the two SLOs; simulated once per system, judged at every point."""
    pair = [replace(shared, **c).timeline(record_iterations=False) for c in (CHUNKED, SPLIT)]
    tiles: dict[tuple[str, str], pictures.Tile] = {}
    for tpot in tpot_slos_ms:
        for ttft in ttft_slos_ms:
            before, after = (_judged(each, ttft, tpot, shared.ttft_definition) for each in pair)
            tiles[f"{ttft:g}", f"{tpot:g}"] = _tile(decider, before, after)
    return pictures.decision_map(
        "lab5_slo_map",
        text("labs.bench.slo_map_title"),
        tiles,
        x=text("labs.bench.ttft_slo"),
        y=text("labs.bench.tpot_slo"),
        sentences=(str(decider),),
    )


def _judged(
    timeline: Timeline, ttft_ms: float, tpot_ms: float, definition: str
) -> dict[str, float]:
    return _ledger(summarize(timeline, Slo(ttft_ms, tpot_ms), definition))


def load_map(
    shared: Experiment,
    decider: Decider,
    *,
    rates_per_s: Sequence[float] = (8, 16, 24, 32),
    links: Sequence[str] = ("nvlink-h100", "nic-400g", "ethernet-100g", "ethernet-25g"),
) -> Picture:
    """Where PD is kept, over load and link."""
    tiles: dict[tuple[str, str], pictures.Tile] = {}
    for link in links:
        for rate in rates_per_s:
            here = replace(shared, rate_per_s=rate, link=link)
            before, after = (ledger(replace(here, **c).run()) for c in (CHUNKED, SPLIT))
            tiles[f"{rate:g}", link] = _tile(decider, before, after)
    return pictures.decision_map(
        "lab5_load_map",
        text("labs.bench.load_map_title"),
        tiles,
        x=text("labs.bench.rate"),
        y="",  # the links' names say it
        sentences=(str(decider),),
    )


def _tile(
    decider: Decider, before: Mapping[str, float], after: Mapping[str, float]
) -> pictures.Tile:
    decision = decider.decide(before, after)
    gain = after["throughput"] / before["throughput"] - 1 if before["throughput"] else 0.0
    why = text(
        "labs.bench.tile",
        gain=f"{gain:+.0%}",
        latency=after["p95_latency_ms"] - before["p95_latency_ms"],
        handoff=after["handoff_ms"],
    )
    return pictures.Tile(bool(decision["keep_split"]), f"{gain:+.0%}", why)
