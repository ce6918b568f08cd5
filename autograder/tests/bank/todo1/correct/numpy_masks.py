import numpy as np


def summarize_request_mix(requests, long_prompt_threshold):
    prompts = np.array([r.get("prompt_tokens", 0) for r in requests], dtype=np.int64)
    decodes = np.array([r.get("decode_tokens", 0) for r in requests], dtype=np.int64)
    p, d = prompts > long_prompt_threshold, decodes > long_prompt_threshold // 8
    # NumPy integers are left as they are on purpose.
    return {
        "prefill_heavy": np.count_nonzero(p & ~d),
        "decode_heavy": (d & ~p).sum(),
        "mixed": (p == d).sum(),
    }
