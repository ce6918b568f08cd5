"""KV cache of one worker in blocks: how many there are, how many are taken, which hits count."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KVCache:
    """Size and rules of a worker's KV cache.

    Attributes:
        num_blocks: blocks in the cache, reserved ones included.
        block_tokens: tokens of one block.
        watermark: share of the usable blocks that admission of a new request leaves free.
        reserved_blocks: blocks that never hold a request (vLLM V1 keeps one as its null block).

    Raises:
        ValueError: a size is not positive, a share is outside [0, 1), or nothing is left to use.
    """

    num_blocks: int
    block_tokens: int = 16
    watermark: float = 0.0
    reserved_blocks: int = 0

    def __post_init__(self) -> None:
        for name, smallest in {"num_blocks": 1, "block_tokens": 1, "reserved_blocks": 0}.items():
            value = getattr(self, name)
            if type(value) is not int or value < smallest:
                raise ValueError(f"{name} must be an integer of at least {smallest}, got {value!r}")
        if not 0 <= self.watermark < 1:
            raise ValueError(f"watermark must be in [0, 1), got {self.watermark!r}")
        if self.usable_blocks <= 0:
            raise ValueError(
                f"reserved_blocks must be below num_blocks ({self.num_blocks}), "
                f"got {self.reserved_blocks}"
            )

    @classmethod
    def from_bytes(
        cls,
        kv_bytes: float,
        kv_bytes_per_token: float,
        *,
        block_tokens: int = 16,
        watermark: float = 0.0,
    ) -> KVCache:
        """The cache that fits into ``kv_bytes`` of memory.

        Raises:
            ValueError: not even one block fits.
        """
        blocks = int(kv_bytes // (kv_bytes_per_token * block_tokens))
        if blocks < 1:
            raise ValueError(f"kv_bytes={kv_bytes!r} holds no block of {block_tokens} tokens")
        return cls(blocks, block_tokens, watermark)

    @property
    def usable_blocks(self) -> int:
        """Blocks that requests can hold."""
        return self.num_blocks - self.reserved_blocks

    @property
    def watermark_blocks(self) -> int:
        """Blocks that admission leaves free."""
        return int(self.watermark * self.usable_blocks)

    def blocks_for(self, tokens: int) -> int:
        """Blocks that hold ``tokens``."""
        return -(-tokens // self.block_tokens)


def prefix_hit_tokens(cached_tokens: int, known_tokens: int, block_tokens: int) -> int:
    """Tokens that need no computation: whole cached blocks, at least one token recomputed.

    The last token is always computed, since its output samples the next one.
    """
    usable = min(cached_tokens, known_tokens - 1)
    return usable - usable % block_tokens


class BlockPool:
    """Blocks taken and free while a worker runs."""

    __slots__ = ("block_tokens", "capacity", "peak", "used", "watermark_blocks")

    def __init__(self, cache: KVCache) -> None:
        self.capacity = cache.usable_blocks
        self.block_tokens = cache.block_tokens
        self.watermark_blocks = cache.watermark_blocks
        self.used = 0
        self.peak = 0

    @property
    def free(self) -> int:
        """Blocks that nobody holds."""
        return self.capacity - self.used

    def blocks_for(self, tokens: int) -> int:
        """Blocks that hold ``tokens``."""
        return -(-tokens // self.block_tokens)

    def take(self, blocks: int) -> None:
        """Take ``blocks``.

        Raises:
            RuntimeError: more than are free; the scheduler must look first.
        """
        self.used += blocks
        if self.used > self.capacity:
            raise RuntimeError(f"{self.used} of {self.capacity} KV blocks taken: scheduler bug")
        self.peak = max(self.peak, self.used)

    def give_back(self, blocks: int) -> None:
        """Return ``blocks``.

        Raises:
            RuntimeError: more than were taken.
        """
        self.used -= blocks
        if self.used < 0:
            raise RuntimeError(f"{-self.used} KV blocks returned twice: scheduler bug")


class PrefixCache:
    """Blocks of earlier prompts, least recently used first out; gives the hits of a trace.

    Args:
        capacity_blocks: blocks it can remember; ``None`` remembers all.

    Raises:
        ValueError: the capacity is not positive.
    """

    def __init__(self, capacity_blocks: int | None = None) -> None:
        if capacity_blocks is not None and capacity_blocks < 1:
            raise ValueError(f"capacity_blocks must be at least 1, got {capacity_blocks}")
        self._capacity = capacity_blocks
        self._blocks: OrderedDict[int, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._blocks)

    def hit_blocks(self, block_ids: Sequence[int]) -> int:
        """Leading blocks already here; all of ``block_ids`` are here afterwards."""
        blocks = self._blocks
        hits = 0
        for block in block_ids:
            if block not in blocks:
                break
            hits += 1
        for block in reversed(block_ids):  # a prefix outlives what builds on it
            blocks[block] = None
            blocks.move_to_end(block)
        while self._capacity is not None and len(blocks) > self._capacity:
            blocks.popitem(last=False)
        return hits
