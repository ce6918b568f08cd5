def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    def name(r):
        return r.get("name", "request")

    def P(r):
        return r.get("prompt_tokens", 0) > long_prompt_threshold

    def D(r):
        return r.get("decode_tokens", 0) > long_decode_threshold

    return {
        "shared_pool": [name(r) for r in requests if P(r) is D(r)],
        "decode_pool": [name(r) for r in requests if D(r) and not P(r)],
        "prefill_pool": [name(r) for r in requests if P(r) and not D(r)],
    }
