"""The simulations behind panel 4: the same four workers shared, chunked and split, over load."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from pdsched.figures.decision import Outcome, System
from pdsched.metrics import Slo, summarize
from pdsched.panels.iteration_timeline import cost
from pdsched.panels.pd_pools import link_of
from pdsched.simulator import Cluster, Timeline, simulate
from pdsched.workload import Request, synthetic

LOADS: Final = (1, 2, 4, 8, 16, 32)
WORKERS: Final = 4
WHOLE_BUDGET: Final = 16384  # a whole prompt at once
CHUNK_BUDGET: Final = 512
LONGEST_OUTPUT: Final = 96
LONGEST_PROMPT: Final = 16000


@dataclass(frozen=True, slots=True)
class Setting:
    """What decides the simulations, apart from load."""

    workload: str
    prefill: int
    link: str


@lru_cache(maxsize=64)
def requests(kind: str, load: int) -> tuple[Request, ...]:
    """Twice as many requests as are in flight, cut to lengths one GPU can serve."""
    return tuple(
        replace(
            request,
            prompt_tokens=min(request.prompt_tokens, LONGEST_PROMPT),
            output_tokens=min(request.output_tokens, LONGEST_OUTPUT),
        )
        for request in synthetic(kind, max(16, 2 * load), seed=11)
    )


@lru_cache(maxsize=512)
def run(system: System, setting: Setting, load: int) -> Timeline:
    """One system at one load, closed loop."""
    cluster = Cluster.shared(WORKERS)
    budget = CHUNK_BUDGET if system == "chunked" else WHOLE_BUDGET
    if system == "pd":
        decode = WORKERS - setting.prefill
        cluster = Cluster.pd(setting.prefill, decode, link_of(setting.link))
    return simulate(
        requests(setting.workload, load),
        "decode_first",
        cost(),
        max_num_batched_tokens=budget,
        cluster=cluster,
        concurrency=load,
        record_iterations=False,
    )


@lru_cache(maxsize=2048)
def outcome(system: System, setting: Setting, load: int, slo: Slo, definition: str) -> Outcome:
    """What came of it under an SLO and a definition of TTFT."""
    shown = setting if system == "pd" else Setting(setting.workload, 1, "")
    metrics = summarize(run(system, shown, load), slo, ttft_definition=definition)
    return Outcome(
        round(metrics.output_token_throughput_per_s, 2),
        round(metrics.goodput_per_s, 3),
        round(metrics.e2e_ms.p95 or 0.0, 2),
        metrics.ttft_ms.p95 or 0.0,
        metrics.tpot_ms.p95 or 0.0,
        round(metrics.handoff.exposed_ms.p95 or 0.0, 2),
    )
