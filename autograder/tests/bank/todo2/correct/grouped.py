from itertools import groupby


def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if chunk_size <= 0:
        raise ValueError("chunk_size")
    numbered = groupby(enumerate(suffix_tokens), key=lambda pair: pair[0] // chunk_size)
    return [[token for _, token in group] for _, group in numbered]
