"""Hands out the budget one token at a time."""

POLICIES = {"decode_first": "DP", "prefill_first": "PD", "balanced": "RPD"}


def plan_iteration_budget(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    if policy not in POLICIES:
        raise ValueError(policy)
    if min(max_num_batched_tokens, max_prefill_chunk_tokens) <= 0 or decode_reserve_tokens < 0:
        raise ValueError("limits")
    if any(length < 0 for length in prefill_suffixes.values()):
        raise ValueError("negative suffix")
    if any(decode_request_ids.count(name) > 1 for name in decode_request_ids):
        raise ValueError("duplicate")
    decodes, taken = [], {}

    def next_owner(phase):
        if phase == "P":
            for name, length in prefill_suffixes.items():
                if taken.get(name, 0) < min(length, max_prefill_chunk_tokens):
                    return name
            return None
        if len(decodes) < len(decode_request_ids):
            if phase == "R" and len(decodes) >= decode_reserve_tokens:
                return None
            return decode_request_ids[len(decodes)]
        return None

    left = max_num_batched_tokens
    for phase in POLICIES[policy]:
        while left and (owner := next_owner(phase)) is not None:
            if phase == "P":
                taken[owner] = taken.get(owner, 0) + 1
            else:
                decodes.append(owner)
            left -= 1
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": decodes,
        "prefill_chunks": [{"request_id": n, "tokens": t} for n, t in taken.items()],
        "used_tokens": max_num_batched_tokens - left,
        "remaining_tokens": left,
    }
