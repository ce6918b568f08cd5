"""Relations between an input and a right answer, tried on many small inputs.

A relation says whether an answer is acceptable, not how to get it; it returns None, or what is
broken. What it finds is shrunk before it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from pdsched.feedback.judging import Broken, Case, broken

CLASSES = {"prefill_heavy", "decode_heavy", "mixed"}
POOLS = {"prefill_pool", "decode_pool", "shared_pool"}
POLICIES = ("decode_first", "prefill_first", "balanced")


def request_lists(rng: Random) -> Iterator[Case]:
    """Short lists of requests around a small threshold."""
    for _ in range(40):
        names = rng.sample("abcdef", rng.randrange(6))  # not in sorted order
        yield Case(([_request(name, rng.randrange(30), rng.randrange(6)) for name in names], 16))


def pool_lists(rng: Random) -> Iterator[Case]:
    """Short lists of requests around two small thresholds."""
    for case in request_lists(rng):
        yield Case((*case.args, 3))


def _request(name: str, prompt_tokens: int, decode_tokens: int) -> dict[str, Any]:
    return {"name": name, "prompt_tokens": prompt_tokens, "decode_tokens": decode_tokens}


def counts_everyone(case: Case, counts: Any) -> Broken | None:
    """TODO 1: three counts that add up to the number of requests."""
    if set(counts) != CLASSES:
        return broken("keys", keys=", ".join(sorted(CLASSES)))
    total, size = sum(counts.values()), len(case.args[0])
    return None if total == size else broken("total", expected=size, got=total)


def everyone_once(case: Case, pools: Any) -> Broken | None:
    """TODO 4: each request in exactly one pool, in the order of arrival."""
    if set(pools) != POOLS:
        return broken("keys", keys=", ".join(sorted(POOLS)))
    order = [each["name"] for each in case.args[0]]
    members = [name for pool in pools.values() for name in pool]
    if sorted(members) != sorted(order):
        return broken("members", expected=", ".join(order), got=", ".join(members))
    for name, pool in pools.items():
        if pool != sorted(pool, key=order.index):
            return broken("pool_order", pool=name)
    return None


def suffixes(rng: Random) -> Iterator[Case]:
    """Short suffixes and chunk sizes around their length."""
    for _ in range(60):
        suffix = list(range(1, rng.randrange(1, 10)))
        yield Case((suffix,), {"chunk_size": rng.randrange(1, 11)})


def is_valid_suffix(case: Case) -> bool:
    """Whether a (shrunk) suffix still has distinct tokens and a legal chunk size."""
    (suffix,) = case.args
    return len(set(suffix)) == len(suffix) and 0 not in suffix and case.kwargs["chunk_size"] > 0


def chunks_rebuild_the_suffix(case: Case, plan: Any) -> Broken | None:
    """TODO 2: joined they are the suffix; all full but the last, which is not empty."""
    (suffix,), size = case.args, case.kwargs["chunk_size"]
    if [token for chunk in plan for token in chunk] != suffix:
        return broken("joined")
    for index, chunk in enumerate(plan):
        last = index == len(plan) - 1
        if len(chunk) > size or not chunk or (len(chunk) < size and not last):
            return broken("chunk", index=index, size=size, got=len(chunk))
    return None


def rounds(policy: str) -> Callable[[Random], Iterator[Case]]:
    """Small rounds under one policy."""

    def cases(rng: Random) -> Iterator[Case]:
        for _ in range(60):
            lengths = [rng.randrange(7) for _ in range(rng.randrange(4))]
            prefill = dict(zip(rng.sample(["p1", "p2", "p3"], len(lengths)), lengths, strict=True))
            decodes = rng.sample(["d1", "d2", "d3", "d4"], rng.randrange(5))
            named = {"policy": policy, "decode_reserve_tokens": rng.randrange(4)}
            yield Case((prefill, decodes, rng.randrange(1, 12), rng.randrange(1, 6)), named)

    return cases


def all_rounds(rng: Random) -> Iterator[Case]:
    """Small rounds, the policies in turn."""
    for policy in POLICIES:
        yield from rounds(policy)(rng)


def is_valid_round(case: Case) -> bool:
    """Whether a (shrunk) round is still inside the contract."""
    prefill, decodes, budget, cap = case.args
    return (
        min(budget, cap) > 0
        and min([case.kwargs["decode_reserve_tokens"], *prefill.values()]) >= 0
        and len(set(decodes)) == len(decodes)
    )


def within_budget(case: Case, plan: Any) -> Broken | None:
    """TODO 3: known work only, in order, each piece within its limits and all within the budget."""
    prefill, decodes, budget, cap = case.args
    chosen = plan["decode_request_ids"]
    if chosen != decodes[: len(chosen)]:
        return broken("decode_order", expected=decodes, got=chosen)
    names = [chunk["request_id"] for chunk in plan["prefill_chunks"]]
    if names != [name for name in prefill if name in names]:
        return broken("chunk_order", expected=", ".join(prefill), got=", ".join(names))
    for chunk in plan["prefill_chunks"]:
        most = min(prefill[chunk["request_id"]], cap)
        if not 1 <= chunk["tokens"] <= most:
            return broken("chunk_size", name=chunk["request_id"], most=most, got=chunk["tokens"])
    used = _scheduled(plan)
    return None if used <= budget else broken("over", used=used, budget=budget)


def ledger_adds_up(case: Case, plan: Any) -> Broken | None:
    """TODO 3: the reported numbers agree with the plan's own lists."""
    used, budget = _scheduled(plan), case.args[2]
    if used > budget:
        return broken("over", used=used, budget=budget)
    facts = {"used_tokens": used, "remaining_tokens": budget - used}
    for name, value in facts.items():
        if plan[name] != value:
            return broken("field", name=name, expected=value, got=plan[name])
    return None


