"""One grading run per assignment at a time: command line, nbgrader or formgrader."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from pdgrade.grading.results import BatchStopped
from pdgrade.grading.store import make_private

PATIENCE_S: Final = 20.0


@contextmanager
def only_run(path: Path, patience_s: float = PATIENCE_S) -> Iterator[None]:
    """Hold a lock file while grading; it is free again when this process ends, however it ends.

    Raises:
        BatchStopped: another run still holds it after `patience_s` seconds.
    """
    make_private(path.parent)
    with path.open("a+", encoding="utf-8") as file:
        deadline = time.monotonic() + patience_s
        while not _taken(file):
            if time.monotonic() > deadline:
                file.seek(0)
                holder = file.read(200).strip() or "unknown"
                raise BatchStopped(f"another grading run is at work here ({holder})")
            time.sleep(0.1)
        file.seek(0)
        file.truncate()
        file.write(f"process {os.getpid()}\n")
        file.flush()
        yield


def _taken(file: IO[str]) -> bool:
    """Try to lock; where there are no such locks (Windows), everyone gets it."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
