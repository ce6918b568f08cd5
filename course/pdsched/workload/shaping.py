"""Change a workload's rate or length without changing its requests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pdsched.workload.request import Request
from pdsched.workload.traces import rebased


def scale_rate(requests: Sequence[Request], factor: float) -> tuple[Request, ...]:
    """The same requests arriving ``factor`` times as fast; the shape of bursts is kept.

    Raises:
        ValueError: ``factor`` is not positive and finite.
    """
    if not 0 < factor < math.inf:
        raise ValueError(f"factor must be positive and finite, got {factor!r}")
    return tuple(replace(request, arrival_ms=request.arrival_ms / factor) for request in requests)


def with_rate(requests: Sequence[Request], rate_per_s: float) -> tuple[Request, ...]:
    """The same requests at a mean rate of ``rate_per_s``.

    Raises:
        ValueError: the rate is not positive and finite, or all requests arrive at once.
    """
    if not 0 < rate_per_s < math.inf:
        raise ValueError(f"rate_per_s must be positive and finite, got {rate_per_s!r}")
    if len(requests) < 2 or requests[-1].arrival_ms <= requests[0].arrival_ms:
        raise ValueError("with_rate needs requests that arrive over some time")
    span_s = (requests[-1].arrival_ms - requests[0].arrival_ms) / 1_000
    return scale_rate(requests, rate_per_s * span_s / (len(requests) - 1))


def between(
    requests: Sequence[Request], start_ms: float = 0.0, end_ms: float = math.inf
) -> tuple[Request, ...]:
    """The requests that arrive in ``[start_ms, end_ms)``, the clock set back to the first.

    Raises:
        ValueError: the interval is empty or not a number.
    """
    if not start_ms < end_ms:
        raise ValueError(f"start_ms must be below end_ms, got {start_ms!r} and {end_ms!r}")
    return rebased(r for r in requests if start_ms <= r.arrival_ms < end_ms)
