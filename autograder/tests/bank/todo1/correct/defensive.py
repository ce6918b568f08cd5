def summarize_request_mix(
    requests: list[dict[str, int]], long_prompt_threshold: int
) -> dict[str, int]:
    """Checks everything it is given before it counts."""
    if not isinstance(requests, list):
        raise TypeError("requests must be a list")
    if not isinstance(long_prompt_threshold, int) or isinstance(long_prompt_threshold, bool):
        raise TypeError("long_prompt_threshold must be an int")
    counts = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
    for request in requests:
        if not isinstance(request, dict):
            raise TypeError("each request must be a dict")
        try:
            prompt = int(request["prompt_tokens"])
        except KeyError:
            prompt = 0
        try:
            decode = int(request["decode_tokens"])
        except KeyError:
            decode = 0
        if prompt < 0 or decode < 0:
            raise ValueError("token counts cannot be negative")
        prefill_heavy = prompt > long_prompt_threshold and decode <= long_prompt_threshold // 8
        decode_heavy = prompt <= long_prompt_threshold and decode > long_prompt_threshold // 8
        assert not (prefill_heavy and decode_heavy)
        counts["prefill_heavy"] += int(prefill_heavy)
        counts["decode_heavy"] += int(decode_heavy)
        counts["mixed"] += int(not prefill_heavy and not decode_heavy)
    assert sum(counts.values()) == len(requests)
    return counts
