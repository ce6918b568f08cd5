"""Inter-token times as (milliseconds, weight) pairs: a batch of a thousand is one pair."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

MOST_PAIRS: Final = 1_000_000
_BINS_OF_SMALLEST = 10_000


class TokenGaps:
    """Weighted inter-token times; one entry per distinct step, not per token.

    Exact up to `MOST_PAIRS` entries. Beyond, neighbours are merged into bins as wide as 0.01 %
    of the smallest gap, so that any number of tokens fits into memory.

    Attributes:
        gap_ms: milliseconds between neighbouring tokens.
        weight: how many tokens waited that long.
    """

    __slots__ = ("_bins_per_ms", "gap_ms", "weight")

    def __init__(self) -> None:
        self.gap_ms = array("d")
        self.weight = array("q")
        self._bins_per_ms = 0.0

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
        if len(self.gap_ms) > MOST_PAIRS:
            self._merge()

    def _merge(self) -> None:
        if not self._bins_per_ms:
            self._bins_per_ms = _BINS_OF_SMALLEST / min(self.gap_ms)
        scale = self._bins_per_ms
        bins: dict[int, int] = {}
        for gap_ms, weight in zip(self.gap_ms, self.weight, strict=True):
            place = int(gap_ms * scale)
            bins[place] = bins.get(place, 0) + weight
        self.gap_ms = array("d", [(place + 0.5) / scale for place in bins])
        self.weight = array("q", bins.values())
