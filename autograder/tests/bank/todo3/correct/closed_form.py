def plan_iteration_budget(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    budget, n = max_num_batched_tokens, len(decode_request_ids)
    early = {"decode_first": n, "prefill_first": 0, "balanced": decode_reserve_tokens}
    if (
        budget < 1
        or max_prefill_chunk_tokens < 1
        or decode_reserve_tokens < 0
        or policy not in early
        or any(s < 0 for s in prefill_suffixes.values())
        or len({*decode_request_ids}) < n
    ):
        raise ValueError("bad iteration")
    head = min(early[policy], n, budget)
    room, chunks = budget - head, []
    for rid, suffix in prefill_suffixes.items():
        if tokens := min(suffix, max_prefill_chunk_tokens, room):
            chunks.append(dict(request_id=rid, tokens=tokens))
            room -= tokens
    tail = min(n - head, room)
    return dict(
        policy=policy,
        max_num_batched_tokens=budget,
        decode_request_ids=decode_request_ids[: head + tail],
        prefill_chunks=chunks,
        used_tokens=budget - room + tail,
        remaining_tokens=room - tail,
    )
