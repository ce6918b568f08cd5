from collections import Counter


def summarize_request_mix(requests, long_prompt_threshold):
    counts = Counter(prefill_heavy=0, decode_heavy=0, mixed=0)
    for request in requests:
        p = request.get("prompt_tokens", 0) > long_prompt_threshold
        d = request.get("decode_tokens", 0) * 8 > long_prompt_threshold // 8 * 8
        counts["mixed" if p == d else "prefill_heavy" if p else "decode_heavy"] += 1
    return counts
