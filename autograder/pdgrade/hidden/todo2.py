"""TODO 2, ``build_chunked_prefill_plan``: order and tail, boundaries, errors, purity."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from pdgrade.hidden.properties import Case, Property, calls_of_pure, exact, pure, rejects

NAME: Final = "build_chunked_prefill_plan"


def oracle(suffix_tokens: list[int], chunk_size: int) -> list[list[int]]:
    """The agreed chunks: token by token, a new chunk whenever the last one is full."""
    if chunk_size <= 0:
        raise ValueError("chunk_size")
    chunks: list[list[int]] = []
    for position, token in enumerate(suffix_tokens):
        if position % chunk_size == 0:
            chunks.append([])
        chunks[-1].append(token)
    return chunks


def suffix(rng: Random, size: int) -> list[int]:
    """Token ids in no particular order, repeated ids and zero among them."""
    return [rng.choice((0, 7, rng.randrange(50_000))) for _ in range(size)]


def _case(rng: Random, size: int, chunk_size: int) -> Case:
    return Case((suffix(rng, size),), {"chunk_size": chunk_size})


def order_and_tail(rng: Random) -> Iterator[Case]:
    """Suffixes of several chunks, with and without a shorter tail."""
    for _ in range(10):
        chunk_size, whole = rng.randrange(3, 9), rng.randrange(2, 7)
        yield _case(rng, chunk_size * whole, chunk_size)
        yield _case(rng, chunk_size * whole + rng.randrange(1, chunk_size), chunk_size)
        yield _case(rng, chunk_size + 2, chunk_size + 1)  # equal halves would be shorter chunks
    yield _case(rng, rng.randrange(400, 600), rng.randrange(10, 60))


def boundaries(rng: Random) -> Iterator[Case]:
    """Empty; chunk size 1, one less than the length, equal, one more, far more."""
    for chunk_size in (1, rng.randrange(2, 100)):
        yield _case(rng, 0, chunk_size)
    for size in (1, 2, rng.randrange(5, 30)):
        for chunk_size in (1, size - 1, size, size + 1, size + rng.randrange(2, 90)):
            if chunk_size > 0:
                yield _case(rng, size, chunk_size)


def bad_chunks(rng: Random) -> Iterator[Case]:
    """Zero and negative sizes beside good ones: 1, some, more than the suffix."""
    for size in (0, 1, rng.randrange(2, 12)):
        for chunk_size in (0, -1, -rng.randrange(2, 40), 1, rng.randrange(2, 5), size + 3):
            yield _case(rng, size, chunk_size)


def two_suffixes(rng: Random) -> Iterator[Case]:
    """Pairs of suffixes of different lengths."""
    for _ in range(4):
        size = rng.randrange(4, 9)
        chunk_size = rng.randrange(2, size)
        one, other = (rng.sample(range(1, 50_000), count) for count in (size, size * 2 + 1))
        yield Case(((one, chunk_size), (other, chunk_size)))


def _is_plan(result: Any) -> bool:
    return type(result) is list and all(type(chunk) is list for chunk in result)


_exact = exact(NAME, oracle)

PROPERTIES: Final = (
    Property("todo2_order_and_tail", order_and_tail, _exact),
    Property("todo2_boundaries", boundaries, _exact),
    Property("todo2_rejects_bad_chunk", bad_chunks, rejects(NAME, oracle, _is_plan)),
    Property("todo2_pure", two_suffixes, pure(NAME, _is_plan), shrinks=False, calls=calls_of_pure),
)
