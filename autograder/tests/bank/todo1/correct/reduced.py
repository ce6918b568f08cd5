from functools import reduce
from math import floor


def summarize_request_mix(requests, long_prompt_threshold):
    limit = floor(long_prompt_threshold / 8)

    def add(total, request):
        p = request.get("prompt_tokens", 0) > long_prompt_threshold
        d = request.get("decode_tokens", 0) > limit
        return (total[0] + (p and not d), total[1] + (d and not p), total[2] + (p is d))

    names = ("prefill_heavy", "decode_heavy", "mixed")
    return dict(zip(names, reduce(add, requests, (0, 0, 0))))
