"""The record of iterations: compact rows while running, `Iteration` objects when looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
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


class WorkerFacts(NamedTuple):
    """What every iteration of one worker shares."""

    name: str
    max_num_batched_tokens: int
    kv_blocks_total: int | None


class IterationSequence(Sequence[Iteration]):
    """Iterations in order of start, built one by one from the rows."""

    def __init__(self, rows: Sequence[Row], workers: Sequence[WorkerFacts]) -> None:
        self._workers = workers
        self._rows = list(rows) if len(workers) == 1 else _in_order(rows)
        self._first: list[int] = []
        count = 0
        for row in self._rows:
            self._first.append(count)
            count += len(row.ends_ms)
        self._count = count

    def __len__(self) -> int:
        return self._count

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
        position = bisect_right(self._first, index) - 1
        return self._build(self._rows[position], index, index - self._first[position])

    def __iter__(self) -> Iterator[Iteration]:
        index = 0
        for row in self._rows:
            for offset in range(len(row.ends_ms)):
                yield self._build(row, index, offset)
                index += 1

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


def _in_order(rows: Sequence[Row]) -> list[Row]:
    """Rows of several workers by start; stretches are cut into single iterations."""
    singles = []
    for row in rows:
        start_ms = row.start_ms
        for offset, end_ms in enumerate(row.ends_ms):
            singles.append(
                row._replace(
                    start_ms=start_ms,
                    ends_ms=(end_ms,),
                    kv_blocks=row.kv_blocks[offset : offset + 1],
                    preempted=row.preempted if offset == 0 else (),
                )
            )
            start_ms = end_ms
    return sorted(singles, key=lambda row: (row.start_ms, row.worker))
