def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    if not isinstance(requests, (list, tuple)):
        raise TypeError("requests")
    pools = {"prefill_pool": [], "decode_pool": [], "shared_pool": []}
    placed = 0
    for request in requests:
        request = dict(request)
        name = request.setdefault("name", "request")
        prompt = max(0, int(request.setdefault("prompt_tokens", 0)))
        decode = max(0, int(request.setdefault("decode_tokens", 0)))
        long_prompt, long_decode = prompt > long_prompt_threshold, decode > long_decode_threshold
        if long_prompt and long_decode:
            pools["shared_pool"].append(name)
        elif long_prompt:
            pools["prefill_pool"].append(name)
        elif long_decode:
            pools["decode_pool"].append(name)
        else:
            pools["shared_pool"].append(name)
        placed += 1
    assert sum(len(pool) for pool in pools.values()) == placed == len(requests)
    return pools
