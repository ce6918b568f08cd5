"""A workload by whatever a command line or a slider calls it."""

from __future__ import annotations

from pathlib import Path

from pdsched.workload.public import PUBLIC_TRACES, public_trace
from pdsched.workload.request import Request
from pdsched.workload.shaping import with_rate
from pdsched.workload.synthetic import PRESET_NAMES, synthetic
from pdsched.workload.traces import read_trace


def workload(
    name: str,
    *,
    num_requests: int | None = None,
    rate_per_s: float | None = None,
    seed: int = 0,
) -> tuple[Request, ...]:
    """A synthetic preset, a public trace, or a trace file.

    Args:
        name: a preset (``chat``), a public trace (``azure-conv``) or a path.
        num_requests: only so many; a preset gives 1,000 when None.
        rate_per_s: mean arrival rate; the workload's own when None.
        seed: of synthetic workloads.

    Raises:
        ValueError: neither a known name nor a file, or a number is out of range.
    """
    if num_requests is not None and num_requests < 1:
        raise ValueError(f"num_requests must be at least 1, got {num_requests}")
    if name in PRESET_NAMES:
        wanted = 1_000 if num_requests is None else num_requests
        return synthetic(name, wanted, rate_per_s=rate_per_s, seed=seed)
    if name in PUBLIC_TRACES:
        requests = public_trace(name, num_requests=num_requests, seed=seed)
    elif Path(name).is_file():
        requests = read_trace(name)[:num_requests]
    else:
        known = ", ".join((*PRESET_NAMES, *PUBLIC_TRACES))
        raise ValueError(f"unknown workload {name!r}: not a file, and not one of {known}")
    return requests if rate_per_s is None else with_rate(requests, rate_per_s)
