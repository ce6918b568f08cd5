"""Make a failing input small: deterministic, greedy, over plain JSON-like values.

A learner understands ``f([3], 2)`` sooner than a list of forty numbers. Lists lose items, numbers
move towards zero, strings stay (they are names). The same failing input always shrinks to the
same small one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

V = TypeVar("V")


def shrink(value: V, fails: Callable[[V], bool], max_calls: int = 200) -> V:
    """The smallest value found that still fails.

    Args:
        value: a failing input made of dict, list, tuple, str, int, float, bool and None.
        fails: whether a candidate still fails; called at most `max_calls` times.
        max_calls: how many candidates to try in all.
    """
    calls = 0
    found = True
    while found:
        found = False
        for candidate in smaller(value):
            if calls >= max_calls:
                return value
            calls += 1
            if fails(candidate):
                value, found = candidate, True
                break
    return value


def smaller(value: Any) -> Iterator[Any]:
    """Candidates simpler than `value`, the boldest first."""
    kind = type(value)
    if kind is int or kind is float:
        yield from _smaller_numbers(value)
    elif kind is list:
        yield from _without_some(value)
        yield from _with_one_smaller(value)
    elif kind is tuple:  # arguments: their number is fixed
        yield from (tuple(candidate) for candidate in _with_one_smaller(list(value)))
    elif kind is dict:
        pairs = list(value.items())
        yield from (dict(kept) for kept in _without_some(pairs))
        for key, item in pairs:
            yield from ({**value, key: candidate} for candidate in smaller(item))


def _smaller_numbers(value: Any) -> Iterator[Any]:
    """Zero, then ever nearer to the number itself: a bisection of the failing boundary."""
    if value == 0 or value != value or abs(value) == float("inf"):  # noqa: PLR0124  NaN
        return
    whole = type(value)(int(value))
    if whole != value:
        yield whole
        return
    gap = int(value)
    while gap:
        yield type(value)(value - gap)
        gap = int(gap / 2)


def _without_some(items: list[Any]) -> Iterator[list[Any]]:
    size = len(items)
    while size:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2


def _with_one_smaller(items: list[Any]) -> Iterator[list[Any]]:
    for index, item in enumerate(items):
        for candidate in smaller(item):
            yield [*items[:index], candidate, *items[index + 1 :]]
