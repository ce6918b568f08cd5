"""Faults a server can be asked to show, so that clients are proven against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

KINDS: Final = ("none", "slow", "silent", "disconnect", "malformed", "refuse")


@dataclass(frozen=True)
class Fault:
    """What goes wrong, for every ``every``-th request.

    Attributes:
        kind: ``slow`` sends the first token ``delay_ms`` late; ``silent`` stops sending after
            ``after_tokens``; ``disconnect`` closes the socket then; ``malformed`` sends a chunk
            that is not JSON then; ``refuse`` answers 503.
        after_tokens: tokens sent before it happens.
        delay_ms: of ``slow``.
        every: 1 means every request, 3 every third one.

    Raises:
        ValueError: unknown kind, or a number out of range.
    """

    kind: str = "none"
    after_tokens: int = 2
    delay_ms: float = 1_000.0
    every: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"fault must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if self.every < 1 or self.after_tokens < 0 or self.delay_ms < 0:
            raise ValueError(f"every >= 1, after_tokens >= 0, delay_ms >= 0; got {self}")

    def strikes(self, number: int) -> bool:
        """Whether the ``number``-th request (from 1) is hit."""
        return self.kind != "none" and number % self.every == 0
