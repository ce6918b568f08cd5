"""The whole engine in one file: a Llama-like transformer over a paged KV cache.

Reading order: `weights` says what is multiplied; `PagedKV` says where the past is kept;
`Engine.step` runs ONE iteration, the thing a scheduler plans: a list of
``(sequence_id, num_tokens)``. A long prompt may take many steps (chunked prefill), a decode is a
step of one token, and both share the same matrix products, because an iteration is one *ragged
batch*: the tokens of all sequences stacked into one matrix. Only attention looks at one sequence
at a time. Shapes: T tokens of the iteration, d model width, H query heads sharing K KV heads,
h head width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from pdsched.engine.weights import Array, ModelConfig, Weights

PAGE_TOKENS: Final = 16
QUERY_TILE_TOKENS: Final = 64  # a tile's scores (H x 64 x context) should stay in the CPU cache


class OutOfPagesError(ValueError):
    """The KV cache has too few free pages for what a step or an import asks."""


class PagedKV:
    """KV cache in pages of 16 tokens; a page holds all layers, so it moves as one block."""

    def __init__(self, config: ModelConfig, num_pages: int) -> None:
        heads, width = config.num_kv_heads, config.head_width
        shape = (num_pages, config.num_layers, 2, PAGE_TOKENS, heads, width)
        self.pages: Array = np.zeros(shape, config.dtype)
        self.free_pages: list[int] = list(range(num_pages))[::-1]

    def missing_pages(self, table: Sequence[int], num_tokens: int) -> int:
        """How many more pages a sequence with this page table needs to hold ``num_tokens``."""
        return max(0, -(-num_tokens // PAGE_TOKENS) - len(table))

    def grow(self, table: list[int], num_tokens: int) -> None:
        """Give the sequence pages until it can hold ``num_tokens``."""
        for _ in range(self.missing_pages(table, num_tokens)):
            table.append(self.free_pages.pop())

    def write(self, layer: int, page: Array, offset: Array, keys: Array, values: Array) -> None:
        """Store one layer's K and V of T tokens at their (page, offset)."""
        self.pages[page, layer, 0, offset] = keys
        self.pages[page, layer, 1, offset] = values

    def read(self, layer: int, table: Array, num_tokens: int) -> tuple[Array, Array]:
        """One layer's K and V of a sequence: two (num_tokens, K, h) arrays."""
        heads, width = self.pages.shape[-2:]
        keys = self.pages[table, layer, 0].reshape(-1, heads, width)[:num_tokens]
        values = self.pages[table, layer, 1].reshape(-1, heads, width)[:num_tokens]
        return keys, values


@dataclass
class SequenceState:
    """A request inside the engine: its tokens so far, and how many are already in the KV cache."""

    tokens: list[int]
    num_computed: int = 0
    page_table: list[int] = field(default_factory=list)

    @property
    def num_uncomputed(self) -> int:
        """Tokens still to run: the rest of the prompt, or the 1 token that was sampled last."""
        return len(self.tokens) - self.num_computed


@dataclass(frozen=True)
class _Slice:
    """The rows of one sequence in the ragged batch, and its pages."""

    start: int
    stop: int
    past: int  # tokens already in the cache before this step
    table: Array


