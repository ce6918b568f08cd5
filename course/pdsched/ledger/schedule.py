"""Round after round of one worker, planned by the learner's TODO 3, checked line by line."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pdsched.messages import text

MAX_ROUNDS: Final = 40


@dataclass(frozen=True)
class BudgetSettings:
    """What TODO 3 is given in every round."""

    max_num_batched_tokens: int = 1024
    max_prefill_chunk_tokens: int = 512
    policy: str = "balanced"
    decode_reserve_tokens: int = 1


@dataclass(frozen=True)
class Round:
    """One line of the ledger.

    Attributes:
        number: from 1.
        decodes: requests that decoded one token.
        chunks: request and prompt tokens of each prefill chunk.
        stalled: requests that were generating and got nothing in this round.
        used_tokens: decodes plus prefill tokens, counted here, not as the plan claims.
        remaining_tokens: budget less `used_tokens`.
        fault: the rule the plan broke, empty if none; the ledger ends there.
    """

    number: int
    decodes: tuple[str, ...]
    chunks: tuple[tuple[str, int], ...]
    stalled: tuple[str, ...]
    used_tokens: int
    remaining_tokens: int
    fault: str = ""


def schedule(
    plan_iteration_budget: Callable[..., Any],
    suffixes: Mapping[str, int],
    decoding: Sequence[str],
    settings: BudgetSettings,
) -> tuple[Round, ...]:
    """Plan rounds until every prompt is prefilled, a rule is broken, or nothing moves.

    A request that finishes its prompt decodes from the next round on.

    Raises:
        Exception: whatever the plan function raises, NotImplementedError included.
    """
    left = {name: tokens for name, tokens in suffixes.items() if tokens > 0}
    generating = list(decoding)
    rounds: list[Round] = []
    while left and len(rounds) < MAX_ROUNDS:
        plan = plan_iteration_budget(
            dict(left),
            list(generating),
            settings.max_num_batched_tokens,
            settings.max_prefill_chunk_tokens,
            policy=settings.policy,
            decode_reserve_tokens=settings.decode_reserve_tokens,
        )
        entry = _entry(len(rounds) + 1, plan, left, generating, settings)
        rounds.append(entry)
        if entry.fault:
            break
        for name, tokens in entry.chunks:
            left[name] -= tokens
            if left[name] == 0:
                del left[name]
                generating.append(name)
    return tuple(rounds)


def _entry(
    number: int,
    plan: Any,
    left: Mapping[str, int],
    generating: Sequence[str],
    settings: BudgetSettings,
) -> Round:
    """The plan of one round as a line of the ledger; a plan that cannot be read is a fault."""
    budget = settings.max_num_batched_tokens
    try:
        decodes = tuple(str(name) for name in plan["decode_request_ids"])
        chunks = tuple((str(c["request_id"]), int(c["tokens"])) for c in plan["prefill_chunks"])
        claimed = (plan["used_tokens"], plan["remaining_tokens"])
    except (TypeError, KeyError, ValueError) as error:
        fault = text("ledger.fault.shape", error=f"{type(error).__name__}: {error}")
        return Round(number, (), (), tuple(generating), 0, budget, fault)
    used = len(decodes) + sum(tokens for _, tokens in chunks)
    line = (number, decodes, chunks, tuple(n for n in generating if n not in decodes), used)
    fault = _broken_rule(decodes, chunks, left, generating, settings)
    if not fault and claimed != (used, budget - used):
        fault = text("ledger.fault.claimed", used=claimed[0], remaining=claimed[1])
    return Round(*line, budget - used, fault)


def _broken_rule(
    decodes: Sequence[str],
    chunks: Sequence[tuple[str, int]],
    left: Mapping[str, int],
    generating: Sequence[str],
    settings: BudgetSettings,
) -> str:
    """The first rule a plan breaks, in words; empty if it breaks none."""
    names = [name for name, _ in chunks]
    strangers = [*(set(decodes) - set(generating)), *(set(names) - set(left))]
    if strangers:
        return text("ledger.fault.stranger", names=", ".join(sorted(strangers)))
    if len(set(decodes)) < len(decodes) or len(set(names)) < len(names):
        return text("ledger.fault.twice")
    for name, tokens in chunks:
        if not 0 < tokens <= min(left[name], settings.max_prefill_chunk_tokens):
            return text("ledger.fault.chunk", name=name, tokens=tokens)
    used = len(decodes) + sum(tokens for _, tokens in chunks)
    if used > settings.max_num_batched_tokens:
        return text("ledger.fault.over", used=used, budget=settings.max_num_batched_tokens)
    return "" if used else text("ledger.fault.idle")
