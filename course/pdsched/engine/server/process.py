"""Start a server in its own process for the length of a ``with`` block."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pdsched.engine import threads


@dataclass(frozen=True)
class ServerProcess:
    """A running server.

    Attributes:
        url: where it listens, e.g. ``http://127.0.0.1:40123``.
        model: the model name it answers to.
        process: its process; gone at the end of the ``with`` block.
    """

    url: str
    model: str
    process: subprocess.Popen[str]


@contextmanager
def launched(*arguments: str, command: Sequence[str] = ()) -> Iterator[ServerProcess]:
    """Run ``python -m pdsched.engine.server`` with these arguments on a free port.

    Args:
        arguments: as on its command line, e.g. ``"--fault", "disconnect"``.
        command: another command that prints the same ready line.

    Raises:
        RuntimeError: it ended before it was ready; carries what it wrote.
    """
    run = [*command] or [sys.executable, "-m", "pdsched.engine.server"]
    environment = {**os.environ, **dict.fromkeys(threads.VARIABLES, "1")}
    process = subprocess.Popen(
        [*run, "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    try:
        ready = process.stdout.readline()
        if not ready:
            _, said = process.communicate()
            raise RuntimeError(f"server ended with status {process.returncode}: {said.strip()}")
        told = json.loads(ready)
        yield ServerProcess(told["url"], told["model"], process)
    finally:
        process.terminate()
        process.communicate()
