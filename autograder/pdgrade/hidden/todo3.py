"""TODO 3, ``plan_iteration_budget``: three policies, the ledger, maximality, errors, purity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from pdgrade.hidden.properties import Case, Property, calls_of_pure, exact, holds, pure, rejects
from pdsched.feedback.judging import Broken, broken

NAME: Final = "plan_iteration_budget"
FIELDS: Final = {
    "policy",
    "max_num_batched_tokens",
    "decode_request_ids",
    "prefill_chunks",
    "used_tokens",
    "remaining_tokens",
}
POLICIES: Final = ("decode_first", "prefill_first", "balanced")


def oracle(  # noqa: PLR0917  the contract's own signature
    prefill_suffixes: dict[str, int],
    decode_request_ids: list[str],
    max_num_batched_tokens: int,
    max_prefill_chunk_tokens: int,
    policy: str = "balanced",
    decode_reserve_tokens: int = 1,
) -> dict[str, Any]:
    """The agreed plan in closed form: how many decodes go before the chunks, how many after."""
    too_small = min(max_num_batched_tokens, max_prefill_chunk_tokens) <= 0
    negative = min(decode_reserve_tokens, *prefill_suffixes.values(), 0) < 0
    repeated = len(set(decode_request_ids)) < len(decode_request_ids)
    if too_small or negative or repeated or policy not in POLICIES:
        raise ValueError("outside the contract")
    early = {
        "decode_first": len(decode_request_ids),
        "prefill_first": 0,
        "balanced": decode_reserve_tokens,
    }[policy]
    early = min(early, len(decode_request_ids), max_num_batched_tokens)
    left = max_num_batched_tokens - early
    chunks: list[dict[str, Any]] = []
    for request_id, length in prefill_suffixes.items():
        tokens = min(length, max_prefill_chunk_tokens, left)
        left -= tokens
        if tokens:
            chunks.append({"request_id": request_id, "tokens": tokens})
    decodes = decode_request_ids[: early + left]
    used = len(decodes) + sum(chunk["tokens"] for chunk in chunks)
    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": decodes,
        "prefill_chunks": chunks,
        "used_tokens": used,
        "remaining_tokens": max_num_batched_tokens - used,
    }


def ids(rng: Random, letter: str, count: int) -> list[str]:
    """Distinct request ids, not in sorted order."""
    return [f"{letter}{number}" for number in rng.sample(range(100), count)]


def round_case(
    rng: Random, suffixes: list[int], decodes: int, budget: int, cap: int, **named: Any
) -> Case:
    """One round with fresh ids."""
    prefill = dict(zip(ids(rng, "p", len(suffixes)), suffixes, strict=True))
    return Case((prefill, ids(rng, "d", decodes), budget, cap), named)


def _situations(rng: Random) -> Iterator[tuple[list[int], int, int, int]]:
    """(suffix lengths, decodes, budget, cap): edges of each limit, then random ones."""
    cap, decodes = rng.randrange(2, 9), rng.randrange(2, 6)
    yield [], 0, rng.randrange(1, 20), cap
    yield [], decodes, decodes - 1, cap
    yield [rng.randrange(20, 60)], 0, 5 * cap, cap  # one chunk a round, however large the budget
    yield [0, cap - 1, 0, cap, cap + 1], decodes, 40, cap  # zero, below, at and above the cap
    suffixes = [rng.randrange(1, 3 * cap) for _ in range(4)]
    demand = decodes + sum(min(length, cap) for length in suffixes)
    for budget in (1, 2, decodes, decodes + 1, demand - 1, demand, demand + 1, demand + 9):
        yield suffixes, decodes, budget, cap
    yield suffixes, decodes, 7, 1
    yield [rng.randrange(20, 30), rng.randrange(5, 8)], 1, 9, 99  # the longer one came first
    yield [rng.randrange(30, 90)], decodes, 12, 99  # the budget, not the cap, cuts the chunk
    for _ in range(9):
        lengths = [rng.choice((0, rng.randrange(1, 40))) for _ in range(rng.randrange(6))]
        yield lengths, rng.randrange(8), rng.randrange(1, 60), rng.randrange(1, 25)


def _reserve(rng: Random, situation: tuple[list[int], int, int, int]) -> int:
    """Some reserve within the budget: one above it is for the rules that are about it."""
    return min(rng.randrange(4), situation[2])


def under(policy: str) -> Callable[[Random], Iterator[Case]]:
    """Cases of one policy; a reserve, where given, must not matter to the other two."""

    def cases(rng: Random) -> Iterator[Case]:
        for index, situation in enumerate(_situations(rng)):
            named: dict[str, Any] = {"policy": policy}
            if index % 3 == 0:
                named["decode_reserve_tokens"] = _reserve(rng, situation)
            yield round_case(rng, *situation, **named)

    return cases


def balanced_cases(rng: Random) -> Iterator[Case]:
    """Reserve 0, 1, within, at and above the decodes, above the budget; defaults left out."""
    for situation in _situations(rng):
        reserve = _reserve(rng, situation)
        yield round_case(rng, *situation, policy="balanced", decode_reserve_tokens=reserve)
    lengths = [rng.randrange(5, 30) for _ in range(2)]
    for reserve in (0, 1, 3, 4, 5, 9, 50):
        yield round_case(rng, lengths, 4, 9, 4, policy="balanced", decode_reserve_tokens=reserve)
    yield round_case(rng, lengths, 4, 3, 4, policy="balanced", decode_reserve_tokens=50)
    for budget in (3, 4, 6, 30):
        yield round_case(rng, lengths, 4, budget, 4)
        yield round_case(rng, lengths, 4, budget, 4, policy="balanced")
        yield round_case(rng, lengths, 4, budget, 4, decode_reserve_tokens=2)


def any_policy(rng: Random) -> Iterator[Case]:
    """The situations, the policies in turn."""
    for index, situation in enumerate([*_situations(rng), *_situations(rng)]):
        reserve = _reserve(rng, situation)
        policy = POLICIES[index % 3]
        yield round_case(rng, *situation, policy=policy, decode_reserve_tokens=reserve)
    for policy in POLICIES:  # a reserve that has no decodes to serve is free for prefill
        lengths = [rng.randrange(30, 60)]
        yield round_case(rng, lengths, 1, 10, 99, policy=policy, decode_reserve_tokens=5)


def schedule(plan: dict[str, Any]) -> dict[str, Any]:
    """The part of a plan that a policy decides."""
    return {key: plan[key] for key in ("decode_request_ids", "prefill_chunks")}


def scheduled_tokens(plan: dict[str, Any]) -> int:
    """Tokens that the plan's own lists add up to."""
    tokens = [1 for _ in plan["decode_request_ids"]]
    tokens += [chunk["tokens"] for chunk in plan["prefill_chunks"]]
    return sum(tokens)


