def labelled(requests, prompt, decode):
    for request in requests:
        p = request.get("prompt_tokens", 0) > prompt
        d = request.get("decode_tokens", 0) > decode
        label = "shared_pool"
        if p ^ d:
            label = "prefill_pool" if p else "decode_pool"
        yield label, request.get("name", "request")


def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    result = dict(prefill_pool=[], decode_pool=[], shared_pool=[])
    for label, name in labelled(requests, long_prompt_threshold, long_decode_threshold):
        result[label] += [name]
    return result
