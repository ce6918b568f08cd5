"""Sarathi-Serve: table 4 (what chunking and hybrid batching each do) and figure 9 (chunk cost).

Yi-34B on two A100. Prefill costs what figures 2 and 9 measured. Decode is the roofline's: figure
2's decode iterations (88 ms for 32 requests) cannot hold together with table 4, where a chunk of
512 (109 ms in figure 9) and all decodes beside it take 140 ms at the 99th percentile.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from pdsched.cost import SARATHI_YI_34B, CostModel, LinearCost, roofline
from pdsched.metrics import summarize
from pdsched.simulator import simulate
from pdsched.workload import Request

CHUNK: Final = 512
LARGEST: Final = 8192  # prompt and output together; longer ones were dropped


@dataclass(frozen=True, slots=True)
class Latency:
    """One row of table 4.

    Attributes:
        ttft_p50_s: median time to first token.
        tbt_p99_s: 99th percentile of the time between tokens.
    """

    ttft_p50_s: float
    tbt_p99_s: float


TABLE4_PUBLISHED: Final = {
    "hybrid-only": Latency(0.53, 0.68),
    "chunked-only": Latency(1.04, 0.17),
    "combined": Latency(0.76, 0.14),
}
# Prompt tokens, whole-prompt ms, ms in chunks of 512; Sarathi-Serve artifact, Apache-2.0.
FIG9_PUBLISHED: Final = (
    (2047, 378.13, 435.68),
    (4095, 775.44, 921.96),
    (8191, 1754.16, 1958.53),
    (16383, 4535.00, 4512.83),
)


@dataclass(frozen=True, slots=True)
class SerialPhases:
    """The same work as two iterations in a row: chunks, then decodes. No hybrid batching."""

    phases: CostModel

    @property
    def name(self) -> str:
        """What it wraps."""
        return f"{self.phases.name}, phases in turn"

    @property
    def source(self) -> str:
        """What it wraps."""
        return self.phases.source

    @property
    def error(self) -> str:
        """What it wraps."""
        return self.phases.error

    def iteration_ms(  # noqa: PLR0917 -- the protocol's positional call
        self,
        prefill_tokens: int,
        prefill_past: int,
        prefill_pairs: float,
        num_decodes: int,
        decode_context: int,
        num_sampled: int,
        /,
    ) -> float:
        """Milliseconds of both iterations."""
        total_ms = 0.0
        if prefill_tokens:
            finishing = num_sampled - num_decodes
            total_ms = self.phases.iteration_ms(
                prefill_tokens, prefill_past, prefill_pairs, 0, 0, finishing
            )
        if num_decodes:
            total_ms += self.phases.iteration_ms(
                0, 0, 0.0, num_decodes, decode_context, num_decodes
            )
        return total_ms


def yi_34b_cost() -> LinearCost:
    """Prefill as Sarathi measured it, decode as the roofline has it."""
    decode = roofline("yi-34b", "a100", tensor_parallel=2)
    one = decode.iteration_ms(0, 0, 0.0, 1, 0, 1)
    return replace(
        SARATHI_YI_34B,
        name="yi-34b on 2 x a100 (sarathi prefill, roofline decode)",
        floor_ms=one,
        decode_ms=decode.iteration_ms(0, 0, 0.0, 2, 0, 2) - one,
        decode_context_ms=(decode.iteration_ms(0, 0, 0.0, 1, 10_000, 1) - one) / 10_000,
    )


def table4(seeds: int = 16) -> dict[str, Latency]:
    """Our table 4, the median over seeds."""
    cost = yi_34b_cost()
    return {
        "hybrid-only": _latency("orca_hybrid", cost, 2 * LARGEST, seeds),
        "chunked-only": _latency("sarathi", SerialPhases(cost), CHUNK, seeds),
        "combined": _latency("sarathi", cost, CHUNK, seeds),
    }


def prefill_ms(cost: CostModel, tokens: int, chunk: int | None = None) -> float:
    """A prompt alone, in chunks."""
    total_ms, past = 0.0, 0
    while past < tokens:
        new = min(chunk or tokens, tokens - past)
        sampled = int(past + new == tokens)
        total_ms += cost.iteration_ms(new, past, new * (past + new / 2), 0, 0, sampled)
        past += new
    return total_ms


def _latency(policy: str, cost: CostModel, budget: int, seeds: int) -> Latency:
    runs = [
        summarize(
            simulate(
                sharegpt4(seed),
                policy,
                cost,
                max_num_batched_tokens=budget,
                max_num_seqs=128,
                record_iterations=False,
            )
        )
        for seed in range(seeds)
    ]
    return Latency(
        median(run.ttft_ms.p50 or 0.0 for run in runs) / 1000,
        median(run.itl_ms.p99 or 0.0 for run in runs) / 1000,
    )


def sharegpt4(seed: int, *, rate_per_s: float = 1.0, num_requests: int = 128) -> list[Request]:
    """Sarathi's openchat_sharegpt4 by its published quantiles (P50, P90), as lognormals."""
    rng = random.Random(seed)
    spread_prompt = math.log(5696 / 1730) / 1.2816
    spread_output = math.log(834 / 415) / 1.2816
    now_ms, requests = 0.0, list[Request]()
    while len(requests) < num_requests:
        prompt = max(1, round(rng.lognormvariate(math.log(1730), spread_prompt)))
        output = max(2, round(rng.lognormvariate(math.log(415), spread_output)))
        if prompt + output <= LARGEST:
            requests.append(Request(f"{len(requests)}", now_ms, prompt, output))
            now_ms += rng.expovariate(rate_per_s / 1000)
    return requests
