"""Try, from inside a worker, what its isolation promises to prevent."""

from __future__ import annotations

import os
from pathlib import Path

from pdgrade.assignment import CodeCell
from pdgrade.sandbox import Isolation
from pdgrade.worker_client import Worker

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
