def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    class BadChunkSize(ValueError):
        pass

    if chunk_size <= 0:
        raise BadChunkSize(f"got {chunk_size}")
    plan, position = [], 0
    while position < len(suffix_tokens):
        end = min(position + chunk_size, len(suffix_tokens))
        plan += [suffix_tokens[position:end]]
        position = end
    return plan
