"""DistServe figure 1 (goodput of one GPU against two prefill plus one decode) and table 2.

Figure 1: OPT-13B on A100-80G, prompt 512, output 64, Poisson arrivals, SLO TTFT 0.4 s and TPOT
0.04 s at 90 % attainment; with DistServe's own fitted coefficients. Its profile holds the
model's execution; the work of the Python engine between iterations is added as `ENGINE_MS`, one
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

# Table 2: SLO attainment of vLLM and of DistServe-Low, OPT-66B on ShareGPT, by requests/s.
TABLE2_PUBLISHED: Final = {
    1.0: (0.970, 1.000),
    1.5: (0.655, 1.000),
    2.0: (0.528, 0.993),
    2.5: (0.449, 0.873),
    3.0: (0.367, 0.830),
    3.5: (0.278, 0.773),
    4.0: (0.236, 0.700),
}
TABLE2_SLO: Final = Slo(ttft_ms=2500, tpot_ms=150)


def table2(num_requests: int = 400, seed: int = 0) -> dict[float, tuple[float, float]]:
    """Attainment of four GPUs together, and of four for prefill and four for decode.

    The shape only: the ShareGPT sample is not at hand, so lengths are lognormals like it. The
    split has twice the GPUs and gets twice the rate.
    """
    cost = replace(DISTSERVE["opt-66b", 4], engine_ms=ENGINE_MS)
    split = _split(1, "opt-66b")
    attained = {}
    for rate_per_s in TABLE2_PUBLISHED:
        both = ((Cluster.shared(), rate_per_s), (split, 2 * rate_per_s))
        together, apart = (
            summarize(
                simulate(
                    _sharegpt(rate, num_requests, seed),
                    "sglang",
                    cost,
                    max_num_batched_tokens=2048,
                    kv=KVCache(78_496 // 16),  # published capacity, OPT-66B at TP 4
                    cluster=cluster,
                    record_iterations=False,
                ),
                TABLE2_SLO,
            ).slo_attainment
            for cluster, rate in both
        )
        attained[rate_per_s] = (together, apart)
    return attained


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


def _split(prefill_workers: int, model: str = "opt-13b") -> Cluster:
    link = LINKS["nvlink-a100"]
    kv_bytes = kv_bytes_per_token(MODELS[model])
    return Cluster.pd(prefill_workers, 1, HandoffLink(kv_bytes, link.gb_per_s, link.setup_ms))


def _poisson(rate_per_s: float, output_tokens: int, num_requests: int, seed: int) -> list[Request]:
    rng = random.Random(seed)
    now_ms, requests = 0.0, []
    for number in range(num_requests):
        requests.append(Request(f"{number}", now_ms, 512, output_tokens))
        now_ms += rng.expovariate(rate_per_s / 1000)
    return requests


def _sharegpt(rate_per_s: float, num_requests: int, seed: int) -> list[Request]:
    rng = random.Random(seed)
    now_ms, requests = 0.0, []
    for number in range(num_requests):
        prompt = max(4, min(1800, round(rng.lognormvariate(5.9, 1.0))))
        output = max(2, min(800, round(rng.lognormvariate(4.9, 0.9))))
        requests.append(Request(f"{number}", now_ms, prompt, output))
        now_ms += rng.expovariate(rate_per_s / 1000)
    return requests
