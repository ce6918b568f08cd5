"""Lab 6: the stall measured, its removal, its price; predicted and measured; two processes."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from pdsched.cost import CostModel, LinearCost
from pdsched.engine import interference, measure, report
from pdsched.engine.calibration import IterationFeatures
from pdsched.engine.specs import PlannerSpec
from pdsched.engine.stall import LONG, Scenario, StallRun
from pdsched.evidence import Evidence, measured_conditions
from pdsched.figures import Picture
from pdsched.labs import pictures
from pdsched.labs.own_plan import OwnPlan
from pdsched.messages import text
from pdsched.metrics import Slo
from pdsched.simulator import simulate
from pdsched.workload import Request

Specs = Mapping[str, PlannerSpec]
LONG_PROMPT, SHORT, LONG_SHARE = 1_024, 64, 0.3  # of `mixed_requests`
LONG_WAIT = 10  # times a decode-only iteration: what the strip marks


@dataclass(frozen=True)
class Calibration:
    """A cost model of this machine, and the iterations it was fitted to and judged on.

    Attributes:
        cost: the model.
        iterations: measured, two thirds to fit and one third to judge.
        core_share: of a core, what the engine got meanwhile.
    """

    cost: LinearCost
    iterations: tuple[IterationFeatures, ...]
    core_share: float = 1.0

    def picture(self) -> Picture:
        """Predicted over measured, one dot per iteration."""
        return pictures.predicted_against_measured(
            "lab6_fit",
            text("labs.fit.title"),
            [(each.duration_ms, each.predicted_ms(self.cost)) for each in self.iterations],
            x=text("labs.measured_ms"),
            y=text("labs.predicted_ms"),
        )

    def __str__(self) -> str:
        cost = self.cost
        formula = text(
            "labs.fit.formula",
            base=cost.base_ms,
            token=cost.prefill_token_ms,
            decode=cost.decode_ms,
            pair=cost.prefill_pair_ms * 1_000,
            context=cost.decode_context_ms * 1_000,
            error=cost.error,
        )
        told = interference.told(self.core_share)
        return f"{formula}\n{text('evidence.condition.interference')}: {told}"


def calibrate(*, seed: int = 0) -> Calibration:
    """Measure a grid of iterations in a process of its own and fit the linear model."""
    answer = measure.in_fresh_process("calibrate", seed=seed, source=text("labs.fit.source"))
    iterations = tuple(IterationFeatures(**each) for each in answer["iterations"])
    return Calibration(LinearCost(**answer["cost"]), iterations, answer["core_share"])


@dataclass(frozen=True)
class StallLab:
    """The measured stall under several plans.

    Attributes:
        scenario: what was served.
        specs: how each plan was made.
        runs: one measured run per plan.
        table: the numbers, with their origin.
        calibration: a cost model fitted to iterations measured in the same turns.
    """

    scenario: Scenario
    specs: Specs
    runs: Mapping[str, StallRun]
    table: Evidence
    calibration: Calibration

    def picture(self) -> Picture:
        """What one chat lived through, plan by plan."""
        normal_ms = min(run.decode_step_ms for run in self.runs.values())
        return pictures.stall_strip(
            "lab6_stall",
            text("labs.stall.title"),
            {name: run.gaps_ms for name, run in self.runs.items()},
            long_ms=LONG_WAIT * normal_ms,
            x=text("labs.time_ms"),
        )


def measure_stall(specs: Specs, *, scenario: Scenario | None = None, repeats: int = 3) -> StallLab:
    """Run every plan ``repeats`` times in a process of its own; the median run is kept.

    The iterations that the cost model is fitted to are measured in the same turns: a machine
    that slows down meanwhile slows both.
    """
    served = scenario or Scenario()
    answer = measure.in_fresh_process(
        "stall",
        plans={name: asdict(spec) for name, spec in specs.items()},
        scenario=asdict(served),
        repeats=repeats,
        grid={},
        source=text("labs.fit.source"),
    )
    table = report.stall_table(text("labs.stall.table"), answer, seed=served.seed, repeats=repeats)
    runs = {
        name: StallRun(**run | {"gaps_ms": tuple(run["gaps_ms"]), "steps": tuple(run["steps"])})
        for name, run in answer["runs"].items()
    }
    iterations = tuple(IterationFeatures(**each) for each in answer["iterations"])
    calibration = Calibration(LinearCost(**answer["cost"]), iterations, answer["core_share"])
    return StallLab(served, specs, runs, table, calibration)


@dataclass(frozen=True)
class Overlay:
    """Predicted and measured waits of one chat under each plan."""

    predicted: Mapping[str, Sequence[float]]
    measured: Mapping[str, Sequence[float]]
    table: Evidence

    def picture(self, plan: str) -> Picture:
        """Both as curves over the chat's tokens."""
        return pictures.curves(
            "lab6_overlay",
            text("labs.overlay.title", plan=plan),
            {
                text("labs.measured"): list(enumerate(self.measured[plan], 1)),
                text("labs.predicted"): list(enumerate(self.predicted[plan], 1)),
            },
            x=text("labs.token_number"),
            y=text("labs.itl_ms"),
            log_y=True,
        )


