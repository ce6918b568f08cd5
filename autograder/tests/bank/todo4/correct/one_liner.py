plan_pd_split = lambda requests, long_prompt_threshold, long_decode_threshold: {
    pool: [
        r.get("name", "request")
        for r in requests
        if (r.get("prompt_tokens", 0) > long_prompt_threshold)
        - (r.get("decode_tokens", 0) > long_decode_threshold)
        == sign
    ]
    for pool, sign in {"prefill_pool": 1, "decode_pool": -1, "shared_pool": 0}.items()
}
