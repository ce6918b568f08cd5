"""The predictions' answers, each derived again from the course's own functions or simulator."""

import pytest

from pdsched.cost.roofline import roofline
from pdsched.hardware import MODELS, handoff_bytes, kv_bytes_per_token
from pdsched.metrics import summarize
from pdsched.scheduler import from_plan_function
from pdsched.simulator import Cluster, HandoffLink, simulate
from pdsched.workload import Request

KV_BYTES = kv_bytes_per_token(MODELS["llama-3.1-8b"])


def test_1a_the_request_is_mixed_before_and_after_for_opposite_reasons(solutions):
    mix = solutions["summarize_request_mix"]
    request = {"prompt_tokens": 3000, "decode_tokens": 300}

    assert [mix([request], threshold)["mixed"] for threshold in (2048, 4096)] == [1, 1]
    # Opposite reasons: an output of one token leaves the long prompt, then the short one.
    short_output = request | {"decode_tokens": 1}
    assert mix([short_output], 2048)["prefill_heavy"] == 1
    assert mix([short_output], 4096)["mixed"] == 1
    assert solutions["concept_1a"]() == "C"


def test_1b_kv_of_768_tokens_in_mib(solutions):
    assert solutions["concept_1b"]() == (256 + 512) * KV_BYTES / 2**20


def test_2a_only_the_suffix_is_chunked(solutions):
    plan = solutions["build_chunked_prefill_plan"](list(range(1000, 2600)), 512)

    assert solutions["concept_2a"]() == len(plan)


@pytest.mark.parametrize("gpu", ["h100", "a100", "l20"])
def test_2b_half_the_chunk_shortens_the_longest_gap_and_not_the_long_prompts_ttft(solutions, gpu):
    requests = [Request(f"chat{n}", 0.0, 32, 400) for n in range(16)]
    requests.append(Request("long", 200.0, 8192, 16))

    def served(chunk):
        plan = from_plan_function(
            solutions["plan_iteration_budget"],
            policy="decode_first",
            max_prefill_chunk_tokens=chunk,
        )
        cost = roofline("llama-3.1-8b", gpu)
        timeline = simulate(requests, plan, cost, max_num_batched_tokens=4096)
        (record,) = [r for r in timeline.requests if r.request_id == "long"]
        return summarize(timeline).itl_ms.max, record.ttft_ms("prefill")

    (gap_1024, ttft_1024), (gap_512, ttft_512) = served(1024), served(512)
    assert gap_512 < gap_1024
    assert ttft_512 > ttft_1024
    assert solutions["concept_2b"]() == "A"


def test_2c_the_reserve_is_a_floor_and_one_request_gets_one_chunk(solutions):
    plan = solutions["plan_iteration_budget"]({"p1": 5}, ["d1", "d2", "d3"], 8, 4)

    assert solutions["concept_2c"]() == plan["remaining_tokens"]


def test_3a_handoff_of_4096_tokens_at_50_gb_per_s(solutions):
    assert solutions["concept_3a"]() == pytest.approx(handoff_bytes(4096, KV_BYTES) / 50e6)


def test_3b_only_the_prefill_pool_hands_over(solutions):
    pools = {"prefill_pool": "ad", "decode_pool": "bef", "shared_pool": "c"}
    route = {name: pool for pool, names in pools.items() for name in names}
    requests = [Request(name, float(i), 512, 8) for i, name in enumerate("abcdef")]
    cluster = Cluster.pd(1, 1, HandoffLink(KV_BYTES, 50.0), shared=1, route=route)
    cost = roofline("llama-3.1-8b", "h100")
    timeline = simulate(
        requests, "decode_first", cost, max_num_batched_tokens=2048, cluster=cluster
    )

    assert solutions["concept_3b"]() == len(timeline.handoffs)
    assert sorted(handoff.request_id for handoff in timeline.handoffs) == ["a", "d"]


def test_4a_two_of_the_five_candidates_are_kept(solutions):
    baseline = {"throughput": 100, "p95_latency_ms": 180}
    kept = 0
    for throughput, p95_latency_ms, handoff_ms in (
        (126, 150, 8),
        (100, 150, 8),
        (126, 180, 10),
        (140, 181, 8),
        (140, 120, 18),
    ):
        run = {
            "throughput": throughput,
            "p95_latency_ms": p95_latency_ms,
            "handoff_ms": handoff_ms,
        }
        kept += solutions["evaluate_pd_decision"](baseline, run, 10)["keep_split"]

    assert solutions["concept_4a"]() == kept
