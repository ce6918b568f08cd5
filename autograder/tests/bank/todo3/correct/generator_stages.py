from itertools import islice


def _grants(stages, budget):
    """Yield (kind, name, tokens) while budget is left."""
    for stage in stages:
        for kind, name, wanted in stage:
            granted = min(wanted, budget)
            if granted > 0:
                budget -= granted
                yield kind, name, granted


def plan_iteration_budget(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    if not (max_num_batched_tokens > 0 and max_prefill_chunk_tokens > 0):
        raise ValueError("budget and cap must be positive")
    if decode_reserve_tokens < 0 or min([0, *prefill_suffixes.values()]) < 0:
        raise ValueError("negative")
    if len(dict.fromkeys(decode_request_ids)) < len(decode_request_ids):
        raise ValueError("duplicates")
    decodes = iter([("decode", name, 1) for name in decode_request_ids])
    prefill = (
        ("prefill", name, min(length, max_prefill_chunk_tokens))
        for name, length in prefill_suffixes.items()
    )
    match policy:
        case "decode_first":
            stages = (decodes, prefill)
        case "prefill_first":
            stages = (prefill, decodes)
        case "balanced":
            stages = (islice(decodes, decode_reserve_tokens), prefill, decodes)
        case _:
            raise ValueError(policy)
    grants = list(_grants(stages, max_num_batched_tokens))
    used = sum(tokens for _, _, tokens in grants)
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": [name for kind, name, _ in grants if kind == "decode"],
        "prefill_chunks": [
            {"request_id": name, "tokens": tokens}
            for kind, name, tokens in grants
            if kind == "prefill"
        ],
        "used_tokens": used,
        "remaining_tokens": max_num_batched_tokens - used,
    }
