"""Sentences about a wrong result that every panel shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pdsched.messages import text

SHOWN: Final = 3  # sentences; the picture marks all of them


def limited(faults: Sequence[str]) -> tuple[str, ...]:
    """The first few sentences and a count of the rest."""
    if len(faults) <= SHOWN:
        return tuple(faults)
    more = text("panels.more_faults", count=len(faults) - SHOWN)
    return (*faults[:SHOWN], more)


def wrong_type(function: str, expected: str, got: object) -> str:
    """The sentence for a result of the wrong shape."""
    words = repr(got)
    shown = words if len(words) <= 120 else words[:118] + "…"
    described = f"{type(got).__name__} {shown}"
    return text("panels.wrong_type", function=function, expected=expected, got=described)
