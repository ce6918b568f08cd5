def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if chunk_size < 1:
        raise ValueError(chunk_size)
    if not suffix_tokens:
        return []
    rest = build_chunked_prefill_plan(suffix_tokens[chunk_size:], chunk_size)
    return [suffix_tokens[:chunk_size], *rest]
