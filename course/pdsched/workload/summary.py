"""What a workload asks for, in one line."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from pdsched.workload.request import Request


@dataclass(frozen=True, slots=True)
class WorkloadSummary:
    """Lengths, rate, burstiness and balance of a workload.

    Attributes:
        num_requests: how many.
        prompt_tokens: P50, P90 and P99.
        output_tokens: P50, P90 and P99.
        rate_per_s: mean arrival rate; NaN for fewer than two requests.
        arrival_cv: coefficient of variation of the gaps (1 is Poisson); NaN below three.
        cached_share: share of prompt tokens that hit the prefix cache.
        token_ratio: uncached prompt tokens per output token.
        work_ratio: prefill time per decode time, with the decode token's weight given.
    """

    num_requests: int
    prompt_tokens: tuple[int, int, int]
    output_tokens: tuple[int, int, int]
    rate_per_s: float
    arrival_cv: float
    cached_share: float
    token_ratio: float
    work_ratio: float

    def __str__(self) -> str:
        return (
            f"{self.num_requests} requests at {self.rate_per_s:.2f}/s (CV {self.arrival_cv:.2f}); "
            f"prompt P50/P90/P99 {'/'.join(map(str, self.prompt_tokens))}, "
            f"output {'/'.join(map(str, self.output_tokens))} tokens; "
            f"prefix hits {self.cached_share:.1%}; "
            f"prefill:decode {self.token_ratio:.1f}:1 in tokens, {self.work_ratio:.2f}:1 in work"
        )


def summarize_workload(
    requests: Sequence[Request], *, decode_token_work: float = 12.0
) -> WorkloadSummary:
    """Summarize a workload.

    Args:
        requests: the workload.
        decode_token_work: time of one decode token in prefill tokens. The default holds for an
            8B model on H100 at batch 32; another batch or GPU has another.

    Raises:
        ValueError: the workload is empty or the weight is not positive.
    """
    if not requests:
        raise ValueError("an empty workload has no summary")
    if not 0 < decode_token_work < math.inf:
        raise ValueError(f"decode_token_work must be positive, got {decode_token_work!r}")
    prompts = sorted(request.prompt_tokens for request in requests)
    outputs = sorted(request.output_tokens for request in requests)
    cached = sum(request.cached_tokens for request in requests)
    token_ratio = (sum(prompts) - cached) / sum(outputs)
    gaps = [later.arrival_ms - sooner.arrival_ms for sooner, later in pairwise(requests)]
    mean_gap_ms = statistics.fmean(gaps) if gaps else math.nan
    return WorkloadSummary(
        num_requests=len(requests),
        prompt_tokens=_quantiles(prompts),
        output_tokens=_quantiles(outputs),
        rate_per_s=1_000 / mean_gap_ms if mean_gap_ms else math.inf,
        arrival_cv=statistics.pstdev(gaps) / mean_gap_ms
        if len(gaps) > 1 and mean_gap_ms
        else math.nan,
        cached_share=cached / sum(prompts),
        token_ratio=token_ratio,
        work_ratio=token_ratio / decode_token_work,
    )


def _quantiles(ordered: Sequence[int]) -> tuple[int, int, int]:
    """P50, P90 and P99 as values that occur (nearest rank)."""
    last = len(ordered) - 1
    p50, p90, p99 = (ordered[math.ceil(share * last)] for share in (0.5, 0.9, 0.99))
    return p50, p90, p99
