def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    if len(requests) == 0:
        return {"prefill_pool": [], "decode_pool": [], "shared_pool": []}
    if len(requests) == 1:
        (request,) = requests
        difference = (request.get("prompt_tokens", 0) > long_prompt_threshold) - (
            request.get("decode_tokens", 0) > long_decode_threshold
        )
        pool = ("shared_pool", "prefill_pool", "decode_pool")[difference]
        empty = plan_pd_split([], long_prompt_threshold, long_decode_threshold)
        return {**empty, pool: [request.get("name", "request")]}
    middle = len(requests) // 2
    left = plan_pd_split(requests[:middle], long_prompt_threshold, long_decode_threshold)
    right = plan_pd_split(requests[middle:], long_prompt_threshold, long_decode_threshold)
    return {pool: left[pool] + right[pool] for pool in left}
