"""What isolation adds to one honest submission: the same tests with and without workers.

    make bench ARGS=bench_isolation

Every question of the assignment is graded twice per round, alternating: through workers, and with
the reference functions called directly in this process. The difference is what isolation adds.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from pathlib import Path

from pdgrade import assignment
from pdgrade.assignment import CodeCell, Question, SourceNotebook
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.hidden import seeded

SOURCE = Path(__file__).parents[1] / "source" / "prefill-decode-scheduling"


def cells_of(notebook: SourceNotebook) -> list[CodeCell]:
    """Everything of a notebook that is run when grading."""
    run = [cell for cell in notebook.cells if cell.kind in ("provided", "solution")]
    return [CodeCell(cell.grade_id or str(cell.index), cell.source) for cell in run]


def in_process(question: Question, cells: list[CodeCell]) -> None:
    """The same cells and tests without any isolation."""
    names: dict[str, object] = {}
    for cell in cells:
        exec(compile(cell.source, cell.label, "exec"), names)
    with seeded(1):
        for test in question.tests:
            exec(compile(test.source, test.grade_id, "exec"), dict(names))


def isolated(question: Question, cells: list[CodeCell], server: ForkServer) -> None:
    """Through a fresh worker; the reference must earn everything."""
    record = grade_question(question, cells, server, seed=1)
    if record.points != record.max_points:
        raise SystemExit(f"{question.name}: {record}")


def seconds(run: object, questions: list[tuple[Question, list[CodeCell]]], *more: object) -> float:
    """Wall time of all questions."""
    started = time.perf_counter()
    for question, cells in questions:
        run(question, cells, *more)  # type: ignore[operator]
    return time.perf_counter() - started


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--isolation", default="auto")
    options = parser.parse_args()
    course = assignment.load(SOURCE)
    questions = [(q, cells_of(n)) for n in course.notebooks for q in n.questions]
    with ForkServer(isolation=options.isolation) as server:
        seconds(in_process, questions), seconds(isolated, questions, server)  # warm both up
        plain, apart = [], []
        for _ in range(options.rounds):
            plain.append(seconds(in_process, questions) * 1000)
            apart.append(seconds(isolated, questions, server) * 1000)
        added = [a - p for a, p in zip(apart, plain, strict=True)]
        print(f"{os.cpu_count()} CPUs, Python {platform.python_version()}")
        print(f"isolation {server.isolation}; {len(questions)} questions, {options.rounds} rounds")
        for name, values in (("in process", plain), ("isolated", apart), ("added", added)):
            middle, low = statistics.median(values), min(values)
            print(f"{name:<11}{middle:8.1f} ms median{low:8.1f} ms best")
        print(f"{'':<11}{statistics.median(added) / len(questions):8.2f} ms added per question")


if __name__ == "__main__":
    main()