def ledger_wrong(case: Case, plan: Any) -> Broken | None:
    """Which field of the ledger does not agree with the plan's own lists."""
    budget, used = case.args[2], scheduled_tokens(plan)
    if set(plan) != FIELDS:
        return broken("keys", keys=", ".join(sorted(FIELDS)))
    if used > budget:
        return broken("over", used=used, budget=budget)
    expected = {
        "used_tokens": used,
        "remaining_tokens": budget - used,
        "max_num_batched_tokens": budget,
        "policy": case.kwargs["policy"],
    }
    for name, value in expected.items():
        if type(plan[name]) is not type(value) or plan[name] != value:
            return broken("field", name=name, expected=repr(value), got=repr(plan[name]))
    return None


def idle_wrong(case: Case, plan: Any) -> Broken | None:
    """Which admissible work was left out although budget is left."""
    suffixes, decodes, budget, cap = case.args
    used = scheduled_tokens(plan)
    if used > budget:
        return broken("over", used=used, budget=budget)
    if used == budget:
        return None
    chunks = {chunk["request_id"]: chunk["tokens"] for chunk in plan["prefill_chunks"]}
    waiting = [name for name in decodes if name not in plan["decode_request_ids"]]
    waiting += [name for name, length in suffixes.items() if chunks.get(name, 0) < min(length, cap)]
    if waiting:
        return broken("idle", idle=budget - used, work=", ".join(waiting))
    return None


def bad_input(rng: Random) -> Iterator[Case]:
    """Every ValueError of the contract, each beside its nearest valid neighbour."""
    good = round_case(rng, [rng.randrange(1, 9), 0, 3], 3, rng.randrange(2, 12), 2)
    suffixes, decodes, budget, cap = good.args
    for bad_budget in (0, -1, -rng.randrange(2, 50), 1):
        yield replace(good, args=(suffixes, decodes, bad_budget, cap))
    for bad_cap in (0, -1, -rng.randrange(2, 50), 1):
        yield replace(good, args=(suffixes, decodes, budget, bad_cap))
    for reserve in (-1, -rng.randrange(2, 9), 0):
        for policy in POLICIES:
            yield replace(good, kwargs={"policy": policy, "decode_reserve_tokens": reserve})
    yield replace(good, kwargs={"decode_reserve_tokens": budget + 1})  # odd, but no error
    for policy in ("unknown", "", "Balanced", "decode", *POLICIES):
        yield replace(good, kwargs={"policy": policy})
    for policy in POLICIES:  # whatever the budget leaves of them, the whole input is checked
        named = {"policy": policy}
        yield replace(good, args=({**suffixes, "late": -1}, decodes, 1, cap), kwargs=named)
        repeated = [*decodes, decodes[0]]
        yield replace(good, args=(suffixes, repeated, 1, cap), kwargs=named)
        yield replace(good, args=(suffixes, decodes, 1, cap), kwargs=named)
    yield replace(good, args=({}, [], budget, cap))
    yield replace(good, args=({"p": -rng.randrange(2, 9)}, [], budget, cap))
    yield replace(good, args=({}, ["d", "d"], budget, cap))


def two_rounds(rng: Random) -> Iterator[Case]:
    """Pairs of rounds with different work and budget, under each policy.

    The first one's ids are in falling order, so that sorting them in place is a change; the second
    leaves budget over, so that carrying it into the next round is one too.
    """
    for policy in POLICIES:
        for _ in range(2):
            one = round_case(rng, [rng.randrange(1, 9), 4], 2, 5, 3, policy=policy)
            one.args[1].sort(reverse=True)
            other = round_case(rng, [rng.randrange(9, 19)], 3, 30, 6, policy=policy)
            yield Case((one.args, other.args), {"policy": policy})


def _is_plan(result: Any) -> bool:
    return (
        type(result) is dict
        and type(result.get("decode_request_ids")) is list
        and type(result.get("prefill_chunks")) is list
    )


_schedule = exact(NAME, oracle, schedule)

PROPERTIES: Final = (
    Property("todo3_decode_first", under("decode_first"), _schedule),
    Property("todo3_prefill_first", under("prefill_first"), _schedule),
    Property("todo3_balanced_reserve", balanced_cases, _schedule),
    Property("todo3_budget_conserved", any_policy, holds(NAME, ledger_wrong)),
    Property("todo3_no_idle_budget", any_policy, holds(NAME, idle_wrong)),
    Property("todo3_rejects_bad_input", bad_input, rejects(NAME, oracle, _is_plan)),
    Property("todo3_pure", two_rounds, pure(NAME, _is_plan), shrinks=False, calls=calls_of_pure),
)
