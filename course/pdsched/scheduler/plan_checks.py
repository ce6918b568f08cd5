"""Read a plan that somebody else's function returned, trusting nothing about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, NoReturn

from pdsched.messages import text
from pdsched.scheduler.plan_error import safe_repr


class BrokenRuleError(Exception):
    """The plan breaks a rule; the text is the rule's sentence."""


class ReadPlan(NamedTuple):
    """A checked plan.

    Attributes:
        decode_ids: requests that decode, or ``None`` when every ready one does.
        chunks: tokens of each prefill chunk by request, in order.
    """

    decode_ids: Sequence[str] | None
    chunks: Mapping[str, int]


def read_plan(
    plan: object, suffixes: Mapping[str, int], ready: Sequence[str], budget: int, cap: int
) -> ReadPlan:
    """Check a returned plan against every rule of the contract.

    Args:
        plan: what the function returned.
        suffixes: tokens left to prefill, by request.
        ready: requests ready to decode.
        budget: most tokens of the iteration.
        cap: most tokens of one chunk.

    Raises:
        BrokenRuleError: the first rule that is broken.
    """
    if type(plan) is not dict:
        raise broken("not_a_dict", kind=type(plan).__name__)
    try:
        decode_ids = plan["decode_request_ids"]
        chunks = plan["prefill_chunks"]
        used, remaining = plan["used_tokens"], plan["remaining_tokens"]
        stated_budget = plan["max_num_batched_tokens"]
    except KeyError as error:
        raise broken("missing_key", key=error.args[0]) from None
    decode_all = type(decode_ids) is list and decode_ids == ready
    if decode_all and type(chunks) is list and not chunks and ready:
        scheduled = len(ready)
        if (  # the common case, worth a short way
            type(used) is int
            and type(remaining) is int
            and used == scheduled <= budget
            and remaining == budget - scheduled
            and stated_budget == budget
        ):
            return EVERYBODY
    if not decode_all:
        _check_decodes(decode_ids, ready)
    read = _check_chunks(chunks, suffixes, cap)
    scheduled = len(decode_ids) + sum(read.values())
    if scheduled > budget:
        raise broken("over_budget", used=scheduled, budget=budget)
    if type(used) is not int or used != scheduled:
        raise broken("not_conserved", key="used_tokens", expected=scheduled, value=safe_repr(used))
    if type(remaining) is not int or remaining != budget - scheduled:
        raise broken(
            "not_conserved",
            key="remaining_tokens",
            expected=budget - scheduled,
            value=safe_repr(remaining),
        )
    if stated_budget != budget:
        raise broken(
            "not_conserved",
            key="max_num_batched_tokens",
            expected=budget,
            value=safe_repr(stated_budget),
        )
    if not scheduled:
        raise broken("nothing")
    return ReadPlan(None if decode_all or len(decode_ids) == len(ready) else decode_ids, read)


EVERYBODY: Final = ReadPlan(None, {})


def broken(rule: str, **fields: object) -> BrokenRuleError:
    """The error for one rule of the catalog."""
    return BrokenRuleError(text(f"plan.{rule}", **fields))


def _check_decodes(decode_ids: object, ready: Sequence[str]) -> None:
    if type(decode_ids) not in (list, tuple):
        raise broken(
            "wrong_type",
            key="decode_request_ids",
            allowed="list[str]",
            value=safe_repr(decode_ids),
        )
    assert isinstance(decode_ids, (list, tuple))
    known = set(ready)
    seen: set[str] = set()
    for request_id in decode_ids:
        if type(request_id) is not str or request_id not in known:
            raise broken("unknown_decode", request_id=safe_repr(request_id))
        if request_id in seen:
            raise broken("duplicate_decode", request_id=safe_repr(request_id))
        seen.add(request_id)


def _check_chunks(chunks: object, suffixes: Mapping[str, int], cap: int) -> dict[str, int]:
    if type(chunks) is not list and type(chunks) is not tuple:
        raise broken(
            "wrong_type", key="prefill_chunks", allowed="list[dict]", value=safe_repr(chunks)
        )
    read: dict[str, int] = {}
    for chunk in chunks:
        if type(chunk) is dict:
            request_id, tokens = chunk.get("request_id"), chunk.get("tokens")
            if (
                type(request_id) is str
                and type(tokens) is int
                and 0 < tokens <= cap
                and tokens <= suffixes.get(request_id, 0)
                and request_id not in read
            ):
                read[request_id] = tokens
                continue
        _refuse_chunk(chunk, suffixes, cap, read)
    return read


def _refuse_chunk(
    chunk: object, suffixes: Mapping[str, int], cap: int, before: Mapping[str, int]
) -> NoReturn:
    """Name the rule that a chunk breaks."""
    if type(chunk) is not dict or "request_id" not in chunk or "tokens" not in chunk:
        raise broken(
            "wrong_type",
            key="prefill_chunks[…]",
            allowed="{'request_id': str, 'tokens': int}",
            value=safe_repr(chunk),
        )
    request_id, tokens = chunk["request_id"], chunk["tokens"]
    shown = safe_repr(request_id)
    if type(request_id) is not str or request_id not in suffixes:
        raise broken("unknown_prefill", request_id=shown)
    if type(tokens) is not int:
        raise broken("wrong_type", key="tokens", allowed="int", value=safe_repr(tokens))
    if tokens < 1:
        raise broken("chunk_not_positive", request_id=shown, tokens=tokens)
    if tokens > cap:
        raise broken("chunk_over_cap", request_id=shown, tokens=tokens, cap=cap)
    suffix = suffixes[request_id]
    if tokens > suffix:
        raise broken("chunk_over_suffix", request_id=shown, tokens=tokens, suffix=suffix)
    assert request_id in before
    raise broken("duplicate_prefill", request_id=shown)
