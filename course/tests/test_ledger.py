"""The ledger: lines by hand, every broken rule named, no learner's function can stop it."""

import pytest

from pdsched.ledger import BudgetSettings, open_ledger, schedule

pytestmark = pytest.mark.core

SETTINGS = BudgetSettings(
    max_num_batched_tokens=4, max_prefill_chunk_tokens=3, policy="decode_first"
)


def decode_first(suffixes, decodes, budget, chunk, **rest):
    """The simplest right plan: decodes, then chunks while the budget lasts."""
    scheduled = decodes[:budget]
    left = budget - len(scheduled)
    chunks = []
    for name, length in suffixes.items():
        tokens = min(length, chunk, left)
        if tokens:
            chunks.append({"request_id": name, "tokens": tokens})
            left -= tokens
    return plan(scheduled, chunks, budget) | {"policy": rest["policy"]}


def plan(decodes, chunks, budget):
    used = len(decodes) + sum(chunk["tokens"] for chunk in chunks)
    return {
        "max_num_batched_tokens": budget,
        "decode_request_ids": decodes,
        "prefill_chunks": chunks,
        "used_tokens": used,
        "remaining_tokens": budget - used,
    }


def test_rounds_of_five_prompt_tokens_beside_one_chat_by_hand():
    rounds = schedule(decode_first, {"p": 4, "q": 1}, ["d"], SETTINGS)

    # budget 4: d + 3 of p; then d + 1 of p + 1 of q, one token left over
    assert [(r.decodes, r.chunks, r.used_tokens, r.remaining_tokens) for r in rounds] == [
        (("d",), (("p", 3),), 4, 0),
        (("d",), (("p", 1), ("q", 1)), 3, 1),
    ]
    assert not any(r.fault for r in rounds)


def test_a_finished_prompt_decodes_from_the_next_round_on_and_may_stall():
    def prefill_only(suffixes, decodes, budget, chunk, **rest):
        name = next(iter(suffixes))
        return plan([], [{"request_id": name, "tokens": min(suffixes[name], chunk)}], budget)

    rounds = schedule(prefill_only, {"p": 3, "q": 2}, ["d"], SETTINGS)

    assert [r.stalled for r in rounds] == [("d",), ("d", "p")]


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (plan(["d"], [{"request_id": "p", "tokens": 3}], 4) | {"used_tokens": 3}, "对不上"),
        (plan(["x"], [], 4), "不该有的请求：x"),
        (plan(["d", "d"], [], 4), "排了两次"),
        (plan([], [{"request_id": "p", "tokens": 4}], 4), "块长 4 超出"),
        (plan([], [{"request_id": "p", "tokens": 0}], 4), "块长 0"),
        (
            plan(["d", "e"], [{"request_id": n, "tokens": 3} for n in "pq"], 4),
            "用了 8 个 token，超过预算 4",
        ),
        (plan([], [], 4), "什么也没排"),
        ([1, 2], "结构和约定不同"),
        ({"decode_request_ids": []}, "KeyError: 'prefill_chunks'"),
    ],
)
def test_a_broken_plan_ends_the_ledger_with_its_rule(broken, words):
    (only,) = schedule(lambda *a, **k: broken, {"p": 9, "q": 9}, ["d", "e"], SETTINGS)

    assert words in only.fault


def test_a_plan_that_crawls_is_cut_off():
    def crawl(suffixes, decodes, budget, chunk, **rest):
        return plan([], [{"request_id": "p", "tokens": 1}], budget)

    assert len(schedule(crawl, {"p": 10**6}, [], SETTINGS)) == 40


def crash(*args, **kwargs):
    raise KeyError("p")


def unwritten(*args, **kwargs):
    raise NotImplementedError


def test_each_section_says_why_it_cannot_be_written_and_the_others_go_on():
    shown = repr(
        open_ledger(
            {
                "build_chunked_prefill_plan": unwritten,
                "plan_iteration_budget": decode_first,
                "plan_pd_split": crash,
            }
        )
    )

    assert "没找到 summarize_request_mix" in shown
    assert "build_chunked_prefill_plan 还没写" in shown
    assert "a 512" in shown
    assert "plan_pd_split 运行报错：KeyError" in shown


def fewest_rules(baseline, split_run, max_handoff_ms):
    """A decision in the agreed shape, whatever its merit."""
    gain = split_run["throughput"] - baseline["throughput"]
    delta = split_run["p95_latency_ms"] - baseline["p95_latency_ms"]
    kept = split_run["handoff_ms"] <= max_handoff_ms
    return {"throughput_gain": gain, "latency_delta_ms": delta, "keep_split": kept}


def everyone_to_the_long_prompt_pool(requests, long_prompt_threshold, long_decode_threshold):
    return {"prefill_pool": [r["name"] for r in requests], "decode_pool": [], "shared_pool": []}


@pytest.mark.parametrize("broken", ["plan_iteration_budget", "plan_pd_split"])
@pytest.mark.parametrize(
    ("stand_in", "words"),
    [(unwritten, "`{}` 还没写"), (crash, "✗ `{}`"), (crash, "KeyError"), (None, "没找到 `{}`")],
)
def test_the_decision_names_the_function_it_waits_for(broken, stand_in, words):
    functions = {
        "plan_iteration_budget": decode_first,
        "plan_pd_split": everyone_to_the_long_prompt_pool,
        "evaluate_pd_decision": fewest_rules,
    }
    functions[broken] = stand_in
    if stand_in is None:
        del functions[broken]

    decision = open_ledger(functions).sections[-1].as_markdown()

    assert words.format(broken) in decision


def test_the_decision_is_the_learners_on_simulated_runs_over_three_links():
    table = (
        open_ledger(
            {
                "plan_iteration_budget": decode_first,
                "plan_pd_split": everyone_to_the_long_prompt_pool,
                "evaluate_pd_decision": fewest_rules,
            }
        )
        .sections[-1]
        .table
    )

    assert [row[0] for row in table.rows][1:] == [
        "PD · nvlink-h100",
        "PD · nic-400g",
        "PD · ethernet-25g",
    ]
    assert [row[-1] for row in table.rows] == ["–", "✓ 保留", "✗ 调整", "✗ 调整"]


def test_handoff_of_4000_tokens_over_nvlink_by_hand():
    def split(requests, long_prompt_threshold, long_decode_threshold):
        return {"prefill_pool": ["a"], "decode_pool": ["b"], "shared_pool": ["c"]}

    shown = repr(open_ledger({"plan_pd_split": split}))

    # 4,000 x 131,072 B = 524.3 MB over 360 GB/s = 1.456 ms, and 0.05 ms to set up
    assert "524     1.51" in shown


def test_chunks_that_lose_a_token_are_said_so():
    shown = repr(open_ledger({"build_chunked_prefill_plan": lambda tokens, size: [tokens[1:]]}))

    assert shown.count("各块相接不等于 suffix") == 3


def test_an_unknown_link_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="nvlink-h100"):
        open_ledger({}, link="string-and-cans")