def nothing_idle(case: Case, plan: Any) -> Broken | None:
    """TODO 3: no budget left while work that fits is waiting."""
    idle = case.args[2] - _scheduled(plan)
    waiting = _waiting_decodes(case, plan) + _unfilled(case, plan)
    if idle > 0 and waiting:
        return broken("idle", idle=idle, work=", ".join(waiting))
    return None


def follows_policy(case: Case, plan: Any) -> Broken | None:
    """TODO 3: what the policy protects is never passed over."""
    found = within_budget(case, plan) or nothing_idle(case, plan) or _out_of_turn(case, plan)
    if found:
        return found
    chosen, waiting = len(plan["decode_request_ids"]), _waiting_decodes(case, plan)
    unfilled, policy = _unfilled(case, plan), case.kwargs["policy"]
    if policy == "decode_first" and waiting and plan["prefill_chunks"]:
        return broken("decode_passed_over", work=", ".join(waiting))
    if policy == "prefill_first" and chosen and unfilled:
        return broken("prefill_passed_over", work=", ".join(unfilled))
    return _breaks_reserve(case, chosen, waiting, unfilled) if policy == "balanced" else None


def _out_of_turn(case: Case, plan: Any) -> Broken | None:
    """A chunk after a request that could still take tokens."""
    order, unfilled = list(case.args[0]), _unfilled(case, plan)
    for chunk in plan["prefill_chunks"]:
        later = chunk["request_id"]
        if unfilled and order.index(later) > order.index(unfilled[0]):
            return broken("out_of_turn", earlier=unfilled[0], later=later)
    return None


def _breaks_reserve(
    case: Case, chosen: int, waiting: list[str], unfilled: list[str]
) -> Broken | None:
    reserve = case.kwargs["decode_reserve_tokens"]
    if waiting and chosen < min(reserve, case.args[2]):
        return broken("reserve_unused", reserve=reserve, got=chosen)
    if chosen > reserve and unfilled:
        return broken("reserve_exceeded", reserve=reserve, work=", ".join(unfilled))
    return None


def _scheduled(plan: Any) -> int:
    chunks: list[int] = [chunk["tokens"] for chunk in plan["prefill_chunks"]]
    return sum(chunks) + len(plan["decode_request_ids"])


def _waiting_decodes(case: Case, plan: Any) -> list[str]:
    return [name for name in case.args[1] if name not in plan["decode_request_ids"]]


def _unfilled(case: Case, plan: Any) -> list[str]:
    """Prefill requests that could take more tokens this round."""
    prefill, _, _, cap = case.args
    sizes = {chunk["request_id"]: chunk["tokens"] for chunk in plan["prefill_chunks"]}
    return [name for name, length in prefill.items() if sizes.get(name, 0) < min(length, cap)]


def measurements(rng: Random) -> Iterator[Case]:
    """Two small runs with whole numbers."""
    for _ in range(40):
        runs = [
            {"throughput": float(rng.randrange(9)), "p95_latency_ms": float(rng.randrange(9))}
            for _ in range(2)
        ]
        runs[1]["handoff_ms"] = float(rng.randrange(9))
        yield Case((runs[0], runs[1]), {"max_handoff_ms": float(rng.randrange(9))})


def differences_have_the_right_sign(case: Case, decision: Any) -> Broken | None:
    """TODO 5: adding the difference to the baseline gives the split run again."""
    baseline, split = case.args
    pairs = {"throughput_gain": "throughput", "latency_delta_ms": "p95_latency_ms"}
    for name, key in pairs.items():
        if baseline.get(key, 0.0) + decision[name] != split.get(key, 0.0):
            return broken("difference", name=name, key=key)
    return None
