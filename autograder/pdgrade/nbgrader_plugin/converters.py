"""What the two converters do instead: the same batch and the same pages as the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbgrader.converters.base import NbGraderException

from pdgrade.assignment import Assignment
from pdgrade.cli.pages import write_feedback
from pdgrade.course import Course, CourseError
from pdgrade.gradebook.writer import open_gradebook
from pdgrade.grading.batch import BatchOptions, Line, grade_class
from pdgrade.grading.settings import GradingSettings
from pdsched import messages


def start_autograde(converter: Any) -> None:
    """Grade the submissions that nbgrader was asked for.

    Raises:
        NbGraderException: nothing to grade, the batch stopped, or a submission needs a person.
    """
    course, assignment = _course_of(converter)
    students = _students(converter, course, assignment)
    settings = GradingSettings(
        isolation=str(converter.config.PdGrade.get("require_isolation", "")),
        language=messages.language(),
        zone=str(converter.config.PdGrade.get("timezone", "UTC")),
    )
    options = BatchOptions(
        only=tuple(_escaped(student) for student in students),
        force=bool(converter.force),
        settings=settings,
    )

    def tell(line: Line) -> None:
        converter.log.info(
            "%s: %s, %g of %g points%s%s",
            line.student,
            line.status,
            line.points,
            line.max_points,
            " (unchanged)" if line.cached else "",
            f": {line.note}" if line.note else "",
        )
        converter.set_permissions(assignment.name, line.student)

    summary = grade_class(course, assignment, options, tell)
    if summary.stopped:
        _refuse(converter, f"Grading stopped: {summary.stopped}. What is graded is kept.")
    failed = [line.student for line in summary.lines if line.status == "failed"]
    if failed:
        _refuse(converter, f"The grader failed on {', '.join(failed)}; a person must look.")


def start_feedback(converter: Any) -> None:
    """Write the feedback pages of the students that nbgrader was asked for.

    Raises:
        NbGraderException: none of them has been graded.
    """
    course, assignment = _course_of(converter)
    pattern = converter.coursedir.student_id or "*"
    zone = str(converter.config.PdGrade.get("timezone", "UTC"))
    count = write_feedback(course, assignment, (pattern,), zone)
    if not count:
        _refuse(converter, f"No graded submissions of {assignment.name}: run autograde first.")
    converter.log.info("Wrote the feedback of %d submissions", count)


def _course_of(converter: Any) -> tuple[Course, Assignment]:
    directory = converter.coursedir
    course = Course(Path(directory.root), converter.config, directory)
    try:
        return course, course.assignment(directory.assignment_id)
    except CourseError as error:
        _refuse(converter, str(error))
        raise


def _students(converter: Any, course: Course, assignment: Assignment) -> list[str]:
    directory = converter.coursedir
    excluded = {name.strip() for name in directory.student_id_exclude.split(",")}
    pattern = directory.student_id or "*"
    students = [s for s in course.students(assignment.name, (pattern,)) if s not in excluded]
    if not converter.create_student:
        with open_gradebook(course) as book:
            known = {student.id for student in book.students}
        unknown = [s for s in students if s not in known]
        if unknown:
            _refuse(converter, f"Not in the gradebook: {', '.join(unknown)}")
    if not students:
        _refuse(converter, f"No submissions of {assignment.name} match {pattern!r}")
    return students


def _escaped(student: str) -> str:
    """A student id as a pattern that matches only itself."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in student)


def _refuse(converter: Any, message: str) -> None:
    converter.log.error(message)
    raise NbGraderException(message)
