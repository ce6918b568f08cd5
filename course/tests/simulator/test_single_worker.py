"""One worker, hand-computed: 1 ms an iteration and 1 ms a token, so times can be counted."""

from dataclasses import dataclass

import pytest

from pdsched.kvcache import KVCache
from pdsched.metrics import Slo, summarize
from pdsched.simulator import simulate
from pdsched.workload import Request

pytestmark = pytest.mark.core


@dataclass(frozen=True)
class TokenCost:
    """1 ms per iteration and 1 ms per token."""

    name: str = "1 + tokens"
    source: str = "test"
    error: str = "none"

    def iteration_ms(self, prefill_tokens, _past, _pairs, num_decodes, *_):
        return 1.0 + prefill_tokens + num_decodes


def test_a_request_alone_prefills_in_chunks_and_then_decodes():
    timeline = simulate(
        [Request("a", 10.0, 5, 3)], "decode_first", TokenCost(), max_num_batched_tokens=4
    )
    assert [(i.start_ms, i.end_ms) for i in timeline.iterations] == [
        (10, 15),
        (15, 17),
        (17, 19),
        (19, 21),
    ]
    assert [i.prefills for i in timeline.iterations] == [(("a", 4, 0),), (("a", 1, 4),), (), ()]
    assert [i.decodes for i in timeline.iterations] == [(), (), ("a",), ("a",)]
    [record] = timeline.requests
    assert (record.first_scheduled_ms, record.first_token_ms, record.finish_ms) == (10, 17, 21)
    assert record.ttft_ms() == 7
    assert record.tpot_ms == 2
    assert timeline.token_times("a") == [17, 19, 21]


def two_requests(policy):
    requests = [Request("chat", 0.0, 1, 4), Request("long", 3.0, 6, 1)]
    return simulate(requests, policy, TokenCost(), max_num_batched_tokens=4)


def test_decode_first_keeps_the_chat_going_through_a_long_prompt():
    assert two_requests("decode_first").token_times("chat") == [2, 4, 9, 14]


def test_prefill_first_stalls_the_chat_until_the_prompt_leaves_room():
    timeline = two_requests("prefill_first")
    assert timeline.token_times("chat") == [2, 4, 13, 15]
    assert timeline.requests[1].first_token_ms == 13
    gaps = zip(timeline.gaps.gap_ms, timeline.gaps.weight, strict=True)
    assert sorted(gaps) == [(2, 1), (2, 1), (9, 1)]


def test_prefix_hits_count_whole_blocks_and_leave_one_token():
    requests = [Request("a", 0.0, 40, 1, cached_tokens=39), Request("b", 0.0, 32, 1, 32)]
    timeline = simulate(requests, "decode_first", TokenCost(), max_num_batched_tokens=100)
    assert timeline.iterations[0].prefills == (("a", 8, 32), ("b", 16, 16))
    assert [record.cached_tokens for record in timeline.requests] == [32, 16]


def test_a_full_cache_preempts_the_last_admitted_and_recomputes_it():
    requests = [Request("a", 0.0, 16, 20), Request("b", 0.0, 16, 20)]
    timeline = simulate(
        requests, "decode_first", TokenCost(), max_num_batched_tokens=64, kv=KVCache(3)
    )
    first, second = timeline.requests
    assert (first.preemptions, second.preemptions) == (0, 1)
    assert second.recomputed_tokens == 16  # both want the third block for token 17; b gives way
    assert max(i.kv_blocks_used for i in timeline.iterations) == 3


def test_closed_loop_sends_the_next_request_when_one_finishes():
    requests = [Request(name, 0.0, 2, 2) for name in "abc"]
    timeline = simulate(
        requests, "decode_first", TokenCost(), max_num_batched_tokens=8, concurrency=1
    )
    assert [record.arrival_ms for record in timeline.requests] == [0, 5, 10]


def test_goodput_counts_requests_within_the_slo():
    metrics = summarize(two_requests("prefill_first"), Slo(ttft_ms=5, tpot_ms=4))
    assert metrics.slo_attainment == 0  # chat misses TPOT 13/3, long misses TTFT 10
    metrics = summarize(two_requests("decode_first"), Slo(ttft_ms=5, tpot_ms=4))
    assert metrics.slo_attainment == 0.5
