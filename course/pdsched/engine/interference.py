"""How much of a measurement is other programs' doing.

An iteration of the engine never waits for anything: whatever its process did not get of the
clock's time while it computed, others had. That is a lower bound (who shares a cache or a clock
frequency is not seen), and it needs no privileges.
"""

from __future__ import annotations

import time
from types import TracebackType

import pdsched.messages.labs  # noqa: F401  registers the catalog
from pdsched.messages import text

BUSY = 0.1  # share of the time above which a table tells not to believe its milliseconds


class CoreShare:
    """The share of a core that this process got inside the ``with`` block; 1 is all of one."""

    def __init__(self) -> None:
        self.value = 1.0

    def __enter__(self) -> CoreShare:
        self._cpu_s, self._wall_s = time.process_time(), time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        wall_s = time.perf_counter() - self._wall_s
        self.value = share(time.process_time() - self._cpu_s, wall_s)


def share(cpu_s: float, wall_s: float) -> float:
    """CPU time over wall time, between 0 and 1; 1 where nothing was measured."""
    return min(1.0, cpu_s / wall_s) if wall_s > 0 else 1.0


def told(core_share: float) -> str:
    """What a table says about it: the lost share, and whether to believe the milliseconds."""
    lost = 1.0 - core_share
    return text("labs.interference.busy" if lost > BUSY else "labs.interference.quiet", lost=lost)
