"""How long the KV cache of one prompt takes from the prefill worker to the decode worker."""

from __future__ import annotations

import math

from pdsched.hardware.gpus import LinkSpec

BLOCK_TOKENS = 16


def handoff_bytes(tokens: int, kv_bytes_per_token: float, block_tokens: int = BLOCK_TOKENS) -> int:
    """Bytes that cross the link: whole blocks, the last one padded.

    Raises:
        ValueError: ``tokens`` is negative or ``block_tokens`` is not positive.
    """
    if tokens < 0:
        raise ValueError(f"tokens must be at least 0, got {tokens}")
    if block_tokens <= 0:
        raise ValueError(f"block_tokens must be positive, got {block_tokens}")
    blocks = -(-tokens // block_tokens)
    return round(blocks * block_tokens * kv_bytes_per_token)


def handoff_ms(tokens: int, kv_bytes_per_token: float, link: LinkSpec) -> float:
    """Milliseconds to move the KV of ``tokens`` over an idle ``link``.

    ``setup + bytes / speed``; a queue on the link is the simulator's business.

    Raises:
        ValueError: ``tokens`` is negative.
    """
    return link.setup_ms + handoff_bytes(tokens, kv_bytes_per_token) / (link.gb_per_s * 1e6)


def exposed_handoff_ms(transfer_ms: float, prefill_ms: float, layers: int) -> float:
    """What is left of a transfer when each layer is sent while the next one is computed.

    Only the last layer cannot overlap, plus whatever the prefill is too short to hide.

    Raises:
        ValueError: a time is negative or not finite, or ``layers`` is not positive.
    """
    if not (0 <= transfer_ms < math.inf and 0 <= prefill_ms < math.inf):
        raise ValueError(f"times must be finite and >= 0, got {transfer_ms}, {prefill_ms}")
    if layers <= 0:
        raise ValueError(f"layers must be positive, got {layers}")
    return transfer_ms / layers + max(0.0, (transfer_ms - prefill_ms) * (layers - 1) / layers)
