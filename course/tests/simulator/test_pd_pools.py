"""Prefill and decode apart, by hand: 1 ms an iteration and 1 ms a token, 1 ms a KV block."""

import sys
from math import inf
from pathlib import Path

import pytest

from pdsched.kvcache import KVCache
from pdsched.metrics import summarize
from pdsched.simulator import Cluster, HandoffLink, WorkerPool, simulate
from pdsched.workload import Request

sys.path.insert(0, str(Path(__file__).parent))
from costs import EveryTerm, TokenCost

pytestmark = pytest.mark.core

ONE_MS_PER_BLOCK = {"kv_bytes_per_token": 1e6 / 16, "gb_per_s": 1.0}


def run(requests, link=None, *, prefill=1, decode=1, **options):
    link = link or HandoffLink(**ONE_MS_PER_BLOCK)
    options.setdefault("cluster", Cluster.pd(prefill, decode, link))
    return simulate(requests, "decode_first", TokenCost(), max_num_batched_tokens=64, **options)


def test_a_request_prefills_moves_its_kv_and_decodes():
    timeline = run([Request("a", 10.0, 20, 3)])
    [record] = timeline.requests
    [handoff] = timeline.handoffs
    assert (record.first_token_ms, record.prefill_worker) == (31, "prefill0")
    assert (handoff.ready_ms, handoff.start_ms, handoff.end_ms) == (31, 31, 33)  # two blocks
    assert handoff.num_bytes == 2_000_000
    assert record.decode_first_token_ms == 35
    assert (record.finish_ms, record.decode_worker) == (37, "decode0")
    assert timeline.token_times("a") == [31, 35, 37]


def test_the_two_definitions_of_ttft_differ_by_the_handoff_and_one_step():
    timeline = run([Request("a", 0.0, 20, 3)])
    assert summarize(timeline, ttft_definition="prefill").ttft_ms.mean == 21
    assert summarize(timeline, ttft_definition="decode").ttft_ms.mean == 25
    assert summarize(timeline).handoff.exposed_ms.mean == 2


def test_a_single_token_needs_no_handoff():
    timeline = run([Request("a", 0.0, 20, 1)])
    assert timeline.handoffs == []
    assert timeline.requests[0].ttft_ms("decode") == timeline.requests[0].ttft_ms("prefill")


def test_the_link_is_a_queue():
    requests = [Request("a", 0.0, 16, 2), Request("b", 0.0, 32, 2)]
    handoffs = run(requests).handoffs
    assert [(h.request_id, h.start_ms, h.end_ms) for h in handoffs] == [
        ("a", 49, 50),
        ("b", 50, 52),
    ]
    two_lanes = HandoffLink(**ONE_MS_PER_BLOCK, lanes=2)
    assert [h.start_ms for h in run(requests, two_lanes).handoffs] == [49, 49]


def test_layers_sent_during_prefill_hide_all_but_the_last():
    link = HandoffLink(**ONE_MS_PER_BLOCK, overlap_layers=4)
    [handoff] = run([Request("a", 0.0, 32, 2)], link).handoffs
    assert handoff.end_ms - handoff.start_ms == 0.5  # 2 ms / 4 layers; prefill hides the rest


def test_the_decode_side_admits_before_anything_is_sent_and_the_blocks_wait_stranded():
    requests = [Request("a", 0.0, 16, 8), Request("b", 0.0, 16, 2)]
    timeline = run(requests, kv=KVCache(2))
    first, second = timeline.handoffs
    assert (first.admitted_ms, first.end_ms) == (33, 34)
    assert timeline.requests[0].finish_ms == 48  # seven steps of 2 ms
    assert (second.ready_ms, second.admitted_ms, second.end_ms) == (33, 48, 49)
    prefill = timeline.workers[0]
    assert prefill.stranded_block_ms == (34 - 33) + (49 - 33)


def test_seats_are_reserved_too():
    requests = [Request("a", 0.0, 16, 3), Request("b", 0.0, 16, 2)]
    pools = (WorkerPool("prefill", 1), WorkerPool("decode", 1, max_num_seqs=1))
    cluster = Cluster(pools, HandoffLink(**ONE_MS_PER_BLOCK))
    assert [h.admitted_ms for h in run(requests, cluster=cluster).handoffs] == [33, 38]


def test_a_failed_transfer_is_sent_again_then_given_up_and_prefilled_where_it_decodes():
    link = HandoffLink(**ONE_MS_PER_BLOCK, failure_rate=1.0, max_attempts=2, retry_ms=5.0)
    timeline = run([Request("a", 0.0, 16, 3)], link)
    assert [(h.attempt, h.start_ms, h.end_ms, h.outcome) for h in timeline.handoffs] == [
        (1, 17, 18, "failed"),
        (2, 23, 24, "recompute"),
    ]
    [record] = timeline.requests
    # 17 known tokens are prefilled on the decode worker; that samples the second token.
    assert (record.decode_first_token_ms, record.finish_ms) == (42, 44)
    assert record.recomputed_tokens == 16
    handoff = summarize(timeline).handoff
    assert (handoff.count, handoff.retries, handoff.recomputed) == (0, 1, 1)
    assert handoff.gigabytes == 0.002


