"""Does the load client keep up, and does it distort what it measures?

    make bench ARGS=bench_load_client

500 streams at 20 tokens/s each come from a server without a model (a metronome per stream). The
client runs in this process, on one core. Each inter-token time it records is compared with the
same one on the server's own clock, which rides on every chunk. Promise: P95 of the difference
below 1 ms, and no stream slowed down. A neighbour that takes the cores shows here at once, so
the numbers are only worth reading while ``idle`` (the machine's free share) is high.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from itertools import pairwise

from pdsched.bench import LoadRun, Target, run_load
from pdsched.engine.server import launched
from pdsched.evidence import this_machine, versions
from pdsched.metrics import Distribution
from pdsched.workload import Request


def idle_share(before: list[int], after: list[int]) -> float:
    """Free share of all cores between two readings of /proc/stat."""
    spent = [later - sooner for sooner, later in zip(before, after, strict=True)]
    return (spent[3] + spent[4]) / max(1, sum(spent))


def cpu_times() -> list[int]:
    """The machine's CPU times; zeros where there is no /proc."""
    try:
        with open("/proc/stat") as file:  # noqa: PTH123
            return [int(part) for part in file.readline().split()[1:9]]
    except OSError:
        return [0] * 8


def distortion_ms(run: LoadRun) -> Distribution:
    """|client gap - server gap| of every pair of neighbouring tokens."""
    differences = []
    for result in run.finished:
        seen, sent = pairwise(result.token_ms), pairwise(result.server_ms)
        differences += [abs((b - a) - (y - x)) for (a, b), (x, y) in zip(seen, sent, strict=True)]
    return Distribution.of(differences)


def once(streams: int, tokens_per_s: float, seconds: float, spread_ms: float) -> None:
    """One run, one line."""
    interval_ms = 1_000 / tokens_per_s
    tokens = int(seconds * tokens_per_s)
    requests = [
        Request(f"r{number}", number * spread_ms / streams, 16, tokens) for number in range(streams)
    ]
    with launched("--metronome-ms", str(interval_ms)) as server:
        target = Target.from_url(server.url, server.model)
        cpu, used = cpu_times(), time.process_time()
        run = asyncio.run(run_load(target, requests))
        used = time.process_time() - used
        idle = idle_share(cpu, cpu_times())
    difference = distortion_ms(run)
    expected = streams * tokens
    got = sum(len(result.token_ms) for result in run.finished)
    print(f"{streams} streams x {tokens_per_s:g}/s, starts spread over {spread_ms:g} ms")
    print(
        f"  {got}/{expected} tokens in {run.duration_ms / 1_000:.1f} s, client CPU "
        f"{used / run.duration_ms * 1_000:.0%}, latest send {run.worst_lag_ms:.1f} ms"
    )
    print(
        f"  ITL difference P50 {difference.p50:.3f} P95 {difference.p95:.3f} "
        f"P99 {difference.p99:.3f} ms; machine idle {idle:.0%}"
    )


def main() -> None:
    """Spread starts (as real arrivals are) and a burst, which is the hard case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--rate", type=float, default=20.0, help="tokens per second and stream")
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    print(f"{this_machine()}; {versions()}; load average {os.getloadavg()[0]:.1f}")
    for streams in (options.streams // 5, options.streams):
        for spread_ms in (1_000.0, 2_000.0):
            once(streams, options.rate, options.seconds, spread_ms)


if __name__ == "__main__":
    main()
