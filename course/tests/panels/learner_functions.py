"""Functions a learner might have written, right and wrong in known ways."""

import time


def right_mix(requests, long_prompt_threshold):
    counts = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
    for request in requests:
        long_prompt = request["prompt_tokens"] > long_prompt_threshold
        long_output = request["decode_tokens"] > long_prompt_threshold // 8
        if long_prompt and not long_output:
            counts["prefill_heavy"] += 1
        elif long_output and not long_prompt:
            counts["decode_heavy"] += 1
        else:
            counts["mixed"] += 1
    return counts


def natural_mix(requests, long_prompt_threshold):
    """The reading the chapter does not mean: the same threshold for the output."""
    counts = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
    for request in requests:
        long_prompt = request["prompt_tokens"] > long_prompt_threshold
        long_output = request["decode_tokens"] > long_prompt_threshold
        if long_prompt == long_output:
            counts["mixed"] += 1
        else:
            counts["prefill_heavy" if long_prompt else "decode_heavy"] += 1
    return counts


def right_chunks(suffix_tokens, chunk_size):
    return [suffix_tokens[i : i + chunk_size] for i in range(0, len(suffix_tokens), chunk_size)]


def lost_tail(suffix_tokens, chunk_size):
    full = len(suffix_tokens) // chunk_size
    return [suffix_tokens[i * chunk_size : (i + 1) * chunk_size] for i in range(full)]


def unwritten(*_args, **_kwargs):
    raise NotImplementedError


def raises(*_args, **_kwargs):
    return {}["no such key"]


def hangs(*_args, **_kwargs):
    while True:
        try:
            pass
        except Exception:  # as learners write it
            continue


def sleeps(*_args, **_kwargs):
    time.sleep(30)
