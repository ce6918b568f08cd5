"""A whole class: what is already graded is kept, the rest runs, one writer fills the gradebook."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path

from pdgrade.assignment import Assignment
from pdgrade.course import RECORDS, Course, timestamp_of
from pdgrade.gradebook.writer import GradebookWriter
from pdgrade.grading import store
from pdgrade.grading.content import content_hash
from pdgrade.grading.dask_cluster import run_on_dask
from pdgrade.grading.local import run_in_processes
from pdgrade.grading.lock import only_run
from pdgrade.grading.process import Task
from pdgrade.grading.results import BatchStopped, Result
from pdgrade.grading.settings import GradingSettings
from pdgrade.grading.single import not_run
from pdgrade.intake.collect import told_by_intake
from pdgrade.records import Note, NotebookRecord, SubmissionRecord
from pdgrade.submission.files import notebook_paths


def default_jobs() -> int:
    """Three grading processes for two cores: each waits for its worker a third of the time."""
    return max(2, (os.cpu_count() or 1) * 3 // 2)


@dataclass(frozen=True)
class BatchOptions:
    """Which submissions, how, and whether what is cached may be used."""

    only: tuple[str, ...] = ()  # shell patterns over student ids
    since: datetime | None = None  # files changed, or handed in, at or after this time
    force: bool = False
    jobs: int = field(default_factory=default_jobs)
    executor: str = "processes"  # or "dask:local", "dask:tcp://host:port"
    settings: GradingSettings = field(default_factory=GradingSettings)

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise ValueError(f"jobs must be at least 1, got {self.jobs}")
        if self.executor != "processes" and not self.executor.startswith("dask:"):
            raise ValueError(f"executor must be processes or dask:ADDRESS, got {self.executor!r}")


@dataclass(frozen=True)
class Line:
    """What the final table and the progress need to know of one submission."""

    student: str
    status: str
    points: float
    max_points: float
    isolation: str
    wall_ms: float
    cached: bool
    note: str = ""


@dataclass
class Summary:
    """The batch in numbers; only small `Line` objects are kept."""

    lines: list[Line] = field(default_factory=list)
    stopped: str = ""
    wall_s: float = 0.0

    def count(self) -> Counter[str]:
        """How many submissions ended in each status."""
        return Counter(line.status for line in self.lines)


def grade_class(
    course: Course,
    assignment: Assignment,
    options: BatchOptions,
    progress: Callable[[Line], object] = bool,
) -> Summary:
    """Grade every submission of an assignment; stops early only where nothing can be written.

    A record is on disk before its grade is in the gradebook, and the gradebook is brought up to
    the records on every run: killed anywhere, the next run loses nothing and repeats only what was
    in flight.
    """
    started = time.monotonic()
    summary = Summary()
    students, refused = _sorted_out(selected(course, assignment, options))
    summary.lines += refused
    lock = course.root / RECORDS / f".{assignment.name}.lock"
    try:
        with only_run(lock), GradebookWriter(course, assignment) as writer:
            for record, cached in _graded(course, assignment, students, options):
                final = writer.write(record)
                if final != record:
                    store.save(course.record(record.student, assignment.name), final)
                line = _line(final, cached)
                summary.lines.append(line)
                progress(line)
    except BatchStopped as stopped:
        summary.stopped = str(stopped)
    except OSError as error:
        summary.stopped = f"{error.strerror or error}: {error.filename or course.root}"
    summary.lines.sort(key=lambda line: line.student)
    summary.wall_s = time.monotonic() - started
    return summary


def selected(course: Course, assignment: Assignment, options: BatchOptions) -> list[str]:
    """The students whose submissions this run looks at."""
    students = course.students(assignment.name, options.only)
    if options.since is None:
        return students
    since = options.since
    return [s for s in students if _newest(course.path("submitted", s, assignment.name)) >= since]


def _sorted_out(students: Sequence[str]) -> tuple[list[str], list[Line]]:
    """Students to grade, and lines for ids that formgrader would put into its pages as markup."""
    bad = [s for s in students if set(s) & set("<>") or not s.isprintable()]
    note = Note("student_id_refused").text()
    shown = [s.encode("utf-8", "replace").decode() for s in bad]
    lines = [Line(s, "failed", 0.0, 0.0, "", 0.0, False, note) for s in shown]
    return [s for s in students if s not in set(bad)], lines


def _newest(folder: Path) -> datetime:
    times = [path.lstat().st_mtime for path in notebook_paths(folder)]
    changed = datetime.fromtimestamp(max(times, default=0.0), timezone.utc)
    return max(changed, timestamp_of(folder) or changed)


def _graded(
    course: Course, assignment: Assignment, students: Sequence[str], options: BatchOptions
) -> Iterator[tuple[SubmissionRecord, bool]]:
    """Every record with whether it was there already; the fresh ones are on disk when they come."""
    fresh: list[str] = []
    for student in students:
        kept = None if options.force else _kept(course, assignment, student, options.settings)
        if kept is None:
            fresh.append(student)
        else:
            yield kept, True
    tasks = (_task(course, assignment, student) for student in fresh)
    for result in _run(tasks, course.source(assignment.name), options, len(fresh)):
        record = result.record or failed(assignment, result)
        told = told_by_intake(course, record.student, assignment.name)
        record = replace(record, name=told.name, notes=(*told.notes, *record.notes))
        store.save(course.record(record.student, assignment.name), record)
        yield record, False


def _kept(
    course: Course, assignment: Assignment, student: str, settings: GradingSettings
) -> SubmissionRecord | None:
    """The record of an unchanged submission; one the grader failed on is always tried again."""
    record = store.load(course.record(student, assignment.name))
    if record is None or record.status == "failed":
        return None
    folder = course.path("submitted", student, assignment.name)
    if record.content_hash != content_hash(folder, assignment, settings):
        return None
    rebuilt = course.path("autograded", student, assignment.name)
    if not all((rebuilt / f"{n.name}.ipynb").is_file() for n in assignment.notebooks):
        return None
    moment = timestamp_of(folder, settings.zone)
    return replace(record, submitted_at=moment.isoformat() if moment else "")


def _task(course: Course, assignment: Assignment, student: str) -> Task:
    folder = course.path("submitted", student, assignment.name)
    return Task(student, str(folder), str(course.path("autograded", student, assignment.name)))


def _run(
    tasks: Iterable[Task], source: Path, options: BatchOptions, count: int
) -> Iterator[Result]:
    if not count:
        return iter(())
    jobs = min(options.jobs, count)
    if options.executor == "processes":
        return run_in_processes(tasks, source, options.settings, jobs)
    address = options.executor.removeprefix("dask:")
    return run_on_dask(tasks, source, options.settings, address, jobs)


def failed(assignment: Assignment, result: Result) -> SubmissionRecord:
    """The record of a submission on which the grader itself failed: a person must look."""
    notebooks = tuple(
        NotebookRecord(n.name, "", False, tuple(not_run(q, "isolation") for q in n.questions))
        for n in assignment.notebooks
    )
    note = Note("grader_failed", {"error": result.failure})
    return SubmissionRecord(
        result.task.student,
        assignment.name,
        "failed",
        notebooks,
        notes=(note,),
        graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )


def _line(record: SubmissionRecord, cached: bool) -> Line:
    return Line(
        record.student,
        record.status,
        record.points - record.penalty,
        record.max_points,
        record.isolation,
        record.wall_ms,
        cached,
        first_note(record),
    )


def first_note(record: SubmissionRecord) -> str:
    """The one sentence that explains a submission which is not plainly graded."""
    notes: Sequence[Note] = record.notes
    if record.status != "graded":
        notes = [*notes, *(note for n in record.notebooks if not n.readable for note in n.notes)]
        stopped = [q for q in record.questions if q.status not in ("graded", "missing")]
        notes = [*notes, *(q.stopped("question") for q in stopped)]
    return notes[0].text() if notes else ""
