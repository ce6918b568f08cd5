import numpy as np


def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    names = np.array([r.get("name", "request") for r in requests], dtype=object)
    p = np.array([r.get("prompt_tokens", 0) for r in requests]) > long_prompt_threshold
    d = np.array([r.get("decode_tokens", 0) for r in requests]) > long_decode_threshold
    return {
        "prefill_pool": names[p & ~d].tolist(),
        "decode_pool": names[d & ~p].tolist(),
        "shared_pool": names[p == d].tolist(),
    }
