"""Typical wrong answers of TODO 3: what went wrong in the learner's mind, and what it earns.

Each is the plain solution with a few edits. ``fails`` are the test cells it loses, all others it
keeps; ``shows`` is the smallest failing call that `pdsched.feedback.check` puts before the learner.
"""

WRONG = (
    dict(
        name="decodes_ignore_the_budget",
        why="all decodes enter, however small the budget",
        edits=(("if remaining == 0 or limit == 0:", "if limit == 0:"),),
        fails=(
            "todo3_decode_first",
            "todo3_prefill_first",
            "todo3_balanced_reserve",
            "todo3_budget_conserved",
            "todo3_no_idle_budget",
        ),
        score=3,
        verdict="wrong_value",
        shows="plan_iteration_budget({}, ['d1', 'd4'], 1, 1, policy='decode_first', decode_reserve_tokens=0)",
    ),
    dict(
        name="no_decodes_after_the_reserve",
        why="balanced stops after the chunks",
        edits=(
            (
                "        place_decodes(decode_reserve_tokens)\n        place_chunks()\n        place_decodes(everyone)",
                "        place_decodes(decode_reserve_tokens)\n        place_chunks()",
            ),
        ),
        fails=("todo3_balanced_reserve", "todo3_no_idle_budget"),
        score=9,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 1}, ['d1', 'd2'], 3, 1)",
    ),
    dict(
        name="decodes_the_reserve_twice",
        why="the last step starts again at the front",
        edits=(("            if request_id in scheduled:\n                continue\n", ""),),
        fails=("todo3_balanced_reserve", "todo3_no_idle_budget"),
        score=9,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 1}, ['d1', 'd2'], 3, 1)",
    ),
    dict(
        name="reserve_ignored",
        why="balanced behaves like prefill_first",
        edits=(("        place_decodes(decode_reserve_tokens)\n", ""),),
        fails=("todo3_balanced_reserve",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 2}, ['d1', 'd2', 'd3'], 3, 2, decode_reserve_tokens=2, policy='balanced')",
    ),
    dict(
        name="balanced_is_decode_first",
        why="the reserve does not limit the first step",
        edits=(("place_decodes(decode_reserve_tokens)", "place_decodes(everyone)"),),
        fails=("todo3_balanced_reserve",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 1}, ['d1', 'd2'], 2, 1)",
    ),
    dict(
        name="balanced_after_prefill",
        why="the reserve comes after the chunks",
        edits=(
            (
                "        place_decodes(decode_reserve_tokens)\n        place_chunks()",
                "        place_chunks()\n        place_decodes(decode_reserve_tokens)",
            ),
        ),
        fails=("todo3_balanced_reserve",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 2}, ['d1', 'd2', 'd3'], 3, 2, decode_reserve_tokens=2, policy='balanced')",
    ),
    dict(
        name="reserve_stays_idle",
        why="the reserve is kept free even without decodes",
        edits=(
            (
                "        place_chunks()\n        place_decodes(everyone)\n    return",
                "        held = max(0, min(decode_reserve_tokens, remaining) - everyone)\n        remaining -= held\n        place_chunks()\n        place_decodes(everyone)\n        remaining += held\n    return",
            ),
        ),
        fails=("todo3_balanced_reserve", "todo3_no_idle_budget"),
        score=9,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 2}, ['d1'], 3, 2, decode_reserve_tokens=5, policy='balanced')",
    ),
    dict(
        name="chunk_cap_ignored",
        why="a chunk takes the whole budget",
        edits=(("min(length, max_prefill_chunk_tokens, remaining)", "min(length, remaining)"),),
        fails=(
            "todo3_decode_first",
            "todo3_prefill_first",
            "todo3_balanced_reserve",
            "todo3_no_idle_budget",
        ),
        score=5,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 3}, [], 4, 2, policy='decode_first')",
    ),
    dict(
        name="several_chunks_each",
        why="goes round until the budget is used up",
        edits=(
            (
                '        for request_id, length in prefill_suffixes.items():\n            tokens = min(length, max_prefill_chunk_tokens, remaining)\n            if tokens == 0:\n                continue\n            chunks.append({"request_id": request_id, "tokens": tokens})\n            remaining -= tokens',
                '        left = dict(prefill_suffixes)\n        while remaining and any(left.values()):\n            for request_id in left:\n                tokens = min(left[request_id], max_prefill_chunk_tokens, remaining)\n                if tokens == 0:\n                    continue\n                chunks.append({"request_id": request_id, "tokens": tokens})\n                remaining -= tokens\n                left[request_id] -= tokens',
            ),
        ),
        fails=(
            "todo3_decode_first",
            "todo3_prefill_first",
            "todo3_balanced_reserve",
            "todo3_no_idle_budget",
        ),
        score=5,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 3}, [], 4, 2, policy='decode_first')",
    ),
    dict(
        name="empty_chunks",
        why="a suffix of length 0 gets a chunk of 0 tokens",
        edits=(("            if tokens == 0:\n                continue\n", ""),),
        fails=("todo3_decode_first", "todo3_prefill_first", "todo3_balanced_reserve"),
        score=6,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 1}, ['d1'], 1, 1, policy='decode_first')",
    ),
    dict(
        name="stops_at_an_empty_suffix",
        why="break instead of continue",
        edits=(
            (
                "            if tokens == 0:\n                continue",
                "            if tokens == 0:\n                break",
            ),
        ),
        fails=(
            "todo3_decode_first",
            "todo3_prefill_first",
            "todo3_balanced_reserve",
            "todo3_no_idle_budget",
        ),
        score=5,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p3': 0, 'p1': 1}, [], 1, 1, policy='decode_first', decode_reserve_tokens=0)",
    ),
    dict(
        name="one_token_short",
        why="the budget is read as exclusive",
        edits=(
            (
                "    remaining = max_num_batched_tokens\n",
                "    remaining = max_num_batched_tokens - 1\n",
            ),
        ),
        fails=(
            "todo3_decode_first",
            "todo3_prefill_first",
            "todo3_balanced_reserve",
            "todo3_budget_conserved",
            "todo3_no_idle_budget",
        ),
        score=3,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 1}, ['d1'], 1, 1, policy='decode_first')",
    ),
    dict(
        name="used_counts_requests",
        why="used_tokens counts pieces instead of tokens",
        edits=(
            (
                '"used_tokens": max_num_batched_tokens - remaining',
                '"used_tokens": len(scheduled) + len(chunks)',
            ),
        ),
        fails=("todo3_budget_conserved",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 5}, ['d1'], 4, 2, policy='balanced')",
    ),
    dict(
        name="all_or_nothing_chunks",
        why="a chunk that does not fit is skipped instead of cut",
        edits=(
            (
                "            tokens = min(length, max_prefill_chunk_tokens, remaining)\n            if tokens == 0:",
                "            tokens = min(length, max_prefill_chunk_tokens)\n            if tokens == 0 or tokens > remaining:",
            ),
        ),
        fails=(
            "todo3_decode_first",
            "todo3_prefill_first",
            "todo3_balanced_reserve",
            "todo3_no_idle_budget",
        ),
        score=5,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 5, 'p2': 2}, ['d1', 'd2'], 3, 2, policy='decode_first')",
    ),
    dict(
        name="no_decodes_after_prefill",
        why="prefill_first leaves the rest of the budget idle",
        edits=(
            (
                "        place_chunks()\n        place_decodes(everyone)\n    else",
                "        place_chunks()\n    else",
            ),
        ),
        fails=("todo3_prefill_first", "todo3_no_idle_budget"),
        score=9,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 0}, ['d1'], 1, 1, policy='prefill_first')",
    ),
    dict(
        name="duplicates_accepted",
        why="repeated decode ids are not refused",
        edits=(
            (
                '    if len(set(decode_request_ids)) != len(decode_request_ids):\n        raise ValueError("decode_request_ids")\n',
                "",
            ),
        ),
        fails=("todo3_rejects_bad_input",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({}, ['d', 'd'], 1, 1, policy='decode_first')",
    ),
    dict(
        name="negative_suffix_accepted",
        why="a negative suffix counts as empty",
        edits=(
            (
                '    for length in prefill_suffixes.values():\n        if length < 0:\n            raise ValueError("prefill_suffixes")\n',
                "",
            ),
            ("if tokens == 0:", "if tokens <= 0:"),
        ),
        fails=("todo3_rejects_bad_input",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p': -1}, [], 2, 1, policy='balanced')",
    ),
    dict(
        name="negative_reserve_accepted",
        why="the reserve is not checked",
        edits=(
            (
                '    if decode_reserve_tokens < 0:\n        raise ValueError("decode_reserve_tokens")\n',
                "",
            ),
        ),
        fails=("todo3_rejects_bad_input",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({}, [], 1, 1, policy='decode_first', decode_reserve_tokens=-1)",
    ),
    dict(
        name="unknown_policy_is_balanced",
        why="the else branch takes every name",
        edits=(
            (
                '    if policy not in ("decode_first", "prefill_first", "balanced"):\n        raise ValueError("policy")\n',
                "",
            ),
        ),
        fails=("todo3_rejects_bad_input",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p': 1}, [], 2, 1, policy='unknown')",
    ),
    dict(
        name="refuses_small_budgets",
        why="a reserve above the budget counts as an error",
        edits=(
            (
                "    if decode_reserve_tokens < 0:",
                "    if decode_reserve_tokens < 0 or decode_reserve_tokens > max_num_batched_tokens:",
            ),
        ),
        fails=("todo3_balanced_reserve", "todo3_rejects_bad_input"),
        score=8,
        verdict="raised",
        shows="plan_iteration_budget({}, [], 1, 1, policy='decode_first', decode_reserve_tokens=2)",
    ),
    dict(
        name="other_defaults",
        why="the default policy is decode_first",
        edits=(('policy="balanced"', 'policy="decode_first"'),),
        fails=("todo3_balanced_reserve",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 1}, ['d1', 'd2'], 2, 1)",
    ),
    dict(
        name="takes_from_the_suffixes",
        why="subtracts from the caller's dict",
        edits=(
            (
                "            remaining -= tokens\n",
                "            remaining -= tokens\n            prefill_suffixes[request_id] -= tokens\n",
            ),
        ),
        fails=("todo3_pure",),
        score=11,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 5, 'p2': 2}, ['d2', 'd1'], 4, 2, policy='decode_first')",
    ),
    dict(
        name="pairs_instead_of_dicts",
        why="chunks are (id, tokens) tuples",
        edits=(
            (
                'chunks.append({"request_id": request_id, "tokens": tokens})',
                "chunks.append((request_id, tokens))",
            ),
        ),
        fails=(
            "todo3_decode_first",
            "todo3_prefill_first",
            "todo3_balanced_reserve",
            "todo3_budget_conserved",
            "todo3_no_idle_budget",
        ),
        score=3,
        verdict="wrong_type",
        shows="plan_iteration_budget({'p1': 1}, ['d1'], 2, 1, policy='decode_first')",
    ),
    dict(
        name="shortest_first",
        why="reorders the prefill requests by length",
        edits=(
            (
                "in prefill_suffixes.items():\n            tokens",
                "in sorted(prefill_suffixes.items(), key=lambda pair: pair[1]):\n            tokens",
            ),
        ),
        fails=("todo3_decode_first", "todo3_prefill_first", "todo3_balanced_reserve"),
        score=6,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 5, 'p2': 2}, ['d1', 'd2'], 3, 2, policy='decode_first')",
    ),
    dict(
        name="sorted_decodes",
        why="reorders the decode ids",
        edits=(
            (
                "for request_id in decode_request_ids:",
                "for request_id in sorted(decode_request_ids):",
            ),
        ),
        fails=("todo3_decode_first", "todo3_prefill_first", "todo3_balanced_reserve"),
        score=6,
        verdict="wrong_value",
        shows="plan_iteration_budget({}, ['d3', 'd1'], 1, 1, policy='decode_first', decode_reserve_tokens=0)",
    ),
    dict(
        name="no_policy_field",
        why="forgets to record the policy",
        edits=(('        "policy": policy,\n', ""),),
        fails=("todo3_budget_conserved",),
        score=10,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 5}, ['d1'], 4, 2, policy='balanced')",
    ),
    dict(
        name="pops_the_decodes",
        why="takes the ids out of the caller's list",
        edits=(
            (
                "    scheduled = []\n",
                "    scheduled = []\n    waiting, decode_request_ids = decode_request_ids, list(decode_request_ids)\n",
            ),
            ("    return {\n", "    del waiting[: len(scheduled)]\n    return {\n"),
        ),
        fails=("todo3_pure",),
        score=11,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 5, 'p2': 2}, ['d2', 'd1'], 4, 2, policy='decode_first')",
    ),
    dict(
        name="sorts_the_decodes_in_place",
        why="sorts the caller's list, then plans in the old order",
        edits=(
            (
                "    scheduled = []\n",
                "    scheduled = []\n    waiting, decode_request_ids = decode_request_ids, list(decode_request_ids)\n    waiting.sort()\n",
            ),
        ),
        fails=("todo3_pure",),
        score=11,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 5, 'p2': 2}, ['d2', 'd1'], 4, 2, policy='decode_first')",
    ),
    dict(
        name="remembers_the_last_round",
        why="carries what is left into the next round",
        edits=(
            (
                "    remaining = max_num_batched_tokens\n",
                "    remaining = max_num_batched_tokens + saved.pop()\n    saved.append(0)\n",
            ),
            ("    return {\n", "    saved[0] = remaining\n    return {\n"),
            ("def plan", "saved = [0]\n\n\ndef plan"),
        ),
        fails=(
            "todo3_decode_first",
            "todo3_prefill_first",
            "todo3_balanced_reserve",
            "todo3_budget_conserved",
            "todo3_no_idle_budget",
            "todo3_pure",
        ),
        score=2,
        verdict="wrong_value",
        shows="plan_iteration_budget({'p1': 5, 'p2': 2}, ['d1', 'd2'], 3, 2, policy='decode_first')",
    ),
)
