"""Reports about the token budget, the chunk and the memory they leave."""

from __future__ import annotations

import random
from dataclasses import replace

from pdsched.cost import roofline
from pdsched.hardware import MODELS, kv_bytes_per_token
from pdsched.kvcache import KVCache
from pdsched.scheduler import make
from pdsched.simulator import simulate
from pdsched.validate.reports.scenario import Scenario, kv_cache, measure
from pdsched.workload import Request, synthetic

ACTIVATION_BYTES_PER_TOKEN = 250e3  # of a 70B model, per GPU, reserved for a full budget


def _sharegpt(count: int) -> list[Request]:
    """ShareGPT-like lengths: both medians about 150, long tails, all sent at once."""
    rng = random.Random(1)
    prompts = (max(4, min(2048, round(rng.lognormvariate(5.0, 1.1)))) for _ in range(count))
    outputs = (max(2, min(1024, round(rng.lognormvariate(5.0, 0.9)))) for _ in range(count))
    return [
        Request(f"{i}", 0.0, prompt, output)
        for i, (prompt, output) in enumerate(zip(prompts, outputs, strict=True))
    ]


def memory_for_kv_at_tp2() -> Scenario:
    """vllm#17885: what a large budget reserves is missing for KV where memory is short."""
    gains = {}
    model = MODELS["llama-3.1-70b"]
    weights = 2 * (model.linear_parameters + 2 * model.head_parameters)
    for degree in (2, 4):
        cost = roofline("llama-3.1-70b", "a100", tensor_parallel=degree)
        rates = []
        for budget in (8192, 2048):
            reserved = degree * budget * ACTIVATION_BYTES_PER_TOKEN
            room = degree * 80e9 * 0.95 - weights - reserved
            kv = KVCache.from_bytes(room, kv_bytes_per_token(model))
            metrics = measure(_sharegpt(400), "vllm_v1", cost, budget, kv=kv)
            rates.append(metrics.output_token_throughput_per_s)
        gains[degree] = rates[1] / rates[0] - 1
    return Scenario(
        "vllm#17885",
        "A100, 70B, 400 ShareGPT prompts, budget 8192 → 2048",
        "TP 2: +36 % tok/s; TP 4: −2 %",
        f"TP 2: {gains[2]:+.0%}; TP 4: {gains[4]:+.0%}",
        holds=0.12 <= gains[2] <= 0.6 and abs(gains[4]) <= 0.05,
        note="250 kB of activations per budget token are our assumption",
    )


def smaller_budget_better_itl() -> Scenario:
    """vllm#8121: the budget bounds the stall of a running decode."""
    requests = list(synthetic("chat", 400, rate_per_s=5))
    cost, kv = roofline("llama-3.1-8b", "a100"), kv_cache("llama-3.1-8b", "a100")
    p99 = [
        measure(requests, "vllm_v1", cost, budget, kv=kv).itl_ms.p99 or 0.0
        for budget in (512, 2048, 8192)
    ]
    return Scenario(
        "vllm#8121",
        "8B, chat, budget 512 / 2048 / 8192",
        "a smaller budget gives a better ITL",
        "ITL P99 " + " / ".join(f"{value:.0f}" for value in p99) + " ms",
        holds=p99[0] < p99[1] < p99[2],
    )


def chunking_does_not_raise_offline_throughput() -> Scenario:
    """vllm#7604: with everything queued at once, chunks buy nothing."""
    requests = [replace(r, arrival_ms=0.0) for r in synthetic("chat", 400)]
    cost, kv = roofline("llama-3.1-8b", "a100"), kv_cache("llama-3.1-8b", "a100")
    small, large = (
        measure(requests, "vllm_v1", cost, budget, kv=kv).output_token_throughput_per_s
        for budget in (512, 8192)
    )
    return Scenario(
        "vllm#7604",
        "8B, 400 requests at once, budget 512 against 8192",
        "chunked prefill does not improve offline throughput",
        f"{small:.0f} against {large:.0f} tok/s ({small / large - 1:+.1%})",
        holds=abs(small / large - 1) < 0.05,
    )


def a_130k_prompt_at_budget_512() -> Scenario:
    """vllm#21495 and #10235: one huge prompt holds the budget for hundreds of iterations."""
    requests = [Request("long", 0.0, 130_000, 10)]
    requests += [Request(f"short{i}", 10.0 + 100 * i, 200, 50) for i in range(30)]
    timeline = simulate(
        requests, "vllm_v1", roofline("llama-3.1-8b", "h100"), max_num_batched_tokens=512
    )
    iterations = sum(
        any(chunk.request_id == "long" for chunk in iteration.prefills)
        for iteration in timeline.iterations
    )
    long_ms = timeline.requests[0].first_token_ms
    blocked = min(record.first_token_ms for record in timeline.requests[1:]) >= long_ms
    return Scenario(
        "vllm#21495, #10235",
        "130k prompt among short ones, budget 512",
        "about 250 iterations; short requests blocked meanwhile",
        f"{iterations} iterations ({long_ms / 1000:.0f} s), shorts "
        + ("blocked" if blocked else "not blocked"),
        holds=iterations in range(250, 260) and blocked,
    )


def long_prefill_threshold() -> Scenario:
    """club-3090#712: ``long_prefill_token_threshold`` keeps half the budget for others."""
    requests = [Request("long", 0.0, 60_000, 50)]
    requests += [Request(f"short{i}", 500.0 + 1000 * i, 300, 50) for i in range(12)]
    cost = roofline("llama-3.1-8b", "a10")
    seconds = {}
    for threshold in (0, 2048):
        policy = make("vllm_v1", long_prefill_token_threshold=threshold)
        records = simulate(requests, policy, cost, max_num_batched_tokens=4096).requests
        shorts = sorted(record.ttft_ms() for record in records[1:])
        seconds[threshold] = (shorts[len(shorts) // 2] / 1000, records[0].ttft_ms() / 1000)
    (before, long_before), (after, long_after) = seconds[0], seconds[2048]
    return Scenario(
        "club-3090#712",
        "60k prefill beside short requests, budget 4096, threshold 0 → 2048",
        "TTFT of shorts 18.00 → 1.09 s, of the long one +6 %",
        f"{before:.1f} → {after:.2f} s, {long_after / long_before - 1:+.0%}",
        holds=before / after > 8 and after < 2 and 0 <= long_after / long_before - 1 < 0.15,
        note="an A10 stands in for the report's card",
    )
