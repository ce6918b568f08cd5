"""Grades as CSV, and as the sheets that Moodle and Canvas import.

Scores come from the gradebook, so what a person changed in formgrader is in them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pdgrade.assignment import Assignment
from pdgrade.course import Course
from pdgrade.gradebook.writer import open_gradebook
from pdgrade.report.class_report import cell_text
from pdgrade.submission.document import Unreadable, read_bytes
from pdgrade.submission.encoding import decode

FORMATS = ("csv", "moodle", "canvas")


class ExportError(ValueError):
    """The grades cannot be exported as asked."""


@dataclass(frozen=True)
class Grade:
    """One learner's line."""

    student: str
    first_name: str
    last_name: str
    email: str
    lms_user_id: str
    score: float
    max_score: float
    late_penalty: float
    submitted_at: str
    needs_manual_grade: bool
    notebooks: tuple[float, ...]


def export_grades(
    course: Course, assignment: Assignment, to: str, roster: Path | None = None
) -> str:
    """The text of the file.

    Args:
        course: where the gradebook is.
        assignment: whose grades.
        to: one of `FORMATS`.
        roster: the platform's own exported sheet; its rows are kept and the grade filled in.

    Raises:
        ExportError: an unknown format, no grades, or a roster that is not that platform's.
    """
    if to not in FORMATS:
        raise ExportError(f"--format must be one of {', '.join(FORMATS)}, got {to!r}")
    grades = list(read_grades(course, assignment))
    if not grades:
        raise ExportError(f"the gradebook has no submissions of {assignment.name}")
    if roster is not None:
        return _filled_in(roster, grades, assignment, to)
    return {"csv": _plain, "moodle": _moodle, "canvas": _canvas}[to](grades, assignment)


def read_grades(course: Course, assignment: Assignment) -> Iterator[Grade]:
    """Every submission in the gradebook, by student id."""
    from nbgrader.api import MissingEntry

    with open_gradebook(course) as book:
        try:
            rows = book.assignment_submissions(assignment.name)
        except MissingEntry:
            rows = []
        for row in sorted(rows, key=lambda r: str(r.student_id)):
            student = row.student
            scores = {n.name: n.score - (n.late_submission_penalty or 0.0) for n in row.notebooks}
            yield Grade(
                student=str(row.student_id),
                first_name=student.first_name or "",
                last_name=student.last_name or "",
                email=student.email or "",
                lms_user_id=student.lms_user_id or "",
                score=float(sum(scores.values())),
                max_score=float(row.max_score),
                late_penalty=float(row.late_submission_penalty or 0.0),
                submitted_at=row.timestamp.isoformat() + "Z" if row.timestamp else "",
                needs_manual_grade=bool(row.needs_manual_grade),
                notebooks=tuple(float(scores.get(n.name, 0.0)) for n in assignment.notebooks),
            )


def _plain(grades: list[Grade], assignment: Assignment) -> str:
    names = [notebook.name for notebook in assignment.notebooks]
    head = ["student_id", "last_name", "first_name", "email", "score", "max_score", *names]
    rows = [_plain_row(grade) for grade in grades]
    return _csv([*head, "late_penalty", "submitted_at_utc", "needs_manual_grade"], rows)


def _plain_row(grade: Grade) -> list[object]:
    person = (grade.student, grade.last_name, grade.first_name, grade.email)
    manual = "yes" if grade.needs_manual_grade else ""
    points = (grade.score, grade.max_score, *grade.notebooks, grade.late_penalty)
    return [*person, *points, grade.submitted_at, manual]


def _moodle(grades: list[Grade], assignment: Assignment) -> str:
    """The columns of Moodle's grading worksheet (offline grading)."""
    head = ["Identifier", "Full name", "Email address", "Grade", "Maximum Grade"]
    rows: list[list[object]] = []
    for g in grades:
        name = f"{g.first_name} {g.last_name}".strip() or re.sub(r"_\d+$", "", g.student)
        rows.append([_participant(g), name, g.email, g.score, assignment.max_points])
    return _csv(head, rows)


def _participant(grade: Grade) -> str:
    number = re.search(r"_(\d+)$", grade.student)
    if number and not grade.lms_user_id:
        return f"Participant {number.group(1)}"
    return grade.lms_user_id or grade.student


def _canvas(grades: list[Grade], assignment: Assignment) -> str:
    """The columns of Canvas's gradebook import."""
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment.name]
    rows: list[list[object]] = [["    Points Possible", "", "", "", "", assignment.max_points]]
    for g in grades:
        number = re.search(r"_(\d+)$", g.student)
        name = ", ".join(part for part in (g.last_name, g.first_name) if part)
        name = name or re.sub(r"_\d+$", "", g.student)
        canvas_id = g.lms_user_id or (number.group(1) if number else "")
        rows.append([name, canvas_id, "", g.student, "", g.score])
    return _csv(head, rows)


def _filled_in(roster: Path, grades: list[Grade], assignment: Assignment, to: str) -> str:
    """The platform's sheet with our scores in its grade column; its other cells stay."""
    data = read_bytes(roster)
    if isinstance(data, Unreadable):
        raise ExportError(f"{roster}: {data.reason.text()}")
    text, _ = next(decode(data))
    table = list(csv.reader(io.StringIO(text)))
    if not table:
        raise ExportError(f"{roster} is empty")
    head = table[0]
    column = {"moodle": "Grade", "canvas": assignment.name, "csv": "score"}[to]
    if column not in head:
        if to == "moodle":
            raise ExportError(f"{roster} has no column {column!r}; it has: {', '.join(head)[:200]}")
        head.append(column)
    at = head.index(column)
    known = {key: g for g in grades for key in _keys(g)}
    rows = [_filled_row(row, at, len(head), known) for row in table[1:]]
    return _csv(head, rows)


def _filled_row(row: list[str], at: int, width: int, known: dict[str, Grade]) -> list[object]:
    keys = (cell.strip().casefold() for cell in row)
    found = next((known[key] for key in keys if key in known), None)
    cells: list[object] = [*row, *[""] * (width - len(row))]
    if found is not None:
        cells[at] = f"{found.score:g}"
    return cells


def _keys(grade: Grade) -> set[str]:
    number = re.search(r"_(\d+)$", grade.student)
    keys = {grade.student, grade.email, grade.lms_user_id, re.sub(r"_\d+$", "", grade.student)}
    if number:
        keys |= {number.group(1), f"Participant {number.group(1)}", f"参与者 {number.group(1)}"}
    return {key.casefold() for key in keys if key}


def _csv(head: list[str], rows: list[list[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    for row in rows:
        cells = (f"{cell:g}" if isinstance(cell, float) else cell_text(cell) for cell in row)
        writer.writerow(list(cells))
    return "\ufeff" + out.getvalue()
