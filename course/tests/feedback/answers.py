"""Right answers for the tests of the checks, written differently from the notebooks'."""


def summarize_request_mix(requests, long_prompt_threshold):
    kinds = ["mixed", "decode_heavy", "prefill_heavy", "mixed"]
    found = [
        kinds[
            2 * (request.get("prompt_tokens", 0) > long_prompt_threshold)
            + (request.get("decode_tokens", 0) > long_prompt_threshold // 8)
        ]
        for request in requests
    ]
    return {kind: found.count(kind) for kind in ("prefill_heavy", "decode_heavy", "mixed")}


def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if chunk_size < 1:
        raise ValueError(chunk_size)
    rest, plan = list(suffix_tokens), []
    while rest:
        plan.append(rest[:chunk_size])
        rest = rest[chunk_size:]
    return plan


def plan_iteration_budget(  # noqa: PLR0917  the contract's own signature
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    if max_num_batched_tokens < 1 or max_prefill_chunk_tokens < 1 or decode_reserve_tokens < 0:
        raise ValueError("budget")
    if policy not in ("decode_first", "prefill_first", "balanced"):
        raise ValueError(policy)
    if any(length < 0 for length in prefill_suffixes.values()):
        raise ValueError("suffix")
    if len(set(decode_request_ids)) != len(decode_request_ids):
        raise ValueError("ids")
    first = {"decode_first": len(decode_request_ids), "prefill_first": 0}
    limit = first.get(policy, decode_reserve_tokens)
    decodes = list(decode_request_ids[: min(limit, max_num_batched_tokens)])
    left, chunks = max_num_batched_tokens - len(decodes), []
    for name, length in prefill_suffixes.items():
        size = min(length, max_prefill_chunk_tokens, left)
        if size:
            chunks.append({"request_id": name, "tokens": size})
            left -= size
    late = decode_request_ids[len(decodes) : len(decodes) + left]
    left -= len(late)
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": decodes + late,
        "prefill_chunks": chunks,
        "used_tokens": max_num_batched_tokens - left,
        "remaining_tokens": left,
    }


def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    pools = {"prefill_pool": [], "decode_pool": [], "shared_pool": []}
    for request in requests:
        long_prompt = request.get("prompt_tokens", 0) > long_prompt_threshold
        long_decode = request.get("decode_tokens", 0) > long_decode_threshold
        pool = "shared_pool"
        if long_prompt != long_decode:
            pool = "prefill_pool" if long_prompt else "decode_pool"
        pools[pool].append(request.get("name", "request"))
    return pools


def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    gain = split_run.get("throughput", 0.0) - baseline.get("throughput", 0.0)
    delta = split_run.get("p95_latency_ms", 0.0) - baseline.get("p95_latency_ms", 0.0)
    handoff = split_run.get("handoff_ms", 0.0)
    return {
        "throughput_gain": gain,
        "latency_delta_ms": delta,
        "handoff_ms": handoff,
        "keep_split": gain > 0 and delta <= 0 and handoff <= max_handoff_ms,
    }


ANSWERS = {
    1: summarize_request_mix,
    2: build_chunked_prefill_plan,
    3: plan_iteration_budget,
    4: plan_pd_split,
    5: evaluate_pd_decision,
}
