def plan_iteration_budget(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    if max_num_batched_tokens <= 0:
        raise ValueError("max_num_batched_tokens")
    if max_prefill_chunk_tokens <= 0:
        raise ValueError("max_prefill_chunk_tokens")
    if decode_reserve_tokens < 0:
        raise ValueError("decode_reserve_tokens")
    if policy not in ("decode_first", "prefill_first", "balanced"):
        raise ValueError("policy")
    for length in prefill_suffixes.values():
        if length < 0:
            raise ValueError("prefill_suffixes")
    if len(set(decode_request_ids)) != len(decode_request_ids):
        raise ValueError("decode_request_ids")

    remaining = max_num_batched_tokens
    scheduled = []
    chunks = []

    def place_decodes(limit):
        nonlocal remaining
        for request_id in decode_request_ids:
            if remaining == 0 or limit == 0:
                break
            if request_id in scheduled:
                continue
            scheduled.append(request_id)
            remaining -= 1
            limit -= 1

    def place_chunks():
        nonlocal remaining
        for request_id, length in prefill_suffixes.items():
            tokens = min(length, max_prefill_chunk_tokens, remaining)
            if tokens == 0:
                continue
            chunks.append({"request_id": request_id, "tokens": tokens})
            remaining -= tokens

    everyone = len(decode_request_ids)
    if policy == "decode_first":
        place_decodes(everyone)
        place_chunks()
    elif policy == "prefill_first":
        place_chunks()
        place_decodes(everyone)
    else:
        place_decodes(decode_reserve_tokens)
        place_chunks()
        place_decodes(everyone)
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": scheduled,
        "prefill_chunks": chunks,
        "used_tokens": max_num_batched_tokens - remaining,
        "remaining_tokens": remaining,
    }
