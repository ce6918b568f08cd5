"""Try, from inside a worker, what its isolation promises to prevent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from pdgrade.assignment import CodeCell
from pdgrade.sandbox import Isolation
from pdgrade.worker_client import Worker

_SAMPLES = 3
_ATTEMPTS = """
import os, socket

def reads(path):
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return False
    return True

def forks():
    try:
        pid = os.fork()
    except OSError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True

def sees(pid):
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True

def makes_sockets():
    try:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()
    except OSError:
        return False
    return True
"""


def leaks(worker: Worker, isolation: Isolation, secret: Path) -> str:
    """What worked although a layer forbids it; empty if the layers hold."""
    worker.run_cells([CodeCell("self-check", _ATTEMPTS)])
    if worker.stop is not None:
        return str(worker.stop)
    held_apart = isolation.namespaces or isolation.landlock or isolation.uid
    if held_apart and worker.call("reads", [str(secret)], {}):
        return "a worker reads a protected file"
    if isolation.seccomp:
        if worker.call("forks", [], {}):
            return "a worker starts processes"
        if worker.call("makes_sockets", [], {}):
            return "a worker opens sockets"
    if (isolation.namespaces or isolation.seccomp) and worker.call("sees", [os.getpid()], {}):
        return "a worker signals the grader"
    return ""


def readable_of(worker: Worker, paths: Sequence[str]) -> tuple[str, ...]:
    """Which of the paths a worker can read (after `leaks`, which brings what is needed).

    A folder counts by the first files in it: that a name can be listed gives nothing away.
    """
    return tuple(
        path
        for path in paths
        if any(worker.call("reads", [sample], {}) for sample in _samples(Path(path)))
    )


def _samples(path: Path) -> list[str]:
    if not path.is_dir():
        return [str(path)]
    files = islice((found for found in path.rglob("*") if found.is_file()), _SAMPLES)
    return [str(found) for found in files] or [str(path)]
