"""TODO 1, ``summarize_request_mix``: classes, edges, conservation, purity."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from pdgrade.hidden.properties import (
    Case,
    Function,
    Property,
    calls_of_pure,
    exact,
    holds,
    pure,
    same_as,
)
from pdsched.feedback.judging import Broken, broken
from pdsched.feedback.results import CheckResult

NAME: Final = "summarize_request_mix"
CLASSES: Final = ("prefill_heavy", "decode_heavy", "mixed")


def oracle(requests: list[dict[str, int]], long_prompt_threshold: int) -> dict[str, int]:
    """The agreed counts: a table of (long prompt, long output) to class."""
    table = {(True, False): "prefill_heavy", (False, True): "decode_heavy"}
    counts = dict.fromkeys(CLASSES, 0)
    for request in requests:
        long_prompt = request.get("prompt_tokens", 0) > long_prompt_threshold
        long_output = request.get("decode_tokens", 0) > long_prompt_threshold // 8
        counts[table.get((long_prompt, long_output), "mixed")] += 1
    return counts


def request(rng: Random, prompt_tokens: int, decode_tokens: int) -> dict[str, Any]:
    """A request as the notebooks write them; the name carries no meaning."""
    name = f"{rng.choice('abcdefgh')}{rng.randrange(100)}"
    return {"name": name, "prompt_tokens": prompt_tokens, "decode_tokens": decode_tokens}


def clear_mix(rng: Random, threshold: int, size: int) -> list[dict[str, Any]]:
    """Requests far from both thresholds, every kind among them."""
    decode = max(threshold // 8, 1)
    kinds = [(4, 0), (0, 4), (0, 0), (4, 4)]
    mix = []
    for index in range(size):
        prompt_times, decode_times = kinds[index % 4] if index < 4 else rng.choice(kinds)
        prompt = threshold * prompt_times + rng.randrange(threshold // 2)
        mix.append(request(rng, prompt, decode * decode_times + rng.randrange(decode)))
    rng.shuffle(mix)
    return mix


def three_classes(rng: Random) -> Iterator[Case]:
    """Mixes of clear requests, and each kind alone."""
    yield Case(([], rng.randrange(100, 4000)))
    for size in (1, 2, 3, 4, 4, 5, 9, 17, 30):
        threshold = 8 * rng.randrange(20, 500)
        yield Case((clear_mix(rng, threshold, size), threshold))
    threshold = 8 * rng.randrange(20, 500)
    for only in clear_mix(rng, threshold, 8):
        yield Case(([only], threshold))


def threshold_edges(rng: Random) -> Iterator[Case]:
    """Each request alone, one below, at and one above either threshold."""
    for threshold in (8 * rng.randrange(20, 500), 8 * rng.randrange(20, 500) + rng.randrange(1, 8)):
        for prompt in (threshold - 1, threshold, threshold + 1):
            for decode in (threshold // 8 - 1, threshold // 8, threshold // 8 + 1):
                yield Case(([request(rng, prompt, decode)], threshold))
    # Between the quotient and the prompt threshold itself: the natural misreading.
    for _ in range(4):
        threshold = 8 * rng.randrange(20, 500)
        between = rng.randrange(threshold // 8 + 1, threshold)
        prompt = rng.choice((threshold * 2, threshold // 2))
        yield Case(([request(rng, prompt, between)], threshold))
    tiny = rng.randrange(1, 8)  # tiny // 8 is 0
    for decode in (0, 1):
        yield Case(([request(rng, tiny + 1, decode), request(rng, tiny, decode)], tiny))


def missing_keys(rng: Random) -> Iterator[Case]:
    """Empty mixes, requests that lack one count or both, long lists."""
    for threshold in (0, rng.randrange(8, 4000)):
        yield Case(([], threshold))
        for lacking in (
            {"decode_tokens": threshold // 8 + rng.randrange(1, 50)},
            {"prompt_tokens": threshold + rng.randrange(1, 50)},
            {"name": f"r{rng.randrange(100)}"},
        ):
            yield Case(([lacking], threshold))
    for size in (2, 7, 40, 120):
        threshold = rng.randrange(8, 400)
        sizes = [(rng.randrange(2 * threshold), rng.randrange(threshold)) for _ in range(size)]
        yield Case(([request(rng, *each) for each in sizes], threshold))


def _counts_wrong(case: Case, result: Any) -> Broken | None:
    if type(result) is not dict or set(result) != set(CLASSES):
        return broken("keys", keys=", ".join(CLASSES))
    for name, count in result.items():
        if type(count) is not int or count < 0:
            return broken("count", name=name, got=count)
    total, size = sum(result.values()), len(case.args[0])
    return None if total == size else broken("total", expected=size, got=total)


def completed(case: Case) -> Case:
    """The case with 0 written out where a request lacks a count."""
    requests, *others = case.args
    zeros = {"prompt_tokens": 0, "decode_tokens": 0}
    return Case(([{**zeros, **each} for each in requests], *others))


_exact = exact(NAME, oracle)
_conserving = holds(NAME, _counts_wrong)
_same_as_zero = same_as(NAME, completed)


def conserved(function: Function, case: Case) -> CheckResult:
    """The counts add up, and a missing count is treated like a 0, whatever the class."""
    result = _conserving(function, case)
    if result.passed and completed(case) != case:
        return _same_as_zero(function, case)
    return result


def _both_ways(case: Case) -> list[Case]:
    """The calls of both judges: the second only where the case lacks something."""
    return [case] if completed(case) == case else [case, completed(case), case]


def two_mixes(rng: Random) -> Iterator[Case]:
    """Pairs of mixes that differ in every class, so that any reading tells them apart.

    The first is sorted by neither count, so that sorting it in place is a change.
    """
    for _ in range(4):
        threshold = 8 * rng.randrange(20, 500)
        prefill, decode = (request(rng, 4 * threshold, 0), request(rng, 0, 4 * threshold))
        large = [*clear_mix(rng, threshold, rng.randrange(5, 12)), prefill, decode]
        yield Case(((large, threshold), ([prefill], threshold)))


def _is_counts(result: Any) -> bool:
    return type(result) is dict and all(type(count) is int for count in result.values())


PROPERTIES: Final = (
    Property("todo1_three_classes", three_classes, _exact),
    Property("todo1_threshold_edges", threshold_edges, _exact),
    Property("todo1_counts_conserved", missing_keys, conserved, calls=_both_ways),
    Property("todo1_pure", two_mixes, pure(NAME, _is_counts), shrinks=False, calls=calls_of_pure),
)
