from dataclasses import dataclass, field


@dataclass
class Ledger:
    budget: int
    decodes: list = field(default_factory=list)
    chunks: list = field(default_factory=list)

    @property
    def used(self):
        return len(self.decodes) + sum(chunk["tokens"] for chunk in self.chunks)

    @property
    def left(self):
        return self.budget - self.used

    def decode(self, waiting, limit):
        new = [name for name in waiting if name not in self.decodes]
        self.decodes.extend(new[: min(limit, self.left)])

    def prefill(self, suffixes, cap):
        for name, length in suffixes.items():
            tokens = min(length, cap, self.left)
            if tokens > 0:
                self.chunks.append({"tokens": tokens, "request_id": name})


def validate(suffixes, decodes, budget, cap, policy, reserve):
    problems = [
        budget <= 0,
        cap <= 0,
        reserve < 0,
        policy not in {"decode_first", "prefill_first", "balanced"},
        min(suffixes.values(), default=0) < 0,
        len(decodes) != len(set(decodes)),
    ]
    if any(problems):
        raise ValueError(f"invalid input: rule {problems.index(True)}")


def plan_iteration_budget(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    policy="balanced",
    decode_reserve_tokens=1,
):
    validate(
        prefill_suffixes,
        decode_request_ids,
        max_num_batched_tokens,
        max_prefill_chunk_tokens,
        policy,
        decode_reserve_tokens,
    )
    ledger = Ledger(max_num_batched_tokens)
    if policy == "decode_first":
        ledger.decode(decode_request_ids, len(decode_request_ids))
    if policy == "balanced":
        ledger.decode(decode_request_ids, decode_reserve_tokens)
    ledger.prefill(prefill_suffixes, max_prefill_chunk_tokens)
    ledger.decode(decode_request_ids, len(decode_request_ids))
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": ledger.decodes,
        "prefill_chunks": ledger.chunks,
        "used_tokens": ledger.used,
        "remaining_tokens": ledger.left,
    }
