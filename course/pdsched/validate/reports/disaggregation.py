"""Reports about prefill and decode on separate workers."""

from __future__ import annotations

from dataclasses import replace

from pdsched.cost import roofline
from pdsched.kvcache import KVCache
from pdsched.metrics import Metrics, summarize
from pdsched.simulator import Cluster, HandoffLink, WorkerPool, simulate
from pdsched.validate.reports.scenario import (
    Scenario,
    equal_requests,
    kv_cache,
    link_between,
    measure,
)
from pdsched.workload import Request


def _shared_and_split(
    model: str,
    gpu: str,
    requests: list[Request],
    link: str,
    *,
    tensor_parallel: int = 1,
    concurrency: int | None = None,
) -> tuple[Metrics, Metrics]:
    """Two equal workers against one prefill and one decode worker."""
    cost = roofline(model, gpu, tensor_parallel=tensor_parallel)
    kv = kv_cache(model, gpu, tensor_parallel)
    clusters = (Cluster.shared(2), Cluster.pd(1, 1, link_between(model, link)))
    shared, split = (
        measure(requests, "vllm_v1", cost, 8192, kv=kv, cluster=cluster, concurrency=concurrency)
        for cluster in clusters
    )
    return shared, split


def one_to_one_for_uneven_work() -> Scenario:
    """vllm#11345: 1P1D needs as much prefill as decode work."""
    requests = equal_requests(300, 1024, 50, rate_per_s=10)
    shared, split = _shared_and_split("qwen2.5-7b", "l40s", requests, "pcie4")
    before, after = shared.ttft_ms.p95 or 0.0, split.ttft_ms.p95 or 0.0
    itl = (shared.itl_ms.mean or 0.0, split.itl_ms.mean or 0.0)
    return Scenario(
        "vllm#11345",
        "2 × L40S, Qwen2.5-7B, 1024/50, two workers → 1P1D",
        "worse TTFT and worse ITL",
        f"TTFT P95 {before:.0f} → {after:.0f} ms; ITL mean {itl[0]:.0f} → {itl[1]:.0f} ms",
        holds=after > 1.5 * before,
        differs="our ITL improves, because decodes no longer meet a prefill",
    )


def link_is_the_bottleneck() -> Scenario:
    """vllm#26072: more workers do not help when the transfer path is full."""
    cost, kv = roofline("llama-3.1-8b", "a100"), kv_cache("llama-3.1-8b", "a100")
    path = HandoffLink(kv_bytes_per_token=131_072, gb_per_s=2.2, setup_ms=1.0)
    rates = {
        pools: measure(
            equal_requests(400, 1000, 100, rate_per_s=25),
            "vllm_v1",
            cost,
            8192,
            kv=kv,
            cluster=Cluster.pd(*pools, path),
        ).request_throughput_per_s
        for pools in ((1, 1), (3, 1), (2, 2))
    }
    one, three, two = rates.values()
    return Scenario(
        "vllm#26072",
        "4 × A100, 8B, 1000/100, 25 rps: 1P1D → 3P1D → 2P2D over one slow path",
        "3P1D does not help, 2P2D is worse",
        f"{one:.1f} → {three:.1f} → {two:.1f} requests/s",
        holds=three < 1.05 * one and two < 1.05 * one,
        differs="2P2D is no better here, but not worse",
        note="2.2 GB/s for the path is our assumption",
    )


def long_prompts_lower_itl() -> Scenario:
    """sglang#4880: for long prompts 1P1D keeps the throughput and calms the decodes."""
    requests = equal_requests(60, 8192, 512, rate_per_s=0.45)
    shared, split = _shared_and_split(
        "llama-3.1-8b", "a10", requests, "ethernet-100g", tensor_parallel=4
    )
    throughput = split.output_token_throughput_per_s / shared.output_token_throughput_per_s - 1
    itl = (split.itl_ms.mean or 0.0) / (shared.itl_ms.mean or 1.0) - 1
    return Scenario(
        "sglang#4880",
        "A10 TP 4, 8192/512, two workers → 1P1D",
        "same throughput, ITL about 30 % lower",
        f"throughput {throughput:+.0%}, ITL {itl:+.0%}",
        holds=abs(throughput) < 0.1 and -0.6 < itl < -0.15,
        note="model not stated; Llama-3.1-8B at 0.45 requests/s here",
    )


def short_prompts_prefer_data_parallel() -> Scenario:
    """sglang#7141: 128/128 has nothing to separate."""
    shared, split = _shared_and_split(
        "llama-3.1-8b", "l40s", equal_requests(600, 128, 128), "pcie4", concurrency=50
    )
    change = split.output_token_throughput_per_s / shared.output_token_throughput_per_s - 1
    return Scenario(
        "sglang#7141",
        "L40, 128/128, 50 in flight, data parallel → 1P1D",
        "PD is slower",
        f"throughput {change:+.0%}, TTFT P95 {shared.ttft_ms.p95:.0f} → {split.ttft_ms.p95:.0f} ms",
        holds=change < 0 and (split.ttft_ms.p95 or 0.0) > (shared.ttft_ms.p95 or 0.0),
        note="an L40S stands in for the L40",
    )


def stranded_prefill_blocks() -> Scenario:
    """vllm#41269: KV waits on the prefill side for a decode side that has no room."""
    requests = equal_requests(40, 4000, 400, rate_per_s=2)
    pools = (
        WorkerPool("prefill", kv=KVCache(20_000)),
        WorkerPool("decode", kv=KVCache(400)),
    )
    patient = HandoffLink(kv_bytes_per_token=131_072, gb_per_s=50, admission_timeout_ms=480_000)
    longest, stranded = [], []
    for link in (patient, replace(patient, admission_timeout_ms=2000)):
        timeline = simulate(
            requests,
            "vllm_v1",
            roofline("llama-3.1-8b", "h100"),
            max_num_batched_tokens=8192,
            cluster=Cluster(pools, link),
            record_iterations=False,
        )
        waits = (handoff.admitted_ms - handoff.ready_ms for handoff in timeline.handoffs)
        longest.append(max(waits) / 1000)
        stranded.append(summarize(timeline).stranded_block_ms)
    return Scenario(
        "vllm#41269",
        "decode side full; admission timeout 480 s against 2 s",
        "prefill-side blocks stranded up to 480 s",
        f"blocks wait up to {longest[0]:.0f} s against {longest[1]:.0f} s; "
        f"{stranded[0] / stranded[1]:.0f} times the block-seconds",
        holds=longest[0] > 30 and longest[1] <= 2.001 and stranded[0] > 5 * stranded[1],
    )


def first_gap_carries_the_handoff() -> Scenario:
    """Mooncake#62: six tokens, and the first gap is the transfer."""
    requests = equal_requests(300, 1024, 6, rate_per_s=6)
    shared, split = _shared_and_split("llama-3.1-8b", "a100", requests, "ethernet-25g")
    mean = (shared.itl_ms.mean or 0.0, split.itl_ms.mean or 0.0)
    middle = (shared.itl_ms.p50 or 0.0, split.itl_ms.p50 or 0.0)
    return Scenario(
        "Mooncake#62",
        "1024/6, two workers → 1P1D",
        "mean ITL worse, median better",
        f"mean {mean[0]:.1f} → {mean[1]:.1f} ms, median {middle[0]:.2f} → {middle[1]:.2f} ms",
        holds=mean[1] > 1.2 * mean[0] and middle[1] <= middle[0] * 1.01,
        differs="our medians are equal",
        note="8B on A100 over 25 Gb/s here",
    )
