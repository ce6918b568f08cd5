def summarize_request_mix(requests, long_prompt_threshold):
    if not requests:
        return {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
    first, *rest = requests
    totals = summarize_request_mix(rest, long_prompt_threshold)
    is_long = first.get("prompt_tokens", 0) > long_prompt_threshold
    generates = first.get("decode_tokens", 0) > long_prompt_threshold // 8
    if is_long and not generates:
        kind = "prefill_heavy"
    elif generates and not is_long:
        kind = "decode_heavy"
    else:
        kind = "mixed"
    return {**totals, kind: totals[kind] + 1}
