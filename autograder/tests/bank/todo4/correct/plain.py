def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    prefill_pool = []
    decode_pool = []
    shared_pool = []
    for request in requests:
        name = request.get("name", "request")
        prompt_tokens = request.get("prompt_tokens", 0)
        decode_tokens = request.get("decode_tokens", 0)
        if prompt_tokens > long_prompt_threshold and decode_tokens <= long_decode_threshold:
            prefill_pool.append(name)
        elif decode_tokens > long_decode_threshold and prompt_tokens <= long_prompt_threshold:
            decode_pool.append(name)
        else:
            shared_pool.append(name)
    return {
        "prefill_pool": prefill_pool,
        "decode_pool": decode_pool,
        "shared_pool": shared_pool,
    }