def overlay(lab: StallLab, plan: OwnPlan) -> Overlay:
    """Simulate the measured scenario with the fitted cost and lay it over the measurement."""
    predicted: dict[str, Sequence[float]] = {}
    cost = lab.calibration.cost
    rows = []
    for name, run in lab.runs.items():
        gaps, ttft_ms = _simulated(lab.scenario, lab.specs[name], cost, plan)
        predicted[name] = gaps[: len(run.gaps_ms)]
        for what, ours, real in (
            ("max ITL", max(gaps), run.max_itl_ms),
            ("TTFT", ttft_ms, run.ttft_ms),
        ):
            rows.append(
                {
                    "plan": f"{name} · {what}",
                    "predicted_ms": ours,
                    "measured_ms": real,
                    "error": f"{ours / real - 1:+.0%}",
                }
            )
    conditions = measured_conditions(
        threads="1",
        seed=lab.scenario.seed,
        cost_model=f"{cost.name}, {cost.error}",
        interference=interference.told(lab.calibration.core_share),
    )
    table = Evidence(text("labs.overlay.table"), "measured", rows, conditions)
    return Overlay(predicted, {name: run.gaps_ms for name, run in lab.runs.items()}, table)


def _simulated(
    scenario: Scenario, spec: PlannerSpec, cost: LinearCost, plan: OwnPlan
) -> tuple[list[float], float]:
    """Gaps of one chat after the long prompt arrives, and the prompt's TTFT."""
    chats = [
        Request(f"chat-{number}", 0.0, scenario.chat_context_tokens, 900)
        for number in range(scenario.num_chats)
    ]

    def run(requests: Sequence[Request]) -> Any:
        return simulate(
            requests,
            plan.scheduler(spec),
            cost,
            max_num_batched_tokens=spec.max_num_batched_tokens,
            fast_forward=False,
        )

    alone = run(chats).token_times(chats[0].request_id)
    arrival_ms = alone[scenario.settle_steps + 3] - 1e-6
    long = Request(LONG, arrival_ms, scenario.prompt_tokens, 3)
    timeline = run([*chats, long])
    served = next(record for record in timeline.requests if record.request_id == LONG)
    times = timeline.token_times(chats[0].request_id)
    window = [t for t in times if arrival_ms - 1 < t <= served.finish_ms + 1e-6]
    before = [t for t in times if t < window[0]][-1:] if window[0] > arrival_ms + 1 else []
    gaps = [later - sooner for sooner, later in pairwise([*before, *window])]
    return gaps, served.first_token_ms - arrival_ms


def rate_that_keeps_busy(cost: CostModel, prefill_share: float) -> float:
    """Arrivals per second of `mixed_requests` that fill this share of one prefill worker.

    In requests per second a load means something else on every machine; as a share it does not.
    """
    long_ms, short_ms = (
        cost.iteration_ms(tokens, 0, tokens**2 / 2, 0, 0, 1) for tokens in (LONG_PROMPT, SHORT)
    )
    return prefill_share * 1_000 / (LONG_SHARE * long_ms + (1 - LONG_SHARE) * short_ms)


def slo_of(cost: CostModel, *, times: float = 3.0) -> Slo:
    """Limits for `mixed_requests` on this machine, as multiples of what an idle engine needs.

    TTFT: of a long prompt alone. TPOT: of an iteration of eight chats.
    """
    long_ms = cost.iteration_ms(LONG_PROMPT, 0, LONG_PROMPT**2 / 2, 0, 0, 1)
    chats_ms = cost.iteration_ms(0, 0, 0.0, 8, 8 * SHORT, 8)
    return Slo(ttft_ms=times * long_ms, tpot_ms=times * chats_ms)


def mixed_requests(num_requests: int, *, rate_per_s: float, seed: int) -> list[Request]:
    """Poisson arrivals; three in ten prompts have 1,024 tokens, the others 64; 24 tokens out."""
    rng = random.Random(seed)
    requests, now_ms = [], 0.0
    for number in range(num_requests):
        now_ms += rng.expovariate(rate_per_s) * 1_000
        prompt_tokens = LONG_PROMPT if rng.random() < LONG_SHARE else SHORT
        requests.append(Request(f"r{number}", now_ms, prompt_tokens, 24))
    return requests


def compare_pools(
    requests: Sequence[Request],
    plan: OwnPlan,
    *,
    seed: int,
    slo: Slo,
    chunk_tokens: int = 128,
) -> Evidence:
    """Shared whole, shared chunked and 1P+1D, two processes each, one after the other."""
    whole, pieces = asdict(plan.spec(None)), asdict(plan.spec(chunk_tokens))
    answer = measure.in_fresh_process(
        "pools",
        seed=seed,
        requests=[
            {
                "request_id": r.request_id,
                "arrival_ms": r.arrival_ms,
                "prompt_tokens": r.prompt_tokens,
                "output_tokens": r.output_tokens,
            }
            for r in requests
        ],
        plans={
            text("labs.pools.whole"): {"split": False, "planner": whole},
            text("labs.pools.chunked", chunk=chunk_tokens): {"split": False, "planner": pieces},
            text("labs.pools.pd"): {"split": True, "planner": whole},
        },
    )
    return report.pools_table(
        text("labs.pools.table"),
        answer,
        seed=seed,
        slo=slo,
        SLO=f"TTFT {slo.ttft_ms:.0f} ms, TPOT {slo.tpot_ms:.1f} ms",
        workload=f"{len(requests)} requests, Poisson, {_rate_per_s(requests):.1f}/s",
    )


def _rate_per_s(requests: Sequence[Request]) -> float:
    """Arrivals per second, from zero to the last."""
    return len(requests) / max(requests[-1].arrival_ms, 1e-9) * 1_000
