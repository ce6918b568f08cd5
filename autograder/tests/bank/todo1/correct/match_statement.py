def summarize_request_mix(requests, long_prompt_threshold):
    prefill = decode = mixed = 0
    for request in requests:
        prompt_is_long = request.get("prompt_tokens", 0) > long_prompt_threshold
        match (prompt_is_long, request.get("decode_tokens", 0) > long_prompt_threshold // 8):
            case (True, False):
                prefill += 1
            case (False, True):
                decode += 1
            case _:
                mixed += 1
    return {"prefill_heavy": prefill, "decode_heavy": decode, "mixed": mixed}
