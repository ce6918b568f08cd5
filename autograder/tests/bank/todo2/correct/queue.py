from collections import deque


def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    if chunk_size <= 0:
        raise ValueError("chunk_size must be > 0")
    waiting, plan = deque(suffix_tokens), []
    while waiting:
        plan.append([waiting.popleft() for _ in range(min(chunk_size, len(waiting)))])
    return plan
