def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if chunk_size <= 0:
        raise ValueError("chunk_size 必须为正")
    return [
        suffix_tokens[i * chunk_size :][:chunk_size]
        for i in range(-(-len(suffix_tokens) // chunk_size))
    ]
