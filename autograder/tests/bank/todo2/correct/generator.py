from itertools import islice


def _taken(tokens, size):
    source = iter(tokens)
    while piece := list(islice(source, size)):
        yield piece


def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if chunk_size <= 0:
        raise ValueError
    return list(_taken(suffix_tokens, chunk_size))
