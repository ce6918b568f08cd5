"""The one writer of grades: a submission's scores, comments, time and penalty in one transaction.

Rows are nbgrader's own, so formgrader, `nbgrader export` and plug-ins see what they always saw.
Manual scores and comments are never touched.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar

from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, OperationalError

from pdgrade.assignment import Assignment
from pdgrade.course import Course
from pdgrade.gradebook.cells import ensure_assignment
from pdgrade.gradebook.comments import comment_on
from pdgrade.grading.results import BatchStopped
from pdgrade.records import QuestionRecord, SubmissionRecord

PATIENCE_S: Final = 120.0
T = TypeVar("T")


class GradebookWriter:
    """Writes records into the gradebook; open for the length of a batch."""

    patience_s = PATIENCE_S

    def __init__(self, course: Course, assignment: Assignment) -> None:
        self._course = course
        self._assignment = assignment

    def __enter__(self) -> GradebookWriter:
        """Connect, and make sure that the gradebook knows the assignment.

        Raises:
            BatchStopped: the gradebook cannot be opened or stays locked.
        """
        self._book = self._retried(lambda: open_gradebook(self._course), rollback=False)
        self._retried(lambda: ensure_assignment(self._book, self._course, self._assignment))
        self._penalty = late_penalty(self._course)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._book.close()

    def write(self, record: SubmissionRecord) -> SubmissionRecord:
        """Bring a submission's rows up to its record; returns it with lateness and penalty.

        Raises:
            BatchStopped: the gradebook stays locked or cannot be written.
        """
        return self._retried(lambda: self._write(record))

    def _write(self, record: SubmissionRecord) -> SubmissionRecord:
        submission = self._submission(record)
        tests = {
            (n.name, t.grade_id): (t.points, q)
            for n in record.notebooks
            for q in n.questions
            for t in q.tests
        }
        questions = {(n.name, q.name): (n, q) for n in record.notebooks for q in n.questions}
        penalty = 0.0
        readable = {n.name: n.readable or not n.file for n in record.notebooks}
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                points, question = tests.get((notebook.name, grade.name), (None, None))
                _set_grade(grade, points, question, readable.get(notebook.name, True))
            for comment in notebook.comments:
                pair = questions.get((notebook.name, comment.name))
                comment.auto_comment = comment_on(*pair) if pair else comment.auto_comment
            self._book.db.flush()
            penalty += self._set_penalty(submission, notebook)
        late = float(submission.total_seconds_late)
        self._book.db.commit()
        self._book.db.expunge_all()
        return replace(record, late_seconds=late, penalty=penalty)

    def _submission(self, record: SubmissionRecord) -> Any:
        """The submission's row, with a row for every notebook, graded cell and answer."""
        from nbgrader.api import (
            Comment,
            Grade,
            MissingEntry,
            SubmittedAssignment,
            SubmittedNotebook,
        )

        db = self._book.db
        stamp = datetime.fromisoformat(record.submitted_at) if record.submitted_at else None
        try:
            row = self._book.find_submission(record.assignment, record.student)
        except MissingEntry:
            self._add_student(record)
            assignment = self._book.find_assignment(record.assignment)
            row = SubmittedAssignment(assignment_id=assignment.id, student_id=record.student)
            db.add(row)
            db.flush()
            db.refresh(row)
        row.timestamp = stamp.astimezone(timezone.utc).replace(tzinfo=None) if stamp else None
        have = {notebook.notebook_id for notebook in row.notebooks}
        for notebook in row.assignment.notebooks:
            if notebook.id not in have:
                db.add(SubmittedNotebook(notebook_id=notebook.id, assignment_id=row.id))
        db.flush()
        db.refresh(row)
        for notebook in row.notebooks:
            graded = {grade.cell_id for grade in notebook.grades}
            commented = {comment.cell_id for comment in notebook.comments}
            cells = notebook.notebook
            for cell in (*cells.grade_cells, *cells.task_cells):
                if cell.id not in graded:
                    db.add(Grade(cell_id=cell.id, notebook_id=notebook.id))
            for cell in (*cells.solution_cells, *cells.task_cells):
                if cell.id not in commented:
                    db.add(Comment(cell_id=cell.id, notebook_id=notebook.id))
        db.flush()
        for notebook in row.notebooks:
            db.refresh(notebook)
        return row

    def _add_student(self, record: SubmissionRecord) -> None:
        """The student's row; a name from the export is kept only where there is none yet."""
        from nbgrader.api import Student

        student = self._book.db.get(Student, record.student)
        if student is None:
            student = Student(id=record.student)
            self._book.db.add(student)
        if record.name and not (student.first_name or student.last_name):
            student.last_name = record.name
        self._book.db.flush()

    def _set_penalty(self, submission: Any, notebook: Any) -> float:
        notebook.late_submission_penalty = None
        if submission.total_seconds_late <= 0:
            return 0.0
        self._book.db.flush()
        self._book.db.refresh(notebook)
        score = float(notebook.score)
        given = self._penalty(submission.student_id, score, submission.total_seconds_late)
        if given is None:
            return 0.0
        notebook.late_submission_penalty = min(max(float(given), 0.0), score)
        return float(notebook.late_submission_penalty)

    def _retried(self, action: Callable[[], T], rollback: bool = True) -> T:
        """Do it again while the database is locked, up to the patience.

        Raises:
            BatchStopped: it stays locked, is full or is no gradebook.
        """
        deadline = time.monotonic() + self.patience_s
        pause_s = 0.05
        while True:
            try:
                return action()
            except OperationalError as error:
                if rollback:
                    self._book.db.rollback()
                if not is_locked(error) or time.monotonic() > deadline:
                    raise BatchStopped(f"gradebook: {error.orig}") from error
            except DBAPIError as error:
                if rollback:
                    self._book.db.rollback()
                raise BatchStopped(f"gradebook: {error.orig}") from error
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, 2.0)


def open_gradebook(course: Course) -> Any:
    """The course's gradebook, made (for its owner only) if it is not there; a context manager."""
    from nbgrader.api import Gradebook

    from pdgrade.release import own_programs_on_path

    url = make_url(course.db_url)
    file = Path(url.database or "") if url.drivername.startswith("sqlite") else None
    is_new = file is not None and not file.exists() and not course.directory.groupshared
    with own_programs_on_path():  # nbgrader asks alembic, by name, for the schema's version
        book = Gradebook(course.db_url, course.course_id)
    if file is not None and is_new and file.is_file():
        file.chmod(0o600)
    return book


def is_locked(error: OperationalError) -> bool:
    """Whether waiting may help."""
    text = str(error.orig).lower()
    return any(
        word in text for word in ("locked", "busy", "deadlock", "timeout", "could not obtain")
    )


def _set_grade(
    grade: Any, points: float | None, question: QuestionRecord | None, readable: bool
) -> None:
    if question is None:  # a written answer, graded by a person
        grade.needs_manual_grade = grade.manual_score is None
        return
    failed = question.status == "isolation"
    grade.auto_score = None if failed else points
    grade.needs_manual_grade = failed or not readable or grade.manual_score is not None


def late_penalty(course: Course) -> Callable[[str, float, float], float | None]:
    """The late penalty of nbgrader's plug-in, as the course configures it."""
    from nbgrader.preprocessors import AssignLatePenalties

    preprocessor = AssignLatePenalties(config=course.config)
    preprocessor.init_plugin()
    rule: Callable[[str, float, float], float | None]
    rule = preprocessor.plugin_inst.late_submission_penalty
    return rule
