summarize_request_mix = lambda requests, long_prompt_threshold: {
    kind: sum(
        (r.get("prompt_tokens", 0) > long_prompt_threshold)
        - (r.get("decode_tokens", 0) > long_prompt_threshold // 8)
        == sign
        for r in requests
    )
    for kind, sign in (("prefill_heavy", 1), ("decode_heavy", -1), ("mixed", 0))
}
