"""What is wrong with one plan of TODO 3, and what of it can still be carried out.

`pdsched.scheduler` refuses a plan that breaks the contract and stops; a panel must go on. So each
plan is read twice: as the learner meant it, for the picture, and trimmed to what a worker can do,
for the clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pdsched.messages import text
from pdsched.scheduler.plan_checks import BrokenRuleError, read_plan


@dataclass(frozen=True, slots=True)
class PlanCall:
    """The arguments of one call of ``plan_iteration_budget``."""

    suffixes: Mapping[str, int]
    ready: Sequence[str]
    budget: int
    cap: int
    policy: str
    reserve: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan asked for, as far as it can be read: decodes and (request, tokens) chunks."""

    decodes: tuple[str, ...]
    chunks: tuple[tuple[str, int], ...]


def fault_of(call: PlanCall, plan: object) -> str:
    """The sentence of the first rule the plan breaks, empty if it keeps them all."""
    try:
        read_plan(plan, call.suffixes, call.ready, call.budget, call.cap)
    except BrokenRuleError as error:
        return str(error)
    asked = asked_for(plan)
    return _idle_fault(call, asked) or _order_fault(call, asked) or _policy_fault(call, asked)


def asked_for(plan: object) -> Asked:
    """Read a plan that may be anything; what cannot be read is left out."""
    if not isinstance(plan, Mapping):
        return Asked((), ())
    ready = plan.get("decode_request_ids")
    decodes = tuple(each for each in _listed(ready) if isinstance(each, str))
    chunks = []
    for chunk in _listed(plan.get("prefill_chunks")):
        if isinstance(chunk, Mapping):
            name, tokens = chunk.get("request_id"), chunk.get("tokens")
            if isinstance(name, str) and type(tokens) is int and tokens > 0:
                chunks.append((name, tokens))
    return Asked(decodes, tuple(chunks))


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else ()


def workable(call: PlanCall, asked: Asked) -> dict[str, Any]:
    """The part of a plan that a worker can carry out; at least one token moves."""
    room = call.budget
    decodes = [each for each in dict.fromkeys(asked.decodes) if each in call.ready][:room]
    room -= len(decodes)
    chunks: dict[str, int] = {}
    for name, tokens in asked.chunks:
        taken = min(tokens, call.cap, call.suffixes.get(name, 0), room)
        if taken > 0 and name not in chunks:
            chunks[name] = taken
            room -= taken
    if room == call.budget:
        if call.ready:
            decodes, room = [call.ready[0]], room - 1
        else:
            name = next(iter(call.suffixes))
            chunks[name] = 1
            room -= 1
    return {
        "policy": call.policy,
        "max_num_batched_tokens": call.budget,
        "decode_request_ids": decodes,
        "prefill_chunks": [{"request_id": name, "tokens": n} for name, n in chunks.items()],
        "used_tokens": call.budget - room,
        "remaining_tokens": room,
    }


def _left_over(call: PlanCall, asked: Asked) -> tuple[int, str]:
    """Decodes the plan left out, and the first prompt that could have had more (or empty)."""
    given = dict(asked.chunks)
    short = next(
        (name for name, suffix in call.suffixes.items()
         if given.get(name, 0) < min(suffix, call.cap)), ""
    )  # fmt: skip
    return len(call.ready) - len(asked.decodes), short


def _idle_fault(call: PlanCall, asked: Asked) -> str:
    idle = call.budget - len(asked.decodes) - sum(tokens for _, tokens in asked.chunks)
    decodes, short = _left_over(call, asked)
    if idle and (decodes or short):
        waiting = short or text("panels.plan.decodes", count=decodes)
        return text("panels.plan.idle", idle=idle, waiting=waiting)
    return ""


def _order_fault(call: PlanCall, asked: Asked) -> str:
    if list(asked.decodes) != list(call.ready[: len(asked.decodes)]):
        return text("panels.plan.decode_order")
    given = dict(asked.chunks)
    names = [name for name, suffix in call.suffixes.items() if suffix > 0]
    cut = next((n for n in names if given.get(n, 0) < min(call.suffixes[n], call.cap)), None)
    if cut is not None and any(given.get(n, 0) for n in names[names.index(cut) + 1 :]):
        return text("panels.plan.prefill_order", request_id=cut)
    return ""


def _policy_fault(call: PlanCall, asked: Asked) -> str:
    left_out, short = _left_over(call, asked)
    decodes = len(asked.decodes)
    if call.policy == "decode_first" and left_out and asked.chunks:
        return text("panels.plan.decode_first", count=left_out)
    if call.policy == "prefill_first" and short and decodes:
        return text("panels.plan.prefill_first", request_id=short, count=decodes)
    if call.policy == "balanced":
        reserve = min(call.reserve, len(call.ready), call.budget)
        if decodes < reserve:
            return text("panels.plan.reserve_missed", reserve=reserve, count=decodes)
        if decodes > reserve and short:
            return text("panels.plan.reserve_exceeded", reserve=reserve, request_id=short)
    return ""
