"""From a timeline to the numbers the load generators print: TTFT, TPOT, ITL, goodput and so on."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from math import inf, isnan
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pdsched.simulator.gaps import TokenGaps
    from pdsched.simulator.timeline import RequestRecord, Timeline

TTFT_DEFINITIONS: Final = ("prefill", "decode")


@dataclass(frozen=True, slots=True)
class Slo:
    """Upper limits a request must keep to count as good; ``None`` sets no limit.

    Attributes:
        ttft_ms: time to first token.
        tpot_ms: mean time per output token after the first; a single token always keeps it.
        e2e_ms: request latency.

    Raises:
        ValueError: a limit is negative or NaN.
    """

    ttft_ms: float | None = None
    tpot_ms: float | None = None
    e2e_ms: float | None = None

    def __post_init__(self) -> None:
        for name in ("ttft_ms", "tpot_ms", "e2e_ms"):
            value = getattr(self, name)
            if value is not None and (isnan(value) or value < 0):
                raise ValueError(f"{name} must be at least 0, got {value!r}")

    def met_by(self, record: RequestRecord, ttft_definition: str = "prefill") -> bool:
        """Whether one request keeps every limit."""
        tpot_ms = record.tpot_ms
        return (
            record.ttft_ms(ttft_definition) <= _or_inf(self.ttft_ms)
            and (tpot_ms is None or tpot_ms <= _or_inf(self.tpot_ms))
            and record.e2e_ms <= _or_inf(self.e2e_ms)
        )


@dataclass(frozen=True, slots=True)
class Distribution:
    """Mean and percentiles (linear interpolation between neighbours); ``None`` when empty."""

    count: int
    mean: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    max: float | None

    @classmethod
    def of(cls, values: Iterable[float]) -> Distribution:
        """The distribution of single values."""
        ordered = sorted(values)
        return cls._from(ordered, list(range(1, len(ordered) + 1)))

    @classmethod
    def of_gaps(cls, gaps: TokenGaps) -> Distribution:
        """The distribution of weighted inter-token times."""
        pairs = sorted(zip(gaps.gap_ms, gaps.weight, strict=True))
        return cls._from([gap for gap, _ in pairs], list(accumulate(w for _, w in pairs)))

    @classmethod
    def _from(cls, ordered: Sequence[float], cumulative: Sequence[int]) -> Distribution:
        if not ordered:
            return cls(0, None, None, None, None, None, None)
        count = cumulative[-1]
        before = 0
        total = 0.0
        for value, up_to in zip(ordered, cumulative, strict=True):
            total += value * (up_to - before)
            before = up_to
        p50, p90, p95, p99 = (_at(ordered, cumulative, q) for q in (0.5, 0.9, 0.95, 0.99))
        return cls(count, total / count, p50, p90, p95, p99, ordered[-1])


@dataclass(frozen=True, slots=True)
class HandoffMetrics:
    """What moving KV cost.

    Attributes:
        count: transfers that arrived.
        retries: transfers that failed and were sent again.
        timeouts: prefills the decode side did not admit in time.
        recomputed: requests prefilled again where they decode.
        gigabytes: bytes on the link, failed ones included, in 1e9.
        exposed_ms: from KV ready to KV there (admission, queue, transfer), of those that arrived.
        transfer_ms: on the wire only.
    """

    count: int
    retries: int
    timeouts: int
    recomputed: int
    gigabytes: float
    exposed_ms: Distribution
    transfer_ms: Distribution


@dataclass(frozen=True, slots=True)
class Metrics:
    """Summary of one simulation. Times in milliseconds, rates per second.

    Attributes:
        ttft_definition: which first token TTFT counts, ``"prefill"`` or ``"decode"``.
        slo: the limits behind goodput.
        num_requests: requests served, all of them finished.
        duration_ms: first arrival to last token.
        ttft_ms: time to first token.
        tpot_ms: mean time per output token after the first, over requests with at least two.
        itl_ms: time between neighbouring tokens, over tokens.
        e2e_ms: request latency.
        queue_ms: arrival to the first iteration that works on the request.
        request_throughput_per_s: requests over the duration.
        output_token_throughput_per_s: generated tokens over the duration.
        total_token_throughput_per_s: prompt and generated tokens over the duration.
        goodput_per_s: requests that keep the SLO over the duration.
        slo_attainment: share of requests that keep the SLO.
        utilisation: busy share of the duration, by role.
        kv_use_mean: blocks held over blocks there, averaged over busy time, by role; roles with
            an unlimited cache are left out.
        kv_use_peak: the same at its highest.
        stranded_block_ms: KV blocks kept for prefills that had not left yet, integrated.
        preemptions: times a request lost its KV.
        recomputed_tokens: tokens computed again.
        handoff: KV transfers.
    """

    ttft_definition: str
    slo: Slo
    num_requests: int
    duration_ms: float
    ttft_ms: Distribution
    tpot_ms: Distribution
    itl_ms: Distribution
    e2e_ms: Distribution
    queue_ms: Distribution
    request_throughput_per_s: float
    output_token_throughput_per_s: float
    total_token_throughput_per_s: float
    goodput_per_s: float
    slo_attainment: float
    utilisation: Mapping[str, float]
    kv_use_mean: Mapping[str, float]
    kv_use_peak: Mapping[str, float]
    stranded_block_ms: float
    preemptions: int
    recomputed_tokens: int
    handoff: HandoffMetrics

    def as_dict(self) -> dict[str, object]:
        """Plain nested dictionaries, for JSON."""
        return asdict(self)


def summarize(
    timeline: Timeline, slo: Slo | None = None, ttft_definition: str = "prefill"
) -> Metrics:
    """Summarize a simulation.

    Args:
        timeline: what `pdsched.simulator.simulate` returned.
        slo: limits for goodput; ``None`` counts every request as good.
        ttft_definition: under PD, whether TTFT ends with the token that prefill samples
            (``"prefill"``) or with the first one after the handoff (``"decode"``). Never
            compare one with the other.

    Raises:
        ValueError: an unknown definition.
    """
    if ttft_definition not in TTFT_DEFINITIONS:
        raise ValueError(
            f"ttft_definition must be one of {', '.join(TTFT_DEFINITIONS)}, got {ttft_definition!r}"
        )
    slo = Slo() if slo is None else slo
    records = timeline.requests
    duration_ms = timeline.end_ms - timeline.start_ms
    good = sum(slo.met_by(record, ttft_definition) for record in records)
    outputs = sum(record.output_tokens for record in records)
    prompts = sum(record.prompt_tokens for record in records)
    use_mean, use_peak = _kv_use(timeline)
    return Metrics(
        ttft_definition=ttft_definition,
        slo=slo,
        num_requests=len(records),
        duration_ms=duration_ms,
        ttft_ms=Distribution.of(record.ttft_ms(ttft_definition) for record in records),
        tpot_ms=Distribution.of(r.tpot_ms for r in records if r.tpot_ms is not None),
        itl_ms=Distribution.of_gaps(timeline.gaps),
        e2e_ms=Distribution.of(record.e2e_ms for record in records),
        queue_ms=Distribution.of(r.first_scheduled_ms - r.arrival_ms for r in records),
        request_throughput_per_s=_per_s(len(records), duration_ms),
        output_token_throughput_per_s=_per_s(outputs, duration_ms),
        total_token_throughput_per_s=_per_s(outputs + prompts, duration_ms),
        goodput_per_s=_per_s(good, duration_ms),
        slo_attainment=good / len(records) if records else 0.0,
        utilisation=_utilisation(timeline, duration_ms),
        kv_use_mean=use_mean,
        kv_use_peak=use_peak,
        stranded_block_ms=sum(worker.stranded_block_ms for worker in timeline.workers),
        preemptions=sum(record.preemptions for record in records),
        recomputed_tokens=sum(record.recomputed_tokens for record in records),
        handoff=_handoff(timeline),
    )


def _handoff(timeline: Timeline) -> HandoffMetrics:
    arrived = [handoff for handoff in timeline.handoffs if handoff.outcome == "ok"]
    outcomes = [handoff.outcome for handoff in timeline.handoffs]
    return HandoffMetrics(
        count=len(arrived),
        retries=outcomes.count("failed"),
        timeouts=outcomes.count("timeout"),
        recomputed=outcomes.count("recompute") + outcomes.count("timeout"),
        gigabytes=sum(handoff.num_bytes for handoff in timeline.handoffs) / 1e9,
        exposed_ms=Distribution.of(handoff.exposed_ms for handoff in arrived),
        transfer_ms=Distribution.of(handoff.end_ms - handoff.start_ms for handoff in arrived),
    )


def _utilisation(timeline: Timeline, duration_ms: float) -> dict[str, float]:
    busy: dict[str, list[float]] = {}
    for worker in timeline.workers:
        busy.setdefault(worker.role, []).append(worker.busy_ms)
    return {
        role: sum(times) / (len(times) * duration_ms) if duration_ms else 0.0
        for role, times in busy.items()
    }


def _kv_use(timeline: Timeline) -> tuple[dict[str, float], dict[str, float]]:
    mean: dict[str, float] = {}
    peak: dict[str, float] = {}
    for role in dict.fromkeys(worker.role for worker in timeline.workers):
        workers = [w for w in timeline.workers if w.role == role and w.kv_blocks_total]
        if workers:
            room = sum(w.busy_ms * (w.kv_blocks_total or 0) for w in workers)
            mean[role] = sum(w.kv_block_ms for w in workers) / room if room else 0.0
            peak[role] = max(w.kv_blocks_peak / (w.kv_blocks_total or 1) for w in workers)
    return mean, peak


def _per_s(count: float, duration_ms: float) -> float:
    return count / duration_ms * 1000 if duration_ms else 0.0


def _or_inf(limit: float | None) -> float:
    return inf if limit is None else limit


def _at(ordered: Sequence[float], cumulative: Sequence[int], share: float) -> float:
    """The value at ``share`` of the way through the sorted, weighted values."""
    position = share * (cumulative[-1] - 1)
    below = int(position)
    low = ordered[bisect_left(cumulative, below + 1)]
    high = ordered[min(bisect_left(cumulative, below + 2), len(ordered) - 1)]
    return low + (high - low) * (position - below)
