"""The open challenge: scored against the best baseline, broken plans told, a file that keeps."""

import json

import pytest

pytest.importorskip("numpy", reason="the labs need the extra `labs`")

from pdsched.labs import challenge
from pdsched.labs.challenge import Score, Standing


def decode_then_prefill(  # noqa: PLR0917 -- the contract of TODO 3
    prefill_suffixes, decode_request_ids, max_num_batched_tokens, max_prefill_chunk_tokens,
    policy="balanced", decode_reserve_tokens=1,
):  # fmt: skip
    room = max_num_batched_tokens
    chosen = decode_request_ids[:room]
    room -= len(chosen)
    chunks = []
    for request_id, left in prefill_suffixes.items():
        tokens = min(left, max_prefill_chunk_tokens, room)
        if tokens > 0:
            chunks.append({"request_id": request_id, "tokens": tokens})
            room -= tokens
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": chosen,
        "prefill_chunks": chunks,
        "used_tokens": max_num_batched_tokens - room,
        "remaining_tokens": room,
    }


def smaller_iterations(
    prefill_suffixes, decode_request_ids, max_num_batched_tokens, max_prefill_chunk_tokens, **_
):
    """Leaves half of the budget unspent, so that chats wait less."""
    budget = max(1_024, len(decode_request_ids) + 64)
    plan = decode_then_prefill(
        prefill_suffixes, decode_request_ids, budget, max_prefill_chunk_tokens
    )
    idle = max_num_batched_tokens - plan["used_tokens"]
    return plan | {"max_num_batched_tokens": max_num_batched_tokens, "remaining_tokens": idle}


def test_the_plan_of_a_baseline_scores_one():
    result = challenge.score(decode_then_prefill, name="same", seeds=(0,))
    assert result.error == ""
    assert result.score == pytest.approx(1.0, abs=0.02)
    assert [each.workload for each in result.standings] == ["chat", "code", "mixed"]


def test_a_better_policy_exists_also_on_seeds_nobody_has_seen():
    assert challenge.score(smaller_iterations, seeds=(0, 77)).score > 1.05


def test_a_broken_plan_scores_nothing_and_names_the_call():
    result = challenge.score(lambda *_inputs, **_options: {"decode_request_ids": []}, name="x")
    assert result.score == 0
    assert "plan_iteration_budget(" in result.error
    with pytest.raises(ValueError, match=r".+"):
        challenge.enter(result)


def standing(ratio):
    return Standing("chat", 0, ratio, "vllm_v1", 1.0)


def test_leaderboard_keeps_the_best_of_each_name_in_order(tmp_path):
    board = tmp_path / "leaderboard.json"
    for name, points in (("甲", 1.1), ("乙", 1.3), ("甲", 1.2), ("甲", 0.9)):
        table = challenge.enter(Score(name, points, (standing(points),)), board)
    assert [(row["rank"], row["name"], row["score"]) for row in table.rows] == [
        (1, "乙", 1.3),
        (2, "甲", 1.2),
    ]
    written = json.loads(board.read_text(encoding="utf-8"))
    assert written["evidence_level"] == "simulated"
    assert written["entries"]["甲"]["standings"][0]["workload"] == "chat"


@pytest.mark.parametrize("content", ["", "[]", '{"entries": {"a": 1}}', '{"entries": {"a": {}}}'])
def test_another_file_is_not_overwritten(tmp_path, content):
    board = tmp_path / "leaderboard.json"
    board.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match="leaderboard"):
        challenge.enter(Score("a", 1.0, (standing(1.0),)), board)
    assert board.read_text(encoding="utf-8") == content
