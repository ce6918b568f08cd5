"""The record of iterations: compact rows while running, `Iteration` objects when looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, overload

from pdsched.scheduler.plan import PrefillChunk
from pdsched.simulator.timeline import Iteration


class Row(NamedTuple):
    """One iteration, or a stretch in which the same requests decode again and again.

    Attributes:
        worker: index of the worker.
        start_ms: start of the first.
        ends_ms: end of each.
        decodes: ids that decode in every one.
        prefills: chunks (stretches have none).
        num_running: admitted requests.
        num_waiting: requests without a seat.
        kv_blocks: blocks held in each; empty when the cache is unlimited.
        preempted: ids that lost their KV.
    """

    worker: int
    start_ms: float
    ends_ms: Sequence[float]
    decodes: tuple[str, ...]
    prefills: tuple[PrefillChunk, ...]
    num_running: int
    num_waiting: int
    kv_blocks: Sequence[int]
    preempted: tuple[str, ...]


class Stretch(NamedTuple):
    """Neighbouring iterations of one worker with the same requests.

    Attributes:
        worker: its name.
        start_ms: start of the first.
        end_ms: end of the last.
        iterations: how many.
        num_scheduled_tokens: of all together.
        prefills: whether they prefill.
        decodes: whether they decode.
    """

    worker: str
    start_ms: float
    end_ms: float
    iterations: int
    num_scheduled_tokens: int
    prefills: bool
    decodes: bool


class WorkerFacts(NamedTuple):
    """What every iteration of one worker shares."""

    name: str
    max_num_batched_tokens: int
    kv_blocks_total: int | None


class IterationSequence(Sequence[Iteration]):
    """Iterations in order of start, built one by one from the rows."""

    def __init__(self, rows: Sequence[Row], workers: Sequence[WorkerFacts]) -> None:
        self._workers = workers
        self._rows = rows
        self._count = sum([len(row.ends_ms) for row in rows])
        self._first: list[int] = []
        self._order: list[tuple[float, int, int, int]] = []

    def __len__(self) -> int:
        return self._count

    def _place(self, index: int) -> tuple[int, int]:
        """Row of an iteration and its offset there."""
        if len(self._workers) > 1:
            return self._sorted()[index][2:]
        if not self._first:
            self._first = list(accumulate((len(row.ends_ms) for row in self._rows), initial=0))
        position = bisect_right(self._first, index) - 1
        return position, index - self._first[position]

    def _sorted(self) -> list[tuple[float, int, int, int]]:
        """(start, worker, row, offset) of each, when several workers overlap; made when needed."""
        if not self._order:
            for position, row in enumerate(self._rows):
                start_ms = row.start_ms
                for offset, end_ms in enumerate(row.ends_ms):
                    self._order.append((start_ms, row.worker, position, offset))
                    start_ms = end_ms
            self._order.sort()
        return self._order

    @overload
    def __getitem__(self, index: int) -> Iteration: ...
    @overload
    def __getitem__(self, index: slice) -> list[Iteration]: ...
    def __getitem__(self, index: int | slice) -> Iteration | list[Iteration]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._count))]
        if index < 0:
            index += self._count
        if not 0 <= index < self._count:
            raise IndexError(f"iteration {index} of {self._count}")
        position, offset = self._place(index)
        return self._build(self._rows[position], index, offset)

    def __iter__(self) -> Iterator[Iteration]:
        if len(self._workers) > 1:
            for index, (_, _, position, offset) in enumerate(self._sorted()):
                yield self._build(self._rows[position], index, offset)
            return
        index = 0
        for row in self._rows:
            for offset in range(len(row.ends_ms)):
                yield self._build(row, index, offset)
                index += 1

    def stretches(self) -> Iterator[Stretch]:
        """The rows as they were recorded, each worker's in order: far fewer than iterations."""
        for row in self._rows:
            count = len(row.ends_ms)
            tokens = len(row.decodes) + sum([chunk.num_tokens for chunk in row.prefills])
            name = self._workers[row.worker].name
            yield Stretch(name, row.start_ms, row.ends_ms[-1], count, count * tokens,
                          bool(row.prefills), bool(row.decodes))  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if isinstance(other, IterationSequence):
            return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]  # compared by value, like a list

    def _build(self, row: Row, index: int, offset: int) -> Iteration:
        facts = self._workers[row.worker]
        return Iteration(
            index=index,
            worker=facts.name,
            start_ms=row.ends_ms[offset - 1] if offset else row.start_ms,
            end_ms=row.ends_ms[offset],
            decodes=row.decodes,
            prefills=row.prefills,
            max_num_batched_tokens=facts.max_num_batched_tokens,
            num_scheduled_tokens=len(row.decodes) + sum(c.num_tokens for c in row.prefills),
            num_running=row.num_running,
            num_waiting=row.num_waiting,
            kv_blocks_used=row.kv_blocks[offset] if row.kv_blocks else 0,
            kv_blocks_total=facts.kv_blocks_total,
            preempted=row.preempted if offset == 0 else (),
        )
