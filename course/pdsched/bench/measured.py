"""Measured requests in the simulator's terms: the same `Timeline`, metrics and table rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Protocol

from pdsched.metrics import Metrics
from pdsched.simulator import Handoff, RequestRecord, Timeline, TokenGaps, WorkerRecord


class Measured(Protocol):
    """What any measured request has."""

    @property
    def request_id(self) -> str:
        """Its name."""

    @property
    def start_ms(self) -> float:
        """When its latency began to count."""

    @property
    def token_ms(self) -> tuple[float, ...]:
        """When each token came."""

    @property
    def prompt_tokens(self) -> int:
        """Input length."""

    @property
    def output_tokens(self) -> int:
        """Generated tokens."""


def measured_timeline(
    requests: Iterable[Measured],
    *,
    system: str,
    handoffs: Sequence[Handoff] = (),
    workers: Sequence[WorkerRecord] = (),
) -> Timeline:
    """Finished requests as a timeline without iterations.

    What cannot be seen from outside is left neutral: a request counts as scheduled when it began,
    nothing is preempted. ``cost`` says "measured", since no cost model is behind these times.

    Args:
        requests: those that finished; the others have no latency.
        system: what was measured.
        handoffs: KV transfers, where they were seen.
        workers: what each worker did, where it was seen.
    """
    gaps = TokenGaps()
    moved = {handoff.request_id: handoff for handoff in handoffs}
    records = []
    for request in requests:
        gaps.extend([later - sooner for sooner, later in pairwise(request.token_ms)], 1)
        records.append(_record(request, moved.get(request.request_id)))
    records.sort(key=lambda record: record.arrival_ms)
    return Timeline((), records, handoffs, workers, gaps, system, "measured", "measured")


def _record(request: Measured, handoff: Handoff | None) -> RequestRecord:
    first_token_ms = request.token_ms[0]
    after_handoff = request.token_ms[1] if handoff and len(request.token_ms) > 1 else first_token_ms
    return RequestRecord(
        request_id=request.request_id,
        arrival_ms=request.start_ms,
        first_scheduled_ms=request.start_ms,
        first_token_ms=first_token_ms,
        decode_first_token_ms=after_handoff,
        finish_ms=request.token_ms[-1],
        prompt_tokens=request.prompt_tokens,
        output_tokens=request.output_tokens,
        cached_tokens=0,
        preemptions=0,
        recomputed_tokens=0,
        prefill_worker=handoff.source if handoff else "",
        decode_worker=handoff.target if handoff else "",
        pool="prefill_pool" if handoff else "shared_pool",
    )


def metrics_row(plan: str, metrics: Metrics, **more: Any) -> dict[str, Any]:
    """One line of a comparison, simulated or measured; handoff columns where there were any."""
    row: dict[str, Any] = {
        "plan": plan,
        "ttft_p50_ms": metrics.ttft_ms.p50,
        "ttft_p95_ms": metrics.ttft_ms.p95,
        "tpot_p50_ms": metrics.tpot_ms.p50,
        "tpot_p95_ms": metrics.tpot_ms.p95,
        "itl_p50_ms": metrics.itl_ms.p50,
        "itl_p99_ms": metrics.itl_ms.p99,
        "itl_max_ms": metrics.itl_ms.max,
        "e2e_p95_ms": metrics.e2e_ms.p95,
        "output_tokens_per_s": metrics.output_token_throughput_per_s,
    }
    slo = metrics.slo
    if any(limit is not None for limit in (slo.ttft_ms, slo.tpot_ms, slo.e2e_ms)):
        row["goodput_per_s"] = metrics.goodput_per_s
        row["slo_attainment"] = f"{metrics.slo_attainment:.0%}"
    if metrics.utilisation:
        shares = [f"{role} {share:.0%}" for role, share in metrics.utilisation.items()]
        row["utilisation"] = ", ".join(shares)
    if metrics.handoff.count:
        row["handoff_p50_ms"] = metrics.handoff.exposed_ms.p50
        row["handoff_max_ms"] = metrics.handoff.exposed_ms.max
        row["handoff_mb"] = metrics.handoff.gigabytes * 1e3
    return row | more
