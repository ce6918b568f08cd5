"""KV on its way from one process to another: slots of shared memory, and a pipe for the notes.

The prefill side copies a sequence's pages into a free slot and sends a small note through the
pipe; the decode side copies them into its own cache and sends the slot number back. When no slot
is free the prefill side keeps the pages and goes on: a finished prefill never blocks an iteration.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory

import numpy as np

from pdsched.engine.model import PAGE_TOKENS, Engine
from pdsched.engine.weights import Array, ModelConfig


@dataclass(frozen=True)
class SlotLayout:
    """Shape of the shared block: ``slots`` places for up to ``pages_per_slot`` KV pages."""

    slots: int
    pages_per_slot: int
    page_shape: tuple[int, ...]
    dtype: str

    @classmethod
    def for_model(cls, config: ModelConfig, *, longest_tokens: int, slots: int = 8) -> SlotLayout:
        """Places large enough for a sequence of ``longest_tokens``."""
        pages = -(-longest_tokens // PAGE_TOKENS)
        shape = (config.num_layers, 2, PAGE_TOKENS, config.num_kv_heads, config.head_width)
        return cls(slots, pages, shape, config.dtype)

    @property
    def num_bytes(self) -> int:
        """Size of the whole block."""
        elements = self.slots * self.pages_per_slot * int(np.prod(self.page_shape))
        return elements * np.dtype(self.dtype).itemsize

    def array(self, memory: SharedMemory) -> Array:
        """The block as (slots, pages, layers, 2, 16, K, h)."""
        shape = (self.slots, self.pages_per_slot, *self.page_shape)
        block: Array = np.ndarray(shape, self.dtype, memory.buf)
        return block


@dataclass(frozen=True)
class Note:
    """What the decode side must know about a slot; times are the machine's monotonic clock, s."""

    sequence_id: str
    slot: int
    tokens: tuple[int, ...]
    num_computed: int
    output_tokens: int
    num_bytes: int
    ready_s: float
    sent_s: float


class Sender:
    """The prefill side."""

    def __init__(self, engine: Engine, slots: Array, pipe: Connection) -> None:
        self.engine = engine
        self.slots = slots
        self.pipe = pipe
        self.free = list(range(len(slots)))
        self._ready: deque[tuple[str, int, float]] = deque()

    def ready(self, sequence_id: str, output_tokens: int) -> None:
        """Its first token is sampled: it may leave as soon as a slot is free."""
        self._ready.append((sequence_id, output_tokens, time.perf_counter()))

    @property
    def idle(self) -> bool:
        """Nothing waits for a slot."""
        return not self._ready

    def pump(self) -> list[str]:
        """Take back slots, send what is ready; returns the sequences that left."""
        while self.pipe.poll():
            self.free.append(self.pipe.recv())
        left = []
        while self._ready and self.free:
            sequence_id, output_tokens, ready_s = self._ready.popleft()
            state = self.engine.sequences[sequence_id]
            slot = self.free.pop()
            pages = self.slots[slot][: len(state.page_table)]
            self.engine.export_kv(sequence_id, out=pages)
            note = Note(
                sequence_id,
                slot,
                tuple(state.tokens),
                state.num_computed,
                output_tokens,
                pages.nbytes,
                ready_s,
                time.perf_counter(),
            )
            self.pipe.send(note)
            left.append(sequence_id)
        return left


class Receiver:
    """The decode side."""

    def __init__(self, slots: Array, pipe: Connection) -> None:
        self.slots = slots
        self.pipe = pipe

    def take(self) -> list[Note]:
        """Notes that have come."""
        notes = []
        while self.pipe.poll():
            notes.append(self.pipe.recv())
        return notes

    def pages(self, note: Note) -> Array:
        """The pages a note speaks of, in shared memory."""
        pages: Array = self.slots[note.slot][: -(-note.num_computed // PAGE_TOKENS)]
        return pages

    def done(self, note: Note) -> None:
        """The slot may be used again."""
        self.pipe.send(note.slot)
