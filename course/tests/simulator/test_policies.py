"""What sets the policies apart, by hand: 1 ms an iteration and 1 ms a token."""

import sys
from pathlib import Path

import pytest

from pdsched.kvcache import KVCache
from pdsched.scheduler import NAMES, make
from pdsched.simulator import simulate
from pdsched.workload import Request

sys.path.insert(0, str(Path(__file__).parent))
from costs import TokenCost

pytestmark = pytest.mark.core

CHAT_AND_LONG = (Request("chat", 0.0, 1, 6), Request("long", 3.0, 10, 2))


def shape(policy, requests=CHAT_AND_LONG, budget=4, **options):
    """Each iteration as 'decodes | chunks'."""
    timeline = simulate(requests, policy, TokenCost(), max_num_batched_tokens=budget, **options)
    return [
        " ".join([*i.decodes, "|", *(f"{c.request_id}:{c.num_tokens}" for c in i.prefills)])
        for i in timeline.iterations
    ]


def test_sglang_prefills_or_decodes_never_both():
    assert shape("sglang") == [
        "| chat:1",
        "chat |",
        "| long:4",
        "| long:4",
        "| long:2",
        "chat long |",
        "chat |",
        "chat |",
        "chat |",
    ]


def test_sglang_mixed_takes_the_decodes_along_and_counts_them():
    assert shape("sglang_mixed") == [
        "| chat:1",
        "chat |",
        "chat | long:3",
        "chat | long:3",
        "chat | long:3",
        "chat | long:1",
        "long |",
    ]


def test_sglang_has_one_partial_prefill_at_a_time():
    requests = [Request("a", 0.0, 6, 1), Request("b", 0.0, 6, 1)]
    assert shape("sglang", requests) == ["| a:4", "| a:2 b:2", "| b:4"]


def test_sglang_retracts_the_least_output_to_the_tail_of_the_queue():
    requests = [Request("a", 0.0, 24, 12), Request("b", 26.0, 14, 14), Request("c", 27.0, 4, 3)]
    timeline = simulate(
        requests,
        make("sglang", schedule_conservativeness=0.1),
        TokenCost(),
        max_num_batched_tokens=64,
        max_num_seqs=2,
        kv=KVCache(4),
    )
    a, b, c = timeline.requests
    assert (a.preemptions, b.preemptions, c.preemptions) == (0, 1, 0)
    assert c.first_scheduled_ms < b.finish_ms  # c was behind b, and is now before it


def test_sglang_holds_back_what_would_not_fit_with_its_output():
    requests = [Request("a", 0.0, 16, 2), Request("b", 0.0, 16, 64)]
    spare = KVCache(5)  # b's 16 + 64 tokens never fit beside a
    timeline = simulate(requests, "sglang", TokenCost(), max_num_batched_tokens=64, kv=spare)
    assert timeline.requests[1].first_scheduled_ms == timeline.requests[0].finish_ms


def test_sarathi_serves_decodes_then_started_then_new_prefills():
    requests = [*CHAT_AND_LONG, Request("next", 3.0, 2, 1)]
    assert shape("sarathi", requests) == [
        "| chat:1",
        "chat |",
        "chat | long:3",
        "chat | long:3",
        "chat | long:3",
        "chat | long:1 next:2",
        "long |",
    ]


def test_orca_takes_whole_prompts_beside_decodes():
    assert shape("orca_hybrid", budget=11) == [
        "| chat:1",
        "chat |",
        "chat | long:10",
        "chat long |",
        "chat |",
        "chat |",
    ]


def test_orca_reserves_memory_to_the_last_token():
    requests = [Request("a", 0.0, 16, 17), Request("b", 0.0, 16, 2)]
    timeline = simulate(
        requests, "orca_hybrid", TokenCost(), max_num_batched_tokens=64, kv=KVCache(3)
    )
    assert timeline.requests[1].first_scheduled_ms == timeline.requests[0].finish_ms
    vllm = simulate(requests, "vllm_v1", TokenCost(), max_num_batched_tokens=64, kv=KVCache(3))
    assert vllm.requests[1].first_scheduled_ms == 0


def test_vllm_lets_an_earlier_partial_prefill_go_before_a_later_decode():
    requests = [Request("long", 0.0, 20, 1), Request("chat", 0.0, 1, 6)]
    options = {"long_prefill_token_threshold": 3}
    assert shape(make("vllm_v1", **options), requests, budget=4)[:3] == [
        "| long:3 chat:1",
        "chat | long:3",
        "chat | long:3",
    ]
    assert shape(make("vllm_v1", **options), requests, budget=3)[:2] == ["| long:3", "| long:3"]
    assert shape("sarathi", requests, budget=3)[:2] == ["| long:3", "| long:3"]


def test_the_threshold_lets_short_prompts_pass_a_long_one():
    requests = [Request("long", 0.0, 40, 1), *(Request(f"s{n}", 1.0, 2, 1) for n in range(3))]
    plain = simulate(requests, "vllm_v1", TokenCost(), max_num_batched_tokens=8)
    capped = simulate(
        requests,
        make("vllm_v1", long_prefill_token_threshold=4),
        TokenCost(),
        max_num_batched_tokens=8,
    )
    assert capped.requests[3].ttft_ms() < plain.requests[3].ttft_ms() / 2


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_has_a_name_and_serves_a_request_alone(name):
    timeline = simulate([Request("a", 5.0, 7, 3)], name, TokenCost(), max_num_batched_tokens=7)
    assert timeline.scheduler == name
    assert timeline.token_times("a") == [13, 15, 17]


def test_an_unknown_policy_is_refused_by_name():
    with pytest.raises(ValueError, match=r"'round_robin'; known: decode_first"):
        make("round_robin")


@pytest.mark.parametrize(
    ("name", "options", "error"),
    [
        ("balanced", {"max_prefill_chunk_tokens": 0}, "max_prefill_chunk_tokens"),
        ("balanced", {"decode_reserve_tokens": -1}, "decode_reserve_tokens"),
        ("vllm_v1", {"long_prefill_token_threshold": -1}, "long_prefill_token_threshold"),
        ("sglang", {"max_prefill_tokens": 0}, "max_prefill_tokens"),
        ("sglang", {"schedule_conservativeness": 0.0}, "schedule_conservativeness"),
    ],
)
def test_impossible_settings_are_refused(name, options, error):
    with pytest.raises(ValueError, match=error):
        make(name, **options)
