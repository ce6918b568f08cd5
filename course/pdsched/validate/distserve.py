"""DistServe figure 1: goodput of one GPU that does both phases, and of two prefill plus one decode.

OPT-13B on A100-80G, prompt 512, output 64, Poisson arrivals, SLO TTFT 0.4 s and TPOT 0.04 s at
90 % attainment; with DistServe's own fitted coefficients. Its profile holds the model's
execution; the work of the Python engine between iterations is added as `ENGINE_MS`, one
assumption for all figures here.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Final

from pdsched.cost import DISTSERVE
from pdsched.hardware import LINKS, MODELS, kv_bytes_per_token
from pdsched.kvcache import KVCache
from pdsched.metrics import Slo, summarize
from pdsched.simulator import Cluster, HandoffLink, simulate
from pdsched.workload import Request

ENGINE_MS: Final = 3.0
KV_TOKENS: Final = 66_144  # published capacity of OPT-13B on one A100-80G
SLO: Final = Slo(ttft_ms=400, tpot_ms=40)
ATTAINMENT: Final = 0.9


@dataclass(frozen=True, slots=True)
class Figure1:
    """Goodput in requests per second per GPU.

    Attributes:
        colocated: one GPU, vLLM's prefill-first policy.
        split: two prefill GPUs and one decode GPU.
        prefill_only: one GPU that only prefills.
        decode_only: decode GPU fed by prefill GPUs that are never the bottleneck.
    """

    colocated: float
    split: float
    prefill_only: float
    decode_only: float

    @property
    def ratio(self) -> float:
        """Split over colocated, per GPU."""
        return self.split / self.colocated


PUBLISHED: Final = Figure1(colocated=1.6, split=3.3, prefill_only=5.6, decode_only=10.0)


def figure1(num_requests: int = 1000, seed: int = 0) -> Figure1:
    """Our figure 1."""
    return Figure1(
        colocated=goodput_per_s(Cluster.shared(), num_requests=num_requests, seed=seed),
        split=goodput_per_s(_split(2), num_requests=num_requests, seed=seed) / 3,
        prefill_only=goodput_per_s(
            Cluster.shared(), output_tokens=1, num_requests=num_requests, seed=seed
        ),
        decode_only=goodput_per_s(_split(6), num_requests=num_requests, seed=seed),
    )


def goodput_per_s(
    cluster: Cluster, *, output_tokens: int = 64, num_requests: int = 1000, seed: int = 0
) -> float:
    """Largest rate at which 90 % of the requests keep the SLO, within 2 %."""
    low, high = 0.25, 64.0
    while high > 1.02 * low:
        middle = (low * high) ** 0.5
        if _attainment(cluster, middle, output_tokens, num_requests, seed) >= ATTAINMENT:
            low = middle
        else:
            high = middle
    return low


def _attainment(
    cluster: Cluster, rate_per_s: float, output_tokens: int, num_requests: int, seed: int
) -> float:
    timeline = simulate(
        _poisson(rate_per_s, output_tokens, num_requests, seed),
        "sglang",  # prefill first, one phase at a time: what vLLM did when the figure was made
        replace(DISTSERVE["opt-13b", 1], engine_ms=ENGINE_MS),
        max_num_batched_tokens=2048,
        kv=KVCache(KV_TOKENS // 16),
        cluster=cluster,
        record_iterations=False,
    )
    return summarize(timeline, SLO).slo_attainment


def _split(prefill_workers: int) -> Cluster:
    link = LINKS["nvlink-a100"]
    kv_bytes = kv_bytes_per_token(MODELS["opt-13b"])
    return Cluster.pd(prefill_workers, 1, HandoffLink(kv_bytes, link.gb_per_s, link.setup_ms))


def _poisson(rate_per_s: float, output_tokens: int, num_requests: int, seed: int) -> list[Request]:
    rng = random.Random(seed)
    now_ms, requests = 0.0, []
    for number in range(num_requests):
        requests.append(Request(f"{number}", now_ms, 512, output_tokens))
        now_ms += rng.expovariate(rate_per_s / 1000)
    return requests
