"""Request bodies with exact prompt lengths: token ids (or words, for chat) from a seed."""

from __future__ import annotations

import json
import random
from typing import Any

from pdsched.bench.client import Target
from pdsched.workload import Request

_WORDS = ("the", "of", "and", "to", "in", "is", "that", "for", "it", "as", "was", "with", "be")


def prompt_ids(request: Request, *, seed: int, lowest: int = 3, highest: int = 250) -> list[int]:
    """Token ids of a request: its cached prefix is the same for all, the rest is its own.

    Where a trace names the prompt's blocks, each block's ids follow from its name, so that a
    server's prefix cache hits exactly where the trace says.
    """
    ids: list[int] = []
    for block in request.prefix_block_ids:
        rng = random.Random(f"{seed}/block/{block}")
        ids += rng.choices(range(lowest, highest), k=request.prefix_block_tokens)
    if not ids and request.cached_tokens:
        rng = random.Random(f"{seed}/shared")
        ids += rng.choices(range(lowest, highest), k=request.cached_tokens)
    del ids[request.prompt_tokens :]
    rng = random.Random(f"{seed}/{request.request_id}")
    return ids + rng.choices(range(lowest, highest), k=request.prompt_tokens - len(ids))


def body(request: Request, target: Target, *, seed: int) -> bytes:
    """The JSON body: greedy, streaming, exactly ``output_tokens`` long, usage at the end."""
    ids = prompt_ids(request, seed=seed)
    asked: dict[str, Any] = {
        "model": target.model,
        "max_tokens": request.output_tokens,
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
        "ignore_eos": True,
    }
    if target.chat:  # chat takes words only: about one token each, the server counts exactly
        words = " ".join(_WORDS[token % len(_WORDS)] for token in ids)
        asked["messages"] = [{"role": "user", "content": words}]
    else:
        asked["prompt"] = ids
    return json.dumps(asked, separators=(",", ":")).encode()
