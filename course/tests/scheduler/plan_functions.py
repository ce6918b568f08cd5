"""Plan functions for tests: a correct one, and one for each way to be wrong."""

import time
from contextlib import suppress


def plan_of(decodes, chunks, budget, policy="decode_first"):
    used = len(decodes) + sum(tokens for _, tokens in chunks)
    return {
        "policy": policy,
        "max_num_batched_tokens": budget,
        "decode_request_ids": decodes,
        "prefill_chunks": [{"request_id": key, "tokens": tokens} for key, tokens in chunks],
        "used_tokens": used,
        "remaining_tokens": budget - used,
    }


def decode_first(suffixes, ready, budget, cap, **_):
    decodes = ready[:budget]
    left = budget - len(decodes)
    chunks = []
    for key, suffix in suffixes.items():
        tokens = min(suffix, cap, left)
        if tokens > 0:
            chunks.append((key, tokens))
            left -= tokens
    return plan_of(decodes, chunks, budget)


def edited(change):
    """A correct plan after ``change(plan, suffixes, ready)``."""

    def function(suffixes, ready, budget, cap, **options):
        plan = decode_first(suffixes, ready, budget, cap, **options)
        return change(plan, suffixes, ready) or plan

    return function


def raises(*_, **__):
    raise KeyError("request")


def unwritten(*_, **__):
    raise NotImplementedError


def loops(*_, **__):
    while True:
        pass


def loops_and_swallows(*_, **__):
    while True:
        with suppress(Exception):
            time.sleep(0.001)


def loops_and_swallows_everything(*_, **__):
    while True:
        try:
            sum(range(10))
        except:  # noqa: E722 - on Python 3.10 signals are looked at inside the try only
            continue


class Sticky:
    """What a plan may hold: whoever looks at it never comes back."""

    def _stay(self, *_):
        while True:
            sum(range(10))

    __eq__ = __repr__ = _stay
    __hash__ = object.__hash__


class StickyError(Exception):
    def __str__(self):
        return Sticky()._stay()


def raises_an_endless_error(*_, **__):
    raise StickyError


def _sticky(name):
    return edited(lambda plan, _suffixes, _ready: {**plan, name: Sticky()})


def swallows_and_returns(suffixes, ready, budget, cap, **_):
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        try:
            sum(range(10))
        except:  # noqa: E722 - as below
            continue
    return decode_first(suffixes, ready, budget, cap)


ENDLESS = (
    raises_an_endless_error, _sticky("used_tokens"), _sticky("max_num_batched_tokens"),
    _sticky("prefill_chunks"), swallows_and_returns,
    loops, loops_and_swallows, loops_and_swallows_everything,
)  # fmt: skip


def leaves(*_, **__):
    raise SystemExit(3)


def _unknown_decode(plan, suffixes, ready):
    plan["decode_request_ids"] = [*plan["decode_request_ids"], "ghost"]


def _twice(plan, suffixes, ready):
    plan["decode_request_ids"] = plan["decode_request_ids"] * 2


def _first_chunk(**changes):
    def change(plan, suffixes, ready):
        if plan["prefill_chunks"]:
            plan["prefill_chunks"][0].update(changes)

    return change


def _same_chunk_twice(plan, suffixes, ready):
    plan["prefill_chunks"] = plan["prefill_chunks"] * 2


def _lies(key, value):
    def change(plan, suffixes, ready):
        plan[key] = value

    return change


def _empties(plan, suffixes, ready):
    return plan_of([], [], plan["max_num_batched_tokens"])


def _pops_suffix(plan, suffixes, ready):
    suffixes.clear()


def _pops_ready(plan, suffixes, ready):
    ready.append("x")


BROKEN = {
    "raises": (raises, "KeyError"),
    "leaves": (leaves, "SystemExit"),
    "None": (edited(lambda *_: 5), "got int"),
    "list": (edited(lambda *_: [1]), "got list"),
    "missing key": (edited(lambda *_: {"policy": "x"}), "'decode_request_ids' is missing"),
    "unknown decode": (edited(_unknown_decode), "'ghost'"),
    "decodes a set": (edited(_lies("decode_request_ids", {"chat"})), "list"),
    "chunks None": (edited(_lies("prefill_chunks", None)), "list"),
    "chunk tuple": (edited(_lies("prefill_chunks", [("chat", 1)])), "request_id"),
    "unknown prefill": (edited(_first_chunk(request_id="ghost")), "'ghost'"),
    "unhashable id": (edited(_first_chunk(request_id=["chat"])), r"\['chat'\]"),
    "zero chunk": (edited(_first_chunk(tokens=0)), "at least 1"),
    "negative chunk": (edited(_first_chunk(tokens=-1)), "at least 1"),
    "float chunk": (edited(_first_chunk(tokens=1.0)), "1.0"),
    "bool chunk": (edited(_first_chunk(tokens=True)), "True"),
    "over suffix": (edited(_first_chunk(tokens=3)), "only 2 are left"),
    "over cap": (edited(_first_chunk(tokens=4)), "above the cap of 3"),
    "same chunk twice": (edited(_same_chunk_twice), "occurs twice"),
    "wrong used": (edited(_lies("used_tokens", 99)), "used_tokens must be"),
    "wrong remaining": (edited(_lies("remaining_tokens", -1)), "remaining_tokens must be"),
    "wrong budget": (edited(_lies("max_num_batched_tokens", 5)), "max_num_batched_tokens must be"),
    "nothing": (edited(_empties), "wait forever"),
    "changes suffixes": (edited(_pops_suffix), "changed its input prefill_suffixes"),
    "changes ready": (edited(_pops_ready), "changed its input decode_request_ids"),
}
