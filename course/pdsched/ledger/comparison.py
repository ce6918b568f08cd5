"""Shared workers against a PD split of as many, on the ledger's workload, in simulated time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pdsched.cost import CostModel
from pdsched.cost.roofline import roofline
from pdsched.hardware import LINKS, MODELS, kv_bytes_per_token
from pdsched.ledger import scenario
from pdsched.metrics import summarize
from pdsched.scheduler import PlanError, from_plan_function
from pdsched.simulator import Cluster, HandoffLink, simulate
from pdsched.workload import Request

LINK_NAMES: Final = ("nvlink-h100", "nic-400g", "ethernet-25g")
REQUESTS: Final = 90
ARRIVAL_GAP_MS: Final = 40.0
MAX_NUM_BATCHED_TOKENS: Final = 2048
MAX_PREFILL_CHUNK_TOKENS: Final = 1024
PREFILL_WORKERS, DECODE_WORKERS, SHARED_WORKERS = 1, 2, 1


@dataclass(frozen=True)
class Run:
    """What one way of serving the workload gave.

    Attributes:
        link: preset between the pools; empty for shared workers.
        throughput: output tokens per second.
        p95_latency_ms: P95 of the request latency.
        handoff_ms: P95 from KV ready to KV there; 0 where nothing is handed over.
        decision: what the learner's TODO 5 made of it; None for the shared run.
    """

    link: str
    throughput: float
    p95_latency_ms: float
    handoff_ms: float
    decision: Mapping[str, Any] | None = None

    def as_dict(self) -> dict[str, float]:
        """The run as TODO 5 takes it."""
        run = {"throughput": self.throughput, "p95_latency_ms": self.p95_latency_ms}
        return run | {"handoff_ms": self.handoff_ms} if self.link else run


class NotReady(Exception):  # noqa: N818  names the state of a learner's function
    """One of the learner's functions stopped the comparison.

    Attributes:
        name: which one.
        error: what it raised.
    """

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(f"{name}: {error}")
        self.name = name
        self.error = error


def _named(functions: Mapping[str, Callable[..., Any]], name: str) -> Callable[..., Any]:
    """The function, made to say its name when it raises."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return functions[name](*args, **kwargs)
        except Exception as error:
            raise NotReady(name, error) from error

    return call


def workload() -> list[Request]:
    """The three shapes in turn, one request every `ARRIVAL_GAP_MS`."""
    names = list(scenario.SHAPES)
    requests = []
    for number in range(REQUESTS):
        name = names[number % len(names)]
        prompt, output = scenario.SHAPES[name]
        cached = scenario.CACHED_TOKENS.get(name, 0)
        arrival_ms = number * ARRIVAL_GAP_MS
        requests.append(Request(f"{name}{number}", arrival_ms, prompt, output, cached))
    return requests


def cost() -> CostModel:
    """The cost model behind every number of the comparison."""
    return roofline(scenario.MODEL, scenario.GPU)


def compare(functions: Mapping[str, Callable[..., Any]]) -> tuple[Run, ...]:
    """The shared run, then one PD run per link, each judged by the learner's TODO 5.

    TODO 3 plans every iteration and TODO 4 routes every request.

    Raises:
        NotReady: a function is missing, unwritten or raises, or TODO 3's plan breaks a rule.
        ValueError: TODO 4 routes a request to no pool.
    """
    if "plan_iteration_budget" not in functions:
        raise NotReady("plan_iteration_budget", KeyError("plan_iteration_budget"))
    plan = from_plan_function(
        functions["plan_iteration_budget"],
        policy="decode_first",
        max_prefill_chunk_tokens=MAX_PREFILL_CHUNK_TOKENS,
    )
    requests = workload()
    route = _route(_named(functions, "plan_pd_split"), requests)
    decide = _named(functions, "evaluate_pd_decision")
    workers = PREFILL_WORKERS + DECODE_WORKERS + SHARED_WORKERS
    shared = _run("", plan, requests, Cluster.shared(workers))
    runs = [shared]
    for name in LINK_NAMES:
        link = HandoffLink(
            kv_bytes_per_token(MODELS[scenario.MODEL]), LINKS[name].gb_per_s, LINKS[name].setup_ms
        )
        pools = Cluster.pd(
            PREFILL_WORKERS, DECODE_WORKERS, link, shared=SHARED_WORKERS, route=route
        )
        run = _run(name, plan, requests, pools)
        decision = decide(shared.as_dict(), run.as_dict(), scenario.MAX_HANDOFF_MS)
        runs.append(Run(name, run.throughput, run.p95_latency_ms, run.handoff_ms, dict(decision)))
    return tuple(runs)


def _route(plan_pd_split: Callable[..., Any], requests: list[Request]) -> dict[str, str]:
    pools = plan_pd_split(
        [
            {
                "name": request.request_id,
                "prompt_tokens": request.prompt_tokens,
                "decode_tokens": request.output_tokens,
            }
            for request in requests
        ],
        scenario.LONG_PROMPT_TOKENS,
        scenario.LONG_DECODE_TOKENS,
    )
    return {name: pool for pool, names in pools.items() for name in names}


def _run(link: str, plan: Any, requests: list[Request], cluster: Cluster) -> Run:
    try:
        timeline = simulate(
            requests,
            plan,
            cost(),
            max_num_batched_tokens=MAX_NUM_BATCHED_TOKENS,
            cluster=cluster,
            record_iterations=False,
        )
    except PlanError as error:
        raise NotReady("plan_iteration_budget", error) from error
    metrics = summarize(timeline)
    return Run(
        link,
        metrics.output_token_throughput_per_s,
        metrics.e2e_ms.p95 or 0.0,
        metrics.handoff.exposed_ms.p95 or 0.0,
    )
