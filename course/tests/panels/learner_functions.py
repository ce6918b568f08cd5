"""Functions a learner might have written, right and wrong in known ways."""

import time


def right_mix(requests, long_prompt_threshold):
    counts = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
    for request in requests:
        long_prompt = request["prompt_tokens"] > long_prompt_threshold
        long_output = request["decode_tokens"] > long_prompt_threshold // 8
        if long_prompt and not long_output:
            counts["prefill_heavy"] += 1
        elif long_output and not long_prompt:
            counts["decode_heavy"] += 1
        else:
            counts["mixed"] += 1
    return counts


def natural_mix(requests, long_prompt_threshold):
    """The reading the chapter does not mean: the same threshold for the output."""
    counts = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
    for request in requests:
        long_prompt = request["prompt_tokens"] > long_prompt_threshold
        long_output = request["decode_tokens"] > long_prompt_threshold
        if long_prompt == long_output:
            counts["mixed"] += 1
        else:
            counts["prefill_heavy" if long_prompt else "decode_heavy"] += 1
    return counts


def right_chunks(suffix_tokens, chunk_size):
    return [suffix_tokens[i : i + chunk_size] for i in range(0, len(suffix_tokens), chunk_size)]


def lost_tail(suffix_tokens, chunk_size):
    full = len(suffix_tokens) // chunk_size
    return [suffix_tokens[i * chunk_size : (i + 1) * chunk_size] for i in range(full)]


def unwritten(*_args, **_kwargs):
    raise NotImplementedError


def raises(*_args, **_kwargs):
    return {}["no such key"]


def hangs(*_args, **_kwargs):
    while True:
        try:
            pass
        except Exception:  # as learners write it
            continue


def sleeps(*_args, **_kwargs):
    time.sleep(30)


def right_plan(  # noqa: PLR0917 -- the contract of TODO 3
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    left = max_num_batched_tokens
    decodes, chunks = [], []

    def take_decodes(most):
        nonlocal left
        more = decode_request_ids[len(decodes) :][: max(0, min(most, left))]
        decodes.extend(more)
        left -= len(more)

    def take_prefill():
        nonlocal left
        for name, suffix in prefill_suffixes.items():
            tokens = min(suffix, max_prefill_chunk_tokens, left)
            if tokens > 0:
                chunks.append({"request_id": name, "tokens": tokens})
                left -= tokens

    everyone = len(decode_request_ids)
    if policy != "prefill_first":
        take_decodes(everyone if policy == "decode_first" else decode_reserve_tokens)
    take_prefill()
    take_decodes(everyone)
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": decodes,
        "prefill_chunks": chunks,
        "used_tokens": max_num_batched_tokens - left,
        "remaining_tokens": left,
    }


def over_budget(  # noqa: PLR0917 -- the contract of TODO 3
    suffixes, ready, budget, cap, policy="balanced", decode_reserve_tokens=1
):
    """Chunks as if no decode had taken anything."""
    plan = right_plan(suffixes, ready, budget, cap, policy, decode_reserve_tokens)
    alone = right_plan(suffixes, [], budget, cap, policy, decode_reserve_tokens)
    used = len(ready) + alone["used_tokens"]
    return {
        **plan,
        "decode_request_ids": list(ready),
        "prefill_chunks": alone["prefill_chunks"],
        "used_tokens": used,
        "remaining_tokens": budget - used,
    }


def right_split(requests, long_prompt_threshold, long_decode_threshold):
    pools = {"prefill_pool": [], "decode_pool": [], "shared_pool": []}
    for request in requests:
        long_prompt = request["prompt_tokens"] > long_prompt_threshold
        long_decode = request["decode_tokens"] > long_decode_threshold
        if long_prompt and not long_decode:
            pools["prefill_pool"].append(request["name"])
        elif long_decode and not long_prompt:
            pools["decode_pool"].append(request["name"])
        else:
            pools["shared_pool"].append(request["name"])
    return pools


def careless_split(requests, long_prompt_threshold, long_decode_threshold):
    """Loses the last request and puts the first into a second pool."""
    pools = right_split(requests[:-1], long_prompt_threshold, long_decode_threshold)
    first = requests[0]["name"]
    pools["prefill_pool" if first not in pools["prefill_pool"] else "decode_pool"].append(first)
    return pools


def right_decision(baseline, split_run, max_handoff_ms):
    gain = split_run["throughput"] - baseline["throughput"]
    delta_ms = split_run["p95_latency_ms"] - baseline["p95_latency_ms"]
    handoff_ms = split_run["handoff_ms"]
    return {
        "throughput_gain": gain,
        "latency_delta_ms": delta_ms,
        "handoff_ms": handoff_ms,
        "keep_split": gain > 0 and delta_ms <= 0 and handoff_ms <= max_handoff_ms,
    }


def throughput_only(baseline, split_run, max_handoff_ms):
    decided = right_decision(baseline, split_run, max_handoff_ms)
    return {**decided, "keep_split": decided["throughput_gain"] > 0}
