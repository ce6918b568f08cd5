"""Carry over into the caller's own lists and dicts what the learner's code did to its copies."""

from __future__ import annotations

from typing import Any


def write_back(old: Any, new: Any) -> None:
    """Make `old` equal to `new` in place, keeping every inner list and dict that still fits."""
    if type(old) is not type(new):
        return  # the worker's copy of an argument cannot turn into another type
    if type(old) is list:
        old[:] = [_merged(before, after) for before, after in _paired(old, new)]
    elif type(old) is dict:
        merged = {key: _merged(old.get(key), value) for key, value in new.items()}
        old.clear()
        old.update(merged)


def _paired(old: list[Any], new: list[Any]) -> list[tuple[Any, Any]]:
    return [(old[index] if index < len(old) else None, item) for index, item in enumerate(new)]


def _merged(before: Any, after: Any) -> Any:
    if type(before) is type(after) and type(before) in (list, dict):
        write_back(before, after)
        return before
    return after
