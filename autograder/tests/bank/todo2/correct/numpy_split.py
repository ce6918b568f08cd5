import numpy as np


def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if not chunk_size > 0:
        raise ValueError("chunk_size")
    if len(suffix_tokens) == 0:
        return []
    edges = np.arange(chunk_size, len(suffix_tokens), chunk_size)
    return [list(piece) for piece in np.split(np.array(suffix_tokens), edges)]
