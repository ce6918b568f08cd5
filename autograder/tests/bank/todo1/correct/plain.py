def summarize_request_mix(requests, long_prompt_threshold):
    long_decode_threshold = long_prompt_threshold // 8
    result = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
    for request in requests:
        prompt_tokens = request.get("prompt_tokens", 0)
        decode_tokens = request.get("decode_tokens", 0)
        if prompt_tokens > long_prompt_threshold and decode_tokens <= long_decode_threshold:
            result["prefill_heavy"] += 1
        elif decode_tokens > long_decode_threshold and prompt_tokens <= long_prompt_threshold:
            result["decode_heavy"] += 1
        else:
            result["mixed"] += 1
    return result
