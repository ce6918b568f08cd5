def _chunks(items, cap, left):
    if not items:
        return []
    (name, length), *rest = items
    tokens = min(length, cap, left)
    mine = [{"request_id": name, "tokens": tokens}] if tokens else []
    return mine + _chunks(rest, cap, left - tokens)


def plan_iteration_budget(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    bad = (
        max_num_batched_tokens <= 0
        or max_prefill_chunk_tokens <= 0
        or decode_reserve_tokens < 0
        or policy not in ["decode_first", "prefill_first", "balanced"]
        or [v for v in prefill_suffixes.values() if v < 0]
        or sorted(set(decode_request_ids)) != sorted(decode_request_ids)
    )
    if bad:
        raise ValueError("out of contract")
    if policy == "decode_first":
        first = decode_request_ids[:max_num_batched_tokens]
    elif policy == "prefill_first":
        first = []
    else:
        first = decode_request_ids[: min(decode_reserve_tokens, max_num_batched_tokens)]
    left = max_num_batched_tokens - len(first)
    chunks = _chunks(list(prefill_suffixes.items()), max_prefill_chunk_tokens, left)
    left -= sum(c["tokens"] for c in chunks)
    later = decode_request_ids[len(first) :][:left]
    left -= len(later)
    return {
        "remaining_tokens": left,
        "used_tokens": max_num_batched_tokens - left,
        "prefill_chunks": chunks,
        "decode_request_ids": first + later,
        "max_num_batched_tokens": max_num_batched_tokens,
        "policy": policy,
    }
