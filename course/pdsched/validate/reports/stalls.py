"""Reports about decodes that wait for a prefill."""

from __future__ import annotations

import random

from pdsched.cost import roofline
from pdsched.metrics import summarize
from pdsched.simulator import simulate
from pdsched.validate.reports.scenario import Scenario, measure
from pdsched.workload import Request

IN_FLIGHT = 20


def stranded_decodes_without_mixed_chunk() -> Scenario:
    """sglang-omni#789: a prefill step leaves every ready decode standing."""
    rng = random.Random(0)
    requests = [Request(f"{i}", 0.0, 512, rng.randint(32, 96)) for i in range(400)]
    throughput, stranded = [], []
    for policy in ("sglang", "sglang_mixed"):
        timeline = simulate(
            requests,
            policy,
            roofline("llama-3.1-8b", "h100"),
            max_num_batched_tokens=2048,
            max_num_seqs=IN_FLIGHT,
            concurrency=IN_FLIGHT,
        )
        throughput.append(summarize(timeline).output_token_throughput_per_s)
        prefills = [iteration for iteration in timeline.iterations if iteration.prefills]
        waiting = [i.num_running - len(i.prefills) - len(i.decodes) for i in prefills]
        stranded.append(sum(count >= 0.7 * IN_FLIGHT for count in waiting) / len(prefills))
    gain = throughput[1] / throughput[0] - 1
    return Scenario(
        "sglang-omni#789",
        f"{IN_FLIGHT} in flight, mixed chunk off → on",
        "off: 97 % of prefill steps strand 18–20 ready decodes; on: +14–18 %",
        f"off: {stranded[0]:.0%} of prefill steps strand at least {0.7 * IN_FLIGHT:.0f}; "
        f"on: {gain:+.0%}",
        holds=stranded[0] > 0.9 and stranded[1] == 0 and 0.08 < gain < 0.3,
    )


def stall_is_the_prefill_time() -> Scenario:
    """pegainfer#368 and #470: the stall is the prefill, and P99 sees it only when it is common."""
    cost = roofline("llama-3.1-8b", "h100")
    rare, common = (
        measure(
            [Request(f"decode{i}", 0.0, 100, 400) for i in range(8)]
            + [Request(f"prompt{i}", 500.0 + 300 * i, 8192, 1) for i in range(prompts)],
            "prefill_first",
            cost,
            16384,
        )
        for prompts in (1, 8)
    )
    prefill_ms = cost.iteration_ms(8192, 0, 8192 * 4096.0, 0, 0, 1)
    rare_max, rare_p99 = rare.itl_ms.max or 0.0, rare.itl_ms.p99 or 0.0
    common_p99 = common.itl_ms.p99 or 0.0
    return Scenario(
        "pegainfer#368, #470",
        "8k prompt into 8 running decodes, once and eight times in 400 steps",
        "stall = prefill time; reaches P99 only when stalls are > 1 % of the gaps",
        f"stall {rare_max:.0f} ms for a prefill of {prefill_ms:.0f} ms; "
        f"P99 {rare_p99:.0f} ms once, {common_p99:.0f} ms eight times",
        holds=abs(rare_max / prefill_ms - 1) < 0.1
        and rare_p99 < 0.1 * rare_max
        and common_p99 > 0.9 * rare_max,
    )
