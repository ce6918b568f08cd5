"""What isolation adds to an honest submission, in one run.

    make bench ARGS=bench_isolation

Every submission of an honest class (four notebooks, all answers right) is graded twice, one way
right after the other: as `pdgrade grade` does it, and by the same code with the same cells, tests
and seeds, but with the learner's functions called directly in the grading process. "Added" is the
difference of the two for one submission; its median is what the project promises to keep below
150 ms. On a busy machine the CPU rows tell more than the clock.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from benchmarks.bench_grading import NAME, course, hand_in
from pdgrade.assignment import CodeCell, Question
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.grading.process import Grader, Task, open_grader
from pdgrade.grading.settings import GradingSettings
from pdgrade.limits import Limits
from pdgrade.records import QuestionRecord
from pdgrade.worker_client import Usage

ROUNDS = 3  # over the class; the first warms both up and does not count


@dataclass(frozen=True)
class Spent:
    """Milliseconds: on the clock, and of CPU (grader and workers)."""

    wall: float
    cpu: float


@dataclass
class DirectCalls:
    """Takes the place of a worker and isolates nothing."""

    names: dict[str, Any]
    cells: list[object] = field(default_factory=list)
    stop: None = None
    spent: bool = False
    printed: str = ""
    usage: Usage = field(default_factory=Usage)

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Call the function here."""
        return self.names[name](*args, **kwargs)

    def announce(self, name: str, calls: object) -> None:
        """Nothing to prepare."""

    def close(self) -> None:
        """Nothing to end."""


@dataclass(frozen=True)
class NoServer:
    """Takes the place of the fork server."""

    limits: Limits = field(default_factory=Limits)
    isolation: str = "none"

    def worker(self, cells: Sequence[CodeCell], *, deadline: float) -> DirectCalls:  # noqa: ARG002
        """Run the cells in this process."""
        names: dict[str, Any] = {}
        for cell in cells:
            exec(compile(cell.source, cell.label, "exec"), names)
        return DirectCalls(names)


def directly(
    question: Question, cells: Sequence[CodeCell], seed: int, left_s: float
) -> QuestionRecord:
    """Grade a question without any isolation."""
    return grade_question(question, cells, cast(ForkServer, NoServer()), seed, wall_s=left_s)


def measured(grader: Grader, task: Task) -> Spent:
    """Time of one submission, which must earn everything."""
    wall, cpu = time.perf_counter(), time.process_time()
    record = grader.run(task)
    spent = (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000
    if record.points != record.max_points:
        raise SystemExit(f"{task.student}: {record.points} of {record.max_points} points")
    return Spent(spent[0], spent[1] + sum(question.cpu_ms for question in record.questions))


def show(label: str, spent: Sequence[Spent]) -> None:
    """One row."""
    for name, of in READINGS.items():
        values = sorted(map(of, spent))
        print(f"{label:<15}{name:<6}", end="")
        print(
            f"{statistics.median(values):8.1f}{values[0]:8.1f}{values[len(values) * 9 // 10]:8.1f}"
        )


READINGS: dict[str, Callable[[Spent], float]] = {"wall": lambda s: s.wall, "CPU": lambda s: s.cpu}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=12)
    options = parser.parse_args()
    settings = GradingSettings()
    direct, isolated = list[Spent](), list[Spent]()
    print(f"{platform.platform()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
    print(f"load average at the start: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="isolation-") as folder:
        root = course(Path(folder))
        hand_in(root, options.submissions, 0.0)
        source = root / "source" / NAME
        tasks = [
            Task(path.name, str(path / NAME), str(root / "autograded" / path.name / NAME))
            for path in sorted((root / "submitted").iterdir())
        ]
        with open_grader(source, settings) as grader:
            plain = Grader(source, settings, directly)
            for turn in range(ROUNDS):
                for task in tasks:
                    pair = measured(plain, task), measured(grader, task)
                    if turn:
                        direct.append(pair[0])
                        isolated.append(pair[1])
    added = [Spent(b.wall - a.wall, b.cpu - a.cpu) for a, b in zip(direct, isolated, strict=True)]
    print(f"{len(added)} gradings of {len(tasks)} honest submissions each way; ms each:")
    print(f"{'':<21}{'median':>8}{'best':>8}{'p90':>8}")
    for label, spent in (("not isolated", direct), ("isolated", isolated), ("added", added)):
        show(label, spent)


if __name__ == "__main__":
    main()
