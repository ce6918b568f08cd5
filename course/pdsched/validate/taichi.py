"""TaiChi's rule as a map: which architecture keeps the SLO best, over (TTFT SLO, TPOT SLO).

The rule (arXiv 2508.01989): tight TTFT and loose TPOT ask for aggregation, tight TPOT and loose
TTFT for disaggregation, and a balance of both for a hybrid. Here: four A100 with Llama-3.1-8B at
24 chat requests per second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pdsched.experiment import Experiment
from pdsched.hardware import LINKS, MODELS, kv_bytes_per_token
from pdsched.metrics import Slo
from pdsched.simulator import Cluster, HandoffLink, Timeline, simulate
from pdsched.workload import Request, synthetic

RATE_PER_S: Final = 24.0
LONG_PROMPT: Final = 1500  # the hybrid sends longer prompts through its prefill:decode pair
TTFT_SLOS_MS: Final = (100, 150, 200, 300, 500, 1000, 2000, 5000)
TPOT_SLOS_MS: Final = (15, 17, 20, 25, 30, 40, 60)


@dataclass(frozen=True, slots=True)
class Cell:
    """The best architecture at one point of the map.

    Attributes:
        ttft_slo_ms: limit on TTFT.
        tpot_slo_ms: limit on TPOT.
        best: name of the architecture with the highest attainment.
        attainment: share of requests that keep both limits, by architecture.
    """

    ttft_slo_ms: float
    tpot_slo_ms: float
    best: str
    attainment: Mapping[str, float]


def slo_map(num_requests: int = 600, seed: int = 0) -> tuple[Cell, ...]:
    """The map, row by row of rising TTFT SLO."""
    timelines = _timelines(synthetic("chat", num_requests, rate_per_s=RATE_PER_S, seed=seed))
    return tuple(_cell(timelines, ttft, tpot) for ttft in TTFT_SLOS_MS for tpot in TPOT_SLOS_MS)


def _cell(timelines: Mapping[str, Timeline], ttft_ms: float, tpot_ms: float) -> Cell:
    slo = Slo(ttft_ms, tpot_ms)
    attainment = {
        name: sum(map(slo.met_by, timeline.requests)) / len(timeline.requests)
        for name, timeline in timelines.items()
    }
    return Cell(ttft_ms, tpot_ms, max(attainment, key=attainment.__getitem__), attainment)


def _timelines(requests: tuple[Request, ...]) -> dict[str, Timeline]:
    worker = Experiment(hardware="a100")
    preset = LINKS["nvlink-a100"]
    kv_bytes = kv_bytes_per_token(MODELS[worker.model])
    link = HandoffLink(kv_bytes, preset.gb_per_s, preset.setup_ms)
    route = {
        request.request_id: "prefill_pool" if request.prompt_tokens > LONG_PROMPT else "shared_pool"
        for request in requests
    }
    clusters = {
        "aggregate": (Cluster.shared(4), 8192),
        "disaggregate": (Cluster.pd(2, 2, link), 8192),
        "hybrid": (Cluster.pd(1, 1, link, shared=2, route=route), 2048),
    }
    return {
        name: simulate(
            requests,
            "vllm_v1",
            worker.cost(),
            max_num_batched_tokens=budget,
            kv=worker.kv_cache(),
            cluster=cluster,
            record_iterations=False,
        )
        for name, (cluster, budget) in clusters.items()
    }
