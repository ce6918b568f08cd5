def plan_iteration_budget(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    table = {
        "decode_first": ["decode", "prefill"],
        "prefill_first": ["prefill", "decode"],
        "balanced": ["reserve", "prefill", "decode"],
    }
    try:
        phases = table[policy]
    except KeyError:
        raise ValueError("policy") from None
    if max_num_batched_tokens <= 0 or max_prefill_chunk_tokens <= 0:
        raise ValueError("budget")
    if decode_reserve_tokens < 0:
        raise ValueError("reserve")
    if sum(1 for n in prefill_suffixes.values() if n < 0):
        raise ValueError("suffix")
    if len(set(decode_request_ids)) - len(decode_request_ids):
        raise ValueError("ids")
    plan = {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": [],
        "prefill_chunks": [],
        "used_tokens": 0,
        "remaining_tokens": max_num_batched_tokens,
    }

    def spend(tokens):
        plan["used_tokens"] += tokens
        plan["remaining_tokens"] -= tokens

    for phase in phases:
        if phase == "prefill":
            for rid in prefill_suffixes:
                tokens = min(
                    prefill_suffixes[rid], max_prefill_chunk_tokens, plan["remaining_tokens"]
                )
                if tokens >= 1:
                    plan["prefill_chunks"] += [{"request_id": rid, "tokens": tokens}]
                    spend(tokens)
        else:
            done = len(plan["decode_request_ids"])
            limit = decode_reserve_tokens if phase == "reserve" else len(decode_request_ids)
            for rid in decode_request_ids[done : done + limit]:
                if plan["remaining_tokens"] > 0:
                    plan["decode_request_ids"] += [rid]
                    spend(1)
    return plan