class Engine:
    """Greedy decoding of many sequences, one planned iteration at a time."""

    def __init__(
        self,
        config: ModelConfig,
        weights: Weights | None = None,
        *,
        num_pages: int = 1024,
        seed: int = 0,
    ) -> None:
        self.config = config
        self.weights = Weights.random(config, seed=seed) if weights is None else weights
        self.kv = PagedKV(config, num_pages)
        self.sequences: dict[str, SequenceState] = {}
        turns = config.rope_theta ** (-np.arange(0, config.head_width, 2) / config.head_width)
        angles = np.arange(config.max_positions)[:, None] * turns
        self._cos: Array = np.cos(angles).astype(config.dtype)[:, None]
        self._sin: Array = np.sin(angles).astype(config.dtype)[:, None]

    # --- requests enter and leave ---------------------------------------------------------

    def add(self, sequence_id: str, prompt_tokens: Sequence[int]) -> None:
        """Register a request; nothing is computed yet.

        Raises:
            ValueError: known id, empty or too long prompt, or a token outside the vocabulary.
        """
        tokens = [int(token) for token in prompt_tokens]
        if sequence_id in self.sequences:
            raise ValueError(f"sequence {sequence_id!r} is already in the engine")
        if not 0 < len(tokens) <= self.config.max_positions:
            raise ValueError(
                f"prompt of {sequence_id!r} must have 1..{self.config.max_positions} tokens, "
                f"got {len(tokens)}"
            )
        if not 0 <= min(tokens) <= max(tokens) < self.config.vocab_size:
            raise ValueError(
                f"tokens of {sequence_id!r} must lie in 0..{self.config.vocab_size - 1}"
            )
        self.sequences[sequence_id] = SequenceState(tokens)

    def release(self, sequence_id: str) -> list[int]:
        """Forget a request, free its pages and return its tokens (prompt and output)."""
        state = self.sequences.pop(sequence_id)
        self.kv.free_pages.extend(reversed(state.page_table))
        return state.tokens

    def export_kv(self, sequence_id: str, out: Array | None = None) -> Array:
        """Copy a sequence's pages out, page by page: (pages, layers, 2, 16, K, h)."""
        table = self.sequences[sequence_id].page_table
        if out is None:
            out = np.empty((len(table), *self.kv.pages.shape[1:]), self.config.dtype)
        for block, page in zip(out, table, strict=True):
            block[...] = self.kv.pages[page]
        return out

    def import_kv(
        self, sequence_id: str, tokens: Sequence[int], num_computed: int, pages: Array
    ) -> None:
        """Continue elsewhere: add a sequence whose first ``num_computed`` tokens are ``pages``.

        Raises:
            ValueError: the pages do not fit the tokens.
            OutOfPagesError: too few free pages; the engine is unchanged.
        """
        if len(pages) * PAGE_TOKENS < num_computed or not 0 <= num_computed < len(tokens):
            raise ValueError(
                f"{len(pages)} pages and {len(tokens)} tokens do not hold {num_computed} computed"
            )
        if len(pages) > len(self.kv.free_pages):
            raise OutOfPagesError(f"{len(pages)} pages asked, {len(self.kv.free_pages)} free")
        self.add(sequence_id, tokens)
        state = self.sequences[sequence_id]
        state.num_computed = num_computed
        self.kv.grow(state.page_table, len(pages) * PAGE_TOKENS)
        for page, block in zip(state.page_table, pages, strict=True):
            self.kv.pages[page] = block

    # --- one iteration --------------------------------------------------------------------

    def step(self, plan: Sequence[tuple[str, int]]) -> dict[str, int]:
        """Run one iteration; return the token sampled for each sequence that caught up.

        A plan that cannot run changes nothing.

        Raises:
            KeyError: an unknown sequence.
            ValueError: a sequence twice, or more or fewer tokens than it has left to run.
            OutOfPagesError: the KV cache is full; the caller must release or preempt.
        """
        self._check(plan)
        slices, rows = self._ragged_batch(plan)
        if not slices:
            return {}
        hidden = self._forward(slices, rows)
        sampled: dict[str, int] = {}
        finished: list[tuple[str, int]] = []
        for (sequence_id, num_tokens), piece in zip(plan, slices, strict=True):
            state = self.sequences[sequence_id]
            state.num_computed += num_tokens
            if state.num_uncomputed == 0:
                finished.append((sequence_id, piece.stop - 1))
        if finished:  # the output head runs only where a token is sampled
            last = hidden[[row for _, row in finished]]
            logits = self._norm(last, self.weights.final_norm) @ self.weights.head
            for (sequence_id, _), token in zip(finished, logits.argmax(axis=1), strict=True):
                sampled[sequence_id] = int(token)
                self.sequences[sequence_id].tokens.append(int(token))
        return sampled

    def _check(self, plan: Sequence[tuple[str, int]]) -> None:
        """Refuse a plan that cannot run, before anything is changed."""
        if len({sequence_id for sequence_id, _ in plan}) != len(plan):
            raise ValueError(f"a sequence appears twice in {list(plan)}")
        wanted = 0
        for sequence_id, num_tokens in plan:
            state = self.sequences[sequence_id]
            left = state.num_uncomputed
            if not 1 <= num_tokens <= left:
                raise ValueError(f"{sequence_id!r} can run 1..{left} tokens, planned {num_tokens}")
            if state.num_computed + num_tokens > self.config.max_positions:
                raise ValueError(
                    f"{sequence_id!r} would pass {self.config.max_positions} positions"
                )
            wanted += self.kv.missing_pages(state.page_table, state.num_computed + num_tokens)
        if wanted > len(self.kv.free_pages):
            raise OutOfPagesError(f"{wanted} pages asked, {len(self.kv.free_pages)} free")

    def _ragged_batch(self, plan: Sequence[tuple[str, int]]) -> tuple[list[_Slice], list[int]]:
        """Give out pages and stack the tokens of all sequences into rows."""
        slices: list[_Slice] = []
        rows: list[int] = []
        for sequence_id, num_tokens in plan:
            state = self.sequences[sequence_id]
            past, context = state.num_computed, state.num_computed + num_tokens
            self.kv.grow(state.page_table, context)
            table = np.array(state.page_table[: -(-context // PAGE_TOKENS)])
            slices.append(_Slice(len(rows), len(rows) + num_tokens, past, table))
            rows.extend(state.tokens[past:context])
        return slices, rows

    def _forward(self, slices: Sequence[_Slice], rows: Sequence[int]) -> Array:
        """All layers over all T rows; returns the hidden states (T, d)."""
        config, kv_heads = self.config, self.config.num_kv_heads
        positions = np.concatenate([np.arange(s.past, s.past + s.stop - s.start) for s in slices])
        page = np.concatenate([s.table[_positions(s) // PAGE_TOKENS] for s in slices])
        cos, sin, offset = self._cos[positions], self._sin[positions], positions % PAGE_TOKENS
        hidden: Array = self.weights.embedding[np.array(rows)]
        for index, layer in enumerate(self.weights.layers):
            qkv = self._norm(hidden, layer.attention_norm) @ layer.qkv
            heads = qkv.reshape(len(rows), -1, config.head_width)
            query = _rotate(heads[:, : config.num_heads], cos, sin)
            key = _rotate(heads[:, config.num_heads : -kv_heads], cos, sin)
            self.kv.write(index, page, offset, key, heads[:, -kv_heads:])
            mixed = np.empty_like(query)
            for s in slices:
                past_and_new = self.kv.read(index, s.table, s.past + s.stop - s.start)
                _attend(query[s.start : s.stop], *past_and_new, out=mixed[s.start : s.stop])
            hidden = hidden + mixed.reshape(len(rows), -1) @ layer.attention_out
            gate_up = self._norm(hidden, layer.mlp_norm) @ layer.gate_up
            gate, up = gate_up[:, : config.mlp_width], gate_up[:, config.mlp_width :]
            hidden = hidden + (gate / (1 + np.exp(-gate)) * up) @ layer.down
        return hidden

    def _norm(self, x: Array, scale: Array) -> Array:
        """RMSNorm."""
        mean_square: Array = np.einsum("td,td->t", x, x)[:, None] / x.shape[1]
        scaled: Array = x / np.sqrt(mean_square + x.dtype.type(self.config.norm_epsilon))
        return scaled * scale


def _positions(s: _Slice) -> Array:
    return np.arange(s.past, s.past + s.stop - s.start)


def _rotate(x: Array, cos: Array, sin: Array) -> Array:
    """RoPE: turn the pair (i, i + h/2) of every head by its position's angle."""
    half = x.shape[-1] // 2
    left, right = x[..., :half], x[..., half:]
    return np.concatenate([left * cos - right * sin, right * cos + left * sin], axis=-1)


def _attend(query: Array, keys: Array, values: Array, *, out: Array) -> None:
    """Causal attention of one sequence: c new queries over its whole context.

    The H query heads are grouped by the KV head they share, so each group is one matrix product.
    """
    num_new, num_heads, width = query.shape
    past = len(keys) - num_new
    kv_heads = keys.shape[1]
    group = num_heads // kv_heads
    keys_t, values_t = keys.transpose(1, 2, 0), values.transpose(1, 0, 2)  # (K,h,n), (K,n,h)
    for start in range(0, num_new, QUERY_TILE_TOKENS):
        stop = min(start + QUERY_TILE_TOKENS, num_new)
        tile, visible = stop - start, past + stop
        grouped = query[start:stop].reshape(tile, kv_heads, group, width).transpose(1, 0, 2, 3)
        scores = grouped.reshape(kv_heads, tile * group, width) @ keys_t[..., :visible]
        scores *= width**-0.5
        if tile > 1:  # among the tile's own tokens nobody sees the future
            own = scores.reshape(kv_heads, tile, group, visible)[..., past + start :]
            own += np.triu(np.full((tile, tile), -np.inf, own.dtype), 1)[:, None]
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = (scores @ values_t[:, :visible]).reshape(kv_heads, tile, group, width)
        out[start:stop] = mixed.transpose(1, 0, 2, 3).reshape(tile, num_heads, width)
