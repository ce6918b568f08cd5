"""What isolation adds to one honest submission: the same tests with and without workers.

    make bench ARGS=bench_isolation

Every question of the assignment is graded twice per round, alternating: through workers, and with
the reference functions called directly in this process. The difference is what isolation adds; on a
busy machine the CPU rows tell more than the clock.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pdgrade import assignment
from pdgrade.assignment import CodeCell, Question, SourceNotebook
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.hidden import seeded
from pdgrade.submission.plan import PRELUDE

Questions = list[tuple[Question, list[CodeCell]]]
SOURCE = Path(__file__).parents[1] / "source" / "prefill-decode-scheduling"


@dataclass(frozen=True)
class Spent:
    """Milliseconds: on the clock, and of CPU (grader and workers)."""

    wall: float
    cpu: float


def cells_of(notebook: SourceNotebook, question: Question) -> list[CodeCell]:
    """What the grader runs for a question: its own answer and the provided cells."""
    run = [c for c in notebook.cells if c.kind == "provided" or c.grade_id == question.name]
    return [PRELUDE, *(CodeCell(cell.grade_id or str(cell.index), cell.source) for cell in run)]


def in_process(question: Question, cells: list[CodeCell]) -> float:
    """The same cells and tests without any isolation."""
    names: dict[str, object] = {}
    for cell in cells:
        exec(compile(cell.source, cell.label, "exec"), names)
    with seeded(1):
        for test in question.tests:
            exec(compile(test.source, test.grade_id, "exec"), dict(names))
    return 0.0


def isolated(question: Question, cells: list[CodeCell], server: ForkServer) -> float:
    """Through a fresh worker, which must earn everything; the worker's CPU time in ms."""
    record = grade_question(question, cells, server, seed=1)
    if record.points != record.max_points:
        raise SystemExit(f"{question.name}: {record}")
    return record.cpu_ms


def measured(run: Callable[..., float], questions: Questions, *more: ForkServer) -> Spent:
    """Wall and CPU time of all questions."""
    wall, cpu = time.perf_counter(), time.process_time()
    workers = sum(run(question, cells, *more) for question, cells in questions)
    return Spent((time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000 + workers)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--isolation", default="auto")
    options = parser.parse_args()
    course = assignment.load(SOURCE)
    questions = [(q, cells_of(n, q)) for n in course.notebooks for q in n.questions]
    with ForkServer(isolation=options.isolation) as server:
        measured(in_process, questions), measured(isolated, questions, server)  # warm both up
        plain, apart = [], []
        for _ in range(options.rounds):
            plain.append(measured(in_process, questions))
            apart.append(measured(isolated, questions, server))
        print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.1f}", end=", ")
        print(f"Python {platform.python_version()}, isolation {server.isolation}")
    print(f"{len(questions)} questions, {options.rounds} rounds; ms, median and best")
    for name in ("wall", "cpu"):
        before = [getattr(spent, name) for spent in plain]
        after = [getattr(spent, name) for spent in apart]
        added = [b - a for a, b in zip(before, after, strict=True)]
        for label, values in (("in process", before), ("isolated", after), ("added", added)):
            print(f"{name:<5}{label:<11}{statistics.median(values):9.1f}{min(values):9.1f}")


if __name__ == "__main__":
    main()
