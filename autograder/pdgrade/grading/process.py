"""One grading process: reads tasks from its input as JSON lines, answers each with a record.

``python -m pdgrade.grading.process`` is started by `pdgrade.grading.executors`. It is trusted; the
learner's code runs in workers below it. It ends when its input ends, and with its parent.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pdgrade import assignment, records
from pdgrade.assignment import CodeCell, Question
from pdgrade.grading.settings import GradingSettings
from pdgrade.grading.single import GradedSubmission, GradeQuestion, grade_submission
from pdgrade.grading.store import write_atomically
from pdgrade.rebuild import rebuild
from pdgrade.records import QuestionRecord
from pdsched import messages

PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Task:
    """One submission to grade; `autograded` is where the rebuilt notebooks go (empty: nowhere)."""

    student: str
    folder: str
    autograded: str = ""

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))


class Grader:
    """Grades submissions of one assignment with one warm fork server."""

    def __init__(self, source: Path, settings: GradingSettings, grade: GradeQuestion) -> None:
        self._assignment = assignment.load(source)
        self._settings = settings
        self._grade = grade
        messages.set_language(settings.language)

    def run(self, task: Task) -> records.SubmissionRecord:
        """Grade one submission and write its rebuilt notebooks.

        Raises:
            OSError: the rebuilt notebooks cannot be written (disk full).
        """
        folder = Path(task.folder)
        graded = grade_submission(
            self._assignment, folder, task.student, self._grade, self._settings
        )
        if task.autograded:
            self._write_notebooks(graded, Path(task.autograded))
        return graded.record

    def _write_notebooks(self, graded: GradedSubmission, folder: Path) -> None:
        sources = self._assignment.notebooks
        for source, found, record in zip(
            sources, graded.found, graded.record.notebooks, strict=True
        ):
            document = rebuild(source, found.matched, record)
            text = json.dumps(document, ensure_ascii=False)  # indenting takes 20 times as long
            write_atomically(folder / f"{source.name}.ipynb", text, durable=False)
        if graded.record.submitted_at:
            stamp = graded.record.submitted_at.replace("T", " ").replace("+00:00", " UTC")
            write_atomically(folder / "timestamp.txt", stamp, durable=False)


@contextmanager
def open_grader(source: Path, settings: GradingSettings) -> Iterator[Grader]:
    """A grader with its fork server, closed at the end.

    Raises:
        AssignmentError: the source cannot be graded.
        IsolationError: the required isolation is not to be had here.
    """
    from pdgrade.checks import grade_question
    from pdgrade.forkserver import ForkServer

    secrets = secret_paths(source.parent.parent)
    require: Any = settings.isolation or None
    with ForkServer(require=require, limits=settings.limits, protected=secrets) as server:

        def grade(
            question: Question, cells: Sequence[CodeCell], seed: int, left_s: float
        ) -> QuestionRecord:
            return grade_question(question, cells, server, seed, wall_s=left_s)

        yield Grader(source, settings, grade)


def secret_paths(course: Path) -> list[Path]:
    """What no learner's code may read, of a course directory and of this package."""
    names = ("source", "submitted", "autograded", "records", "feedback", "selfstudy")
    hidden = Path(__file__).parents[1] / "hidden"
    return [*(course / name for name in names), *course.glob("gradebook.db*"), hidden]


def main() -> int:
    """Serve tasks until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may speak on that channel
    first = json.loads(sys.stdin.readline())
    _die_with_parent(first["parent"])
    settings = GradingSettings.from_json(first["settings"])
    try:
        with open_grader(Path(first["source"]), settings) as grader:
            _answer(answers, {"ready": True})
            for line in sys.stdin:
                _answer(answers, _serve(grader, Task(**json.loads(line))))
    except (ValueError, OSError, RuntimeError) as error:
        _answer(answers, {"refused": f"{type(error).__name__}: {error}"})
        return 1
    return 0


def _serve(grader: Grader, task: Task) -> dict[str, Any]:
    try:
        return {"record": records.to_json(grader.run(task))}
    except OSError as error:
        return {"stopped": f"{error.strerror or error}: {error.filename or task.autograded}"}
    except Exception as error:  # one submission must never end the batch
        return {"failed": f"{type(error).__name__}: {error}"[:500]}


def _answer(stream: Any, message: dict[str, Any]) -> None:
    stream.write(json.dumps(message) + "\n")
    stream.flush()


def _die_with_parent(parent: int) -> None:
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before we could ask
            os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
