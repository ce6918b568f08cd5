import operator


def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if isinstance(chunk_size, bool):
        raise ValueError("chunk_size cannot be a bool")
    chunk_size = operator.index(chunk_size)
    if chunk_size <= 0:
        raise ValueError("chunk_size must be positive")
    tokens = tuple(suffix_tokens)
    whole, tail = divmod(len(tokens), chunk_size)
    plan = [list(tokens[k * chunk_size : (k + 1) * chunk_size]) for k in range(whole)]
    if tail > 0:
        plan.append(list(tokens[-tail:]))
    assert [token for chunk in plan for token in chunk] == list(tokens)
    return plan
