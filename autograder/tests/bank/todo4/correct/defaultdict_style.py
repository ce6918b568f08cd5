from collections import defaultdict


def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
    pools = defaultdict(list)
    for pool in ("prefill_pool", "decode_pool", "shared_pool"):
        pools[pool]
    for request in requests:
        shape = (
            request.get("prompt_tokens", 0) > long_prompt_threshold,
            request.get("decode_tokens", 0) > long_decode_threshold,
        )
        where = {(True, False): "prefill_pool", (False, True): "decode_pool"}
        pools[where.get(shape, "shared_pool")].append(request.get("name", "request"))
    return pools
