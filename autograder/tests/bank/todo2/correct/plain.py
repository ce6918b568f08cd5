def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if chunk_size <= 0:
        raise ValueError("chunk_size must be positive")
    chunks = []
    for start in range(0, len(suffix_tokens), chunk_size):
        chunks.append(suffix_tokens[start : start + chunk_size])
    return chunks
