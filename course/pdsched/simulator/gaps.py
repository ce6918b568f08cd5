"""Inter-token times as (milliseconds, weight) pairs: a batch of a thousand is one pair."""

from __future__ import annotations

from array import array
from collections.abc import Sequence


class TokenGaps:
    """Weighted inter-token times; the arrays hold one entry per distinct step, not per token."""

    __slots__ = ("gap_ms", "weight")

    def __init__(self) -> None:
        self.gap_ms = array("d")
        self.weight = array("l")

    def __len__(self) -> int:
        return sum(self.weight)

    def add(self, gap_ms: float, weight: int) -> None:
        """``weight`` requests waited ``gap_ms`` for their next token."""
        self.gap_ms.append(gap_ms)
        self.weight.append(weight)

    def extend(self, gaps_ms: Sequence[float], weight: int) -> None:
        """``weight`` requests waited each of ``gaps_ms`` in turn."""
        self.gap_ms.extend(gaps_ms)
        self.weight.extend([weight] * len(gaps_ms))
