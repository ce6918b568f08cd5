"""Speed, memory and growth of the simulator, beside the slow reference loop of the tests.

Times are CPU seconds of this process (other work on the machine disturbs them less), best of
several runs. Run it with ``make bench`` or ``python -m benchmarks.bench_simulator``.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pdsched.cost import roofline
from pdsched.scheduler import from_plan_function
from pdsched.simulator import Timeline, simulate
from pdsched.workload import Request, synthetic

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "course" / "tests" / "simulator"))

COST = roofline("llama-3.1-8b", "h100")
BUDGET = 2048
AZURE = ROOT.parent / "shared" / "traces" / "AzureLLMInferenceTrace_conv.csv"


def seconds(run: Callable[[], Timeline], times: int = 5) -> tuple[float, Timeline]:
    """Best CPU time of several runs, and the last result."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        timeline = run()
        best = min(best, time.process_time() - start)
    return best, timeline


def decoding(count: int) -> list[Request]:
    """A few requests that decode for long: iterations with nothing but decodes."""
    return [Request(f"r{number}", 5.0 * number, 100, 5000) for number in range(count)]


def plan(suffixes, ready, budget, cap, *, policy, decode_reserve_tokens):  # noqa: ARG001
    """A plan function such as a learner writes, without checks of its own."""
    left = budget - len(ready)
    chunks = []
    for key, suffix in suffixes.items():
        tokens = min(suffix, cap, left)
        if tokens > 0:
            chunks.append({"request_id": key, "tokens": tokens})
            left -= tokens
    return {
        "policy": policy,
        "max_num_batched_tokens": budget,
        "decode_request_ids": ready[:budget],
        "prefill_chunks": chunks,
        "used_tokens": budget - left,
        "remaining_tokens": left,
    }


def report(name: str, value: float, unit: str, target: float, *, at_least: bool) -> None:
    """One line: value, target, kept or missed."""
    kept = value >= target if at_least else value <= target
    sign = ">=" if at_least else "<="
    print(
        f"{name:<58}{value:>9.2f} {unit:<10} target {sign} {target:g}  {'ok' if kept else 'MISSED'}"
    )


def iterations_per_second() -> None:
    workload = decoding(16)
    for name, scheduler in (
        ("built-in decode_first", "decode_first"),
        ("built-in vllm_v1", "vllm_v1"),
        ("plan_iteration_budget, every plan checked", from_plan_function(plan)),
    ):
        for fast, target in ((False, 0.5), (True, 1.5)):
            took, timeline = seconds(
                lambda scheduler=scheduler, fast=fast: simulate(
                    workload, scheduler, COST, max_num_batched_tokens=BUDGET, fast_forward=fast
                )
            )
            rate = timeline.workers[0].iterations / took / 1e6
            how = "fast-forward" if fast else "asked each iteration"
            report(f"{name}, {how}", rate, "M it/s", target, at_least=True)


def slider() -> None:
    workload = synthetic("chat", 1000, seed=1)
    for name, scheduler in (
        ("decode_first", "decode_first"),
        ("vllm_v1", "vllm_v1"),
        ("plan_iteration_budget", from_plan_function(plan)),
    ):
        took, timeline = seconds(
            lambda scheduler=scheduler: simulate(
                workload, scheduler, COST, max_num_batched_tokens=BUDGET
            ),
            times=9,
        )
        label = f"1,000 chat requests, {timeline.workers[0].iterations:,} iterations, {name}"
        report(label, took * 1000, "ms", 30, at_least=False)


def azure_hour() -> None:
    if AZURE.exists():
        from pdsched.workload import read_azure_csv

        workload, what = list(read_azure_csv(AZURE)), "Azure conversation hour"
    else:
        workload, what = list(synthetic("chat", 19_366, seed=1)), "its synthetic twin"
    for recorded in (False, True):
        took, timeline = seconds(
            lambda recorded=recorded: simulate(
                workload,
                "decode_first",
                COST,
                max_num_batched_tokens=BUDGET,
                record_iterations=recorded,
            ),
            times=3,
        )
        label = f"{what}, {timeline.workers[0].iterations:,} it{', recorded' * recorded}"
        report(label, took, "s", 0.5, at_least=False)


def against_reference() -> None:
    import reference_loop

    workload = [
        replace(request, output_tokens=min(request.output_tokens, 400))
        for request in synthetic("chat", 60, seed=2)
    ]
    options = {"budget": 512, "cap": 512, "reserve": 1, "seats": 256, "kv_blocks": 10**9}
    start = time.process_time()
    reference_loop.run(workload, reference_loop.decode_first, COST, **options)
    slow = time.process_time() - start
    fast, _ = seconds(lambda: simulate(workload, "decode_first", COST, max_num_batched_tokens=512))
    report(
        "times faster than the reference loop (60 requests)", slow / fast, "x", 10, at_least=True
    )


def growth() -> None:
    """Time per request at one and at eight times the size."""
    per_request = {}
    for size in (5_000, 40_000):
        workload = synthetic("chat", size, seed=1)
        took, _ = seconds(
            lambda workload=workload: simulate(
                workload,
                "decode_first",
                COST,
                max_num_batched_tokens=BUDGET,
                record_iterations=False,
            ),
            times=2,
        )
        per_request[size] = took / size
    small, large = per_request.values()
    report("time per request, 40,000 over 5,000 requests", large / small, "x", 1.3, at_least=False)


MILLION = """
import resource, time
from pdsched.cost import roofline
from pdsched.metrics import summarize
from pdsched.simulator import simulate
from pdsched.workload import synthetic
workload = synthetic("chat", 1_000_000, seed=1)
start = time.process_time()
timeline = simulate(workload, "decode_first", roofline("llama-3.1-8b", "h100"),
                    max_num_batched_tokens=2048, record_iterations=False)
took = time.process_time() - start
summarize(timeline)
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


def million() -> None:
    """A million requests with their metrics, in a process of its own."""
    answer = subprocess.run(
        [sys.executable, "-c", MILLION], capture_output=True, text=True, check=True
    )
    took, peak_gb = map(float, answer.stdout.split())
    report(
        f"1,000,000 requests and metrics ({took:.0f} s), peak memory",
        peak_gb,
        "GB",
        2,
        at_least=False,
    )


def main() -> int:
    """Print every figure beside its target."""
    print(f"Python {sys.version.split()[0]}, cost model: {COST.name}")
    iterations_per_second()
    slider()
    azure_hour()
    against_reference()
    growth()
    if sys.platform != "win32":
        million()
    return 0


if __name__ == "__main__":
    sys.exit(main())
