def plan_iteration_budget(
    prefill_suffixes: dict[str, int],
    decode_request_ids: list[str],
    max_num_batched_tokens: int,
    max_prefill_chunk_tokens: int,
    policy: str = "balanced",
    decode_reserve_tokens: int = 1,
) -> dict[str, object]:
    """Checks before and after."""
    for name, value, least in (
        ("max_num_batched_tokens", max_num_batched_tokens, 1),
        ("max_prefill_chunk_tokens", max_prefill_chunk_tokens, 1),
        ("decode_reserve_tokens", decode_reserve_tokens, 0),
    ):
        if not isinstance(value, int):
            raise TypeError(name)
        if value < least:
            raise ValueError(f"{name} must be at least {least}")
    if policy not in frozenset({"decode_first", "prefill_first", "balanced"}):
        raise ValueError(f"unknown policy {policy!r}")
    for name, length in prefill_suffixes.items():
        if length < 0:
            raise ValueError(f"{name}: negative suffix")
    seen = set()
    for name in decode_request_ids:
        if name in seen:
            raise ValueError(f"{name}: duplicate")
        seen.add(name)

    waiting = list(decode_request_ids)
    decodes: list[str] = []
    chunks: list[dict[str, object]] = []
    budget = max_num_batched_tokens

    def take_decode(limit: int) -> None:
        nonlocal budget
        while waiting and limit > 0 and budget > 0:
            decodes.append(waiting.pop(0))
            budget -= 1
            limit -= 1

    if policy != "prefill_first":
        take_decode(decode_reserve_tokens if policy == "balanced" else len(waiting))
    for name, length in prefill_suffixes.items():
        size = max(0, min(length, max_prefill_chunk_tokens, budget))
        if size:
            chunks.append({"request_id": str(name), "tokens": int(size)})
            budget -= size
    take_decode(len(waiting))
    used = len(decodes) + sum(int(chunk["tokens"]) for chunk in chunks)
    assert used + budget == max_num_batched_tokens
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": decodes,
        "prefill_chunks": chunks,
        "used_tokens": used,
        "remaining_tokens": budget,
    }
