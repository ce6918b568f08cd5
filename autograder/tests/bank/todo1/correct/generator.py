def classes(requests, threshold):
    for request in requests:
        long_prompt = request.get("prompt_tokens", 0) > threshold
        long_decode = request.get("decode_tokens", 0) > threshold // 8
        yield {(1, 0): "prefill_heavy", (0, 1): "decode_heavy"}.get(
            (int(long_prompt), int(long_decode)), "mixed"
        )


def summarize_request_mix(requests, long_prompt_threshold):
    found = list(classes(requests, long_prompt_threshold))
    return {name: found.count(name) for name in ("mixed", "decode_heavy", "prefill_heavy")}
