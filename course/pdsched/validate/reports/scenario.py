"""What one report says and what we get, and the pieces scenarios are made of."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from pdsched.cost import CostModel
from pdsched.hardware import GPUS, LINKS, MODELS, kv_bytes_per_token, kv_capacity_tokens
from pdsched.kvcache import KVCache
from pdsched.metrics import Metrics, summarize
from pdsched.scheduler import Scheduler
from pdsched.simulator import HandoffLink, simulate
from pdsched.workload import Request


@dataclass(frozen=True, slots=True)
class Scenario:
    """A report beside our simulation of it.

    Attributes:
        report: repository and number.
        configuration: what was run.
        seen: what the report says.
        ours: what we get.
        holds: whether sign and rough size agree, ``differs`` apart.
        differs: the part of the report that we do not see.
        note: assumptions and stand-ins.
    """

    report: str
    configuration: str
    seen: str
    ours: str
    holds: bool
    differs: str = ""
    note: str = ""

    @property
    def verdict(self) -> str:
        """``yes``, ``partly`` or ``no``."""
        if not self.holds:
            return "no"
        return "partly" if self.differs else "yes"


def measure(
    requests: list[Request], policy: str | Scheduler, cost: CostModel, budget: int, **options: Any
) -> Metrics:
    """Metrics of one simulation."""
    options.setdefault("record_iterations", False)
    timeline = simulate(requests, policy, cost, max_num_batched_tokens=budget, **options)
    return summarize(timeline)


def equal_requests(
    count: int, prompt_tokens: int, output_tokens: int, rate_per_s: float | None = None
) -> list[Request]:
    """Requests of one size, Poisson at a rate or all at once."""
    rng = random.Random(0)
    now_ms, requests = 0.0, []
    for number in range(count):
        requests.append(Request(f"{number}", now_ms, prompt_tokens, output_tokens))
        if rate_per_s is not None:
            now_ms += rng.expovariate(rate_per_s / 1000)
    return requests


def kv_cache(model: str, gpu: str, tensor_parallel: int = 1) -> KVCache:
    """The cache that fits beside the weights."""
    tokens = kv_capacity_tokens(MODELS[model], GPUS[gpu], tensor_parallel=tensor_parallel)
    return KVCache(tokens // 16)


def link_between(model: str, name: str) -> HandoffLink:
    """A link preset carrying this model's KV."""
    preset = LINKS[name]
    return HandoffLink(kv_bytes_per_token(MODELS[model]), preset.gb_per_s, preset.setup_ms)