def test_a_decode_side_that_does_not_admit_in_time_prefills_itself():
    link = HandoffLink(**ONE_MS_PER_BLOCK, admission_timeout_ms=4.0)
    requests = [Request("a", 0.0, 16, 8), Request("b", 0.0, 16, 2)]
    timeline = run(requests, link, kv=KVCache(2))
    assert [(h.request_id, h.outcome, h.end_ms) for h in timeline.handoffs] == [
        ("a", "ok", 34),
        ("b", "timeout", 37),
    ]
    assert timeline.requests[1].decode_worker == "decode0"
    assert timeline.workers[0].stranded_block_ms == 1 + 4
    assert summarize(timeline).handoff.timeouts == 1


def test_pools_route_requests_not_phases():
    requests = [
        Request("long", 0.0, 32, 2),
        Request("short", 0.0, 4, 6),
        Request("both", 0.0, 32, 6),
    ]
    route = {"long": "prefill_pool", "short": "decode_pool", "both": "shared_pool"}
    link = HandoffLink(**ONE_MS_PER_BLOCK)
    timeline = run(requests, cluster=Cluster.pd(1, 1, link, shared=1, route=route))
    assert [(r.prefill_worker, r.decode_worker) for r in timeline.requests] == [
        ("prefill0", "decode0"),
        ("decode0", "decode0"),
        ("shared0", "shared0"),
    ]
    assert [h.request_id for h in timeline.handoffs] == ["long"]
    assert [r.pool for r in timeline.requests] == list(route.values())


def test_the_router_prefers_the_worker_with_the_fewest_promised_tokens():
    requests = [Request("a", 0.0, 50, 10), Request("b", 1.0, 5, 5), Request("c", 2.0, 5, 5)]
    timeline = run(requests, cluster=Cluster.shared(2))
    assert [r.prefill_worker for r in timeline.requests] == ["shared0", "shared1", "shared1"]


def test_each_pool_may_have_its_own_cost_and_budget():
    class Slow(TokenCost):
        def iteration_ms(self, *arguments):
            return 10 * super().iteration_ms(*arguments)

    pools = (
        WorkerPool("prefill", max_num_batched_tokens=8),
        WorkerPool("decode", cost=Slow(), scheduler="vllm_v1"),
    )
    timeline = run(
        [Request("a", 0.0, 16, 2)], cluster=Cluster(pools, HandoffLink(**ONE_MS_PER_BLOCK))
    )
    assert [i.duration_ms for i in timeline.iterations] == [9, 9, 20]


@pytest.mark.parametrize(
    ("build", "error"),
    [
        (lambda: Cluster(()), "at least one pool"),
        (lambda: WorkerPool("router"), "'router'"),
        (lambda: WorkerPool("shared", 0), "workers"),
        (lambda: Cluster((WorkerPool("prefill"),)), "decode workers"),
        (lambda: Cluster((WorkerPool("prefill"), WorkerPool("decode"))), "link"),
        (lambda: Cluster((WorkerPool("shared"), WorkerPool("shared"))), "once"),
        (lambda: HandoffLink(0, 1), "kv_bytes_per_token"),
        (lambda: HandoffLink(1, inf), "gb_per_s"),
        (lambda: HandoffLink(1, 1, setup_ms=-1), "setup_ms"),
        (lambda: HandoffLink(1, 1, lanes=0), "lanes"),
        (lambda: HandoffLink(1, 1, failure_rate=1.5), "failure_rate"),
        (lambda: HandoffLink(1, 1, admission_timeout_ms=0), "admission_timeout_ms"),
    ],
)
def test_impossible_clusters_are_refused(build, error):
    with pytest.raises(ValueError, match=error):
        build()


@pytest.mark.parametrize(
    ("route", "error"),
    [
        ({}, "routed to no pool"),
        ({"a": "gpu"}, "'gpu'"),
        ({"a": "shared_pool"}, "no shared worker"),
        (lambda _request: None, "None"),
    ],
)
def test_a_request_must_be_routed_to_a_pool_that_exists(route, error):
    cluster = Cluster.pd(1, 1, HandoffLink(**ONE_MS_PER_BLOCK), route=route)
    with pytest.raises(ValueError, match=error):
        run([Request("a", 0.0, 4, 2)], cluster=cluster)


def test_a_lone_decode_gives_way_to_kv_that_is_already_on_its_way():
    """SGLang's decode side may promise its last blocks; the running job is then recomputed."""
    requests = [Request("r0", 0.0, 6, 60), Request("r1", 0.0, 50, 2)]
    link = HandoffLink(1e6, 0.5, decode_headroom_tokens=0)
    timeline = simulate(
        requests,
        "sglang",
        EveryTerm(),
        max_num_batched_tokens=1,
        max_num_seqs=2,
        kv=KVCache(8),
        cluster=Cluster.pd(1, 1, link, route=dict.fromkeys(("r0", "r1"), "prefill_pool")),
    )
    assert [record.output_tokens for record in timeline.requests] == [60, 2]
    assert max(worker.kv_blocks_peak for worker in timeline.workers) <= 8
