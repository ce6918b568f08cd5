"""Small workloads for the timeline: chats that are already running, and what arrives among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pdsched.workload import Request

ARRIVAL_MS: Final = 40.0
CHAT_CONTEXT: Final = 512  # tokens of history, all of them prefix hits
LONG_LIVED: Final = 200  # output tokens of a chat: more than one picture has iterations
WATCHED: Final = "c1"


@dataclass(frozen=True, slots=True)
class Scenario:
    """Requests with one chat to watch; ``arriving`` are the prompts that come among the chats."""

    requests: tuple[Request, ...]
    watched: str
    arriving: tuple[str, ...]


@lru_cache(maxsize=64)
def scenario(kind: str, prompt_tokens: int, chats: int) -> Scenario:
    """``long`` (one prompt), ``burst`` (six prompts at once) or ``reasoning`` (short prompts).

    Raises:
        ValueError: another kind.
    """
    running = tuple(
        Request(f"c{number}", 0.0, CHAT_CONTEXT + 1, LONG_LIVED, CHAT_CONTEXT)
        for number in range(1, chats + 1)
    )
    if kind == "long":
        arriving: tuple[Request, ...] = (Request("long", ARRIVAL_MS, prompt_tokens, 8),)
    elif kind == "burst":
        arriving = tuple(
            Request(f"code{n}", ARRIVAL_MS + n, max(1, prompt_tokens // 4), 13) for n in range(1, 7)
        )
    elif kind == "reasoning":
        arriving = tuple(
            Request(f"think{n}", ARRIVAL_MS + 9 * n, max(1, prompt_tokens // 128), 1000)
            for n in range(1, 5)
        )
    else:
        raise ValueError(f"scenario must be long, burst or reasoning, got {kind!r}")
    return Scenario(running + arriving, WATCHED, tuple(each.request_id for each in arriving))
