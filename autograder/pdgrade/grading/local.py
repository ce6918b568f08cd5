"""Run many gradings in processes on this machine.

Results come in any order, with only a few waiting: the caller's memory does not grow with the
number of submissions.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pdgrade
from pdgrade.grading.process import Task
from pdgrade.grading.results import BatchStopped, Result, as_result
from pdgrade.grading.settings import GradingSettings

ATTEMPTS: Final = 3
GRACE_S: Final = 60.0  # above the limit of one submission, before its process is given up


class ProcessDied(RuntimeError):  # noqa: N818  names the state
    """A grading process ended while it started; another one may do better."""


@dataclass(frozen=True)
class _Stop:
    reason: str


class GradingProcess:
    """A child that grades one submission at a time."""

    def __init__(self, source: Path, settings: GradingSettings) -> None:
        self._limit_s = settings.limits.submission_wall_s + GRACE_S
        self.child = subprocess.Popen(
            [sys.executable, "-m", "pdgrade.grading.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            cwd=Path(pdgrade.__file__).parents[1],  # -m looks there first: never among submissions
        )
        first = {"source": str(source), "settings": settings.to_json(), "parent": os.getpid()}
        answer = self._ask(json.dumps(first))
        if not answer:
            self.close()
            raise ProcessDied("it ended before it was ready")
        if "refused" in answer:
            self.close()
            raise BatchStopped(str(answer["refused"]))

    def grade(self, task: Task) -> dict[str, Any]:
        """The answer to one task; empty if the process died or ran out of time."""
        return self._ask(task.to_json())

    def _ask(self, line: str) -> dict[str, Any]:
        assert self.child.stdin is not None
        assert self.child.stdout is not None
        watchdog = threading.Timer(self._limit_s, self.child.kill)
        watchdog.start()
        try:
            self.child.stdin.write(line + "\n")
            self.child.stdin.flush()
            answer = json.loads(self.child.stdout.readline() or "{}")
        except (OSError, ValueError):
            return {}
        finally:
            watchdog.cancel()
        return answer if isinstance(answer, dict) else {}

    def close(self) -> None:
        """Let it end by itself; kill it if it does not."""
        for stream in (self.child.stdin, self.child.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                continue
        try:
            self.child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


def run_in_processes(
    tasks: Iterable[Task], source: Path, settings: GradingSettings, jobs: int
) -> Iterator[Result]:
    """Grade in `jobs` processes on this machine.

    Raises:
        BatchStopped: a process refuses to start or cannot write its results.
    """
    todo: Iterator[Task] = iter(tasks)
    lock = threading.Lock()
    done: queue.Queue[Result | _Stop | None] = queue.Queue(maxsize=2 * jobs)
    closing = threading.Event()

    def next_task() -> Task | None:
        with lock:
            return None if closing.is_set() else next(todo, None)

    def serve() -> None:
        try:
            for result in _serve(next_task, source, settings):
                done.put(result)
        except BatchStopped as stopped:
            done.put(_Stop(str(stopped)))
        except Exception as error:  # a silent thread would hang the batch
            done.put(_Stop(f"{type(error).__name__}: {error}"))
        done.put(None)

    threads = [threading.Thread(target=serve, daemon=True) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    try:
        yield from _collect(done, jobs)
    finally:
        closing.set()
        _drain(done, threads)


def _collect(done: queue.Queue[Result | _Stop | None], jobs: int) -> Iterator[Result]:
    running = jobs
    while running:
        item = done.get()
        if item is None:
            running -= 1
        elif isinstance(item, _Stop):
            raise BatchStopped(item.reason)
        else:
            yield item


def _drain(done: queue.Queue[Result | _Stop | None], threads: list[threading.Thread]) -> None:
    """Let the threads finish what they are at; a full queue must not hold them."""
    while any(thread.is_alive() for thread in threads):
        try:
            done.get(timeout=0.1)
        except queue.Empty:
            continue


def _serve(
    next_task: Callable[[], Task | None], source: Path, settings: GradingSettings
) -> Iterator[Result]:
    """Grade tasks in one process after the other; a process that died or failed is replaced."""
    process: GradingProcess | None = None
    try:
        while (task := next_task()) is not None:
            result = Result(task, None, "the grading process died")
            for _ in range(ATTEMPTS):
                try:
                    process = process or GradingProcess(source, settings)
                    answer = process.grade(task)
                except ProcessDied:
                    continue
                if answer:
                    result = as_result(task, answer)
                if result.record is not None and result.record.status != "failed":
                    break
                process.close()
                process = None
            yield result
    finally:
        if process is not None:
            process.close()
