import numpy as np


def plan_iteration_budget(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    lengths = np.array(list(prefill_suffixes.values()), dtype=int)
    if max_num_batched_tokens <= 0 or max_prefill_chunk_tokens <= 0 or decode_reserve_tokens < 0:
        raise ValueError("limits")
    if policy not in ("decode_first", "prefill_first", "balanced") or (lengths < 0).any():
        raise ValueError("policy or suffix")
    if np.unique(np.array(decode_request_ids, dtype=object)).size != len(decode_request_ids):
        raise ValueError("duplicate decode ids")
    wanted = {"decode_first": len(decode_request_ids), "prefill_first": 0}
    head = min(wanted.get(policy, decode_reserve_tokens), len(decode_request_ids))
    head = min(head, max_num_batched_tokens)
    capped = np.minimum(lengths, max_prefill_chunk_tokens)
    ends = np.minimum(np.cumsum(capped), max_num_batched_tokens - head)
    sizes = np.diff(ends, prepend=0)
    chunks = [
        {"request_id": name, "tokens": size}
        for name, size in zip(prefill_suffixes, sizes)
        if size > 0
    ]
    left = max_num_batched_tokens - head - sizes.sum()
    decodes = decode_request_ids[: head + int(left)]
    used = sizes.sum() + len(decodes)
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": decodes,
        "prefill_chunks": chunks,
        "used_tokens": used,
        "remaining_tokens": max_num_batched_tokens - used,
    }
