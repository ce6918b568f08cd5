"""The requests and machines of Step 4's ledger, in one place."""

from __future__ import annotations

from typing import Any, Final

MODEL: Final = "llama-3.1-8b"
GPU: Final = "h100"
LINK: Final = "nvlink-h100"
LONG_PROMPT_TOKENS: Final = 2048
LONG_DECODE_TOKENS: Final = 256
MAX_HANDOFF_MS: Final = 10.0
# Prompt and output tokens of the source chapter's three requests.
SHAPES: Final = {"a": (4000, 64), "b": (256, 512), "c": (1500, 128)}
# The beginning of `a` is in the prefix cache.
CACHED_TOKENS: Final = {"a": 1000}
# Requests that are generating when the three arrive.
CHATS: Final = ("d1", "d2")


def request_dicts() -> list[dict[str, Any]]:
    """The three requests as TODO 1 and TODO 4 take them; fresh dictionaries every time."""
    return [
        {"name": name, "prompt_tokens": prompt, "decode_tokens": decode}
        for name, (prompt, decode) in SHAPES.items()
    ]


def suffix_tokens() -> dict[str, int]:
    """Prompt tokens that are not in the prefix cache, by request."""
    return {name: prompt - CACHED_TOKENS.get(name, 0) for name, (prompt, _) in SHAPES.items()}
