"""``pdgrade feedback`` and ``pdgrade report``: write the pages from the records."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from pathlib import Path

from pdgrade.assignment import Assignment
from pdgrade.course import RECORDS, Course
from pdgrade.gradebook.writer import open_gradebook
from pdgrade.grading import store
from pdgrade.report import class_report, feedback_page
from pdgrade.report.marks import read_marks


def write_feedback(
    course: Course, assignment: Assignment, only: Sequence[str] = (), zone: str = "UTC"
) -> int:
    """Write one page per learner and notebook; returns the number of learners."""
    count = 0
    titles = {notebook.name: notebook.title for notebook in assignment.notebooks}
    with open_gradebook(course) as book:
        for record in store.load_all(course.root / RECORDS / assignment.name):
            if only and not any(fnmatch.fnmatchcase(record.student, p) for p in only):
                continue
            marks = read_marks(book, assignment.name, record.student)
            rebuilt = course.path("autograded", record.student, assignment.name)
            target = course.path("feedback", record.student, assignment.name)
            if not course.directory.groupshared:  # the folder keeps others out, not the pages:
                store.make_private(target)  # nbgrader copies their modes for learners to read
            for notebook in record.notebooks:
                page = feedback_page.render(
                    record,
                    notebook,
                    marks=marks,
                    answers=feedback_page.answers_in(rebuilt / f"{notebook.name}.ipynb"),
                    title=titles.get(notebook.name, ""),
                    zone=zone,
                )
                store.write_atomically(target / f"{notebook.name}.html", page)
            count += 1
    return count


def write_report(course: Course, assignment: Assignment, out: Path | None = None) -> list[Path]:
    """Write the class report and its CSV; empty if nothing has been graded."""
    records = store.load_all(course.root / RECORDS / assignment.name)
    view = class_report.gather(assignment, records)
    if not view.rows:
        return []
    page = out or course.root / f"report-{assignment.name}.html"
    store.write_atomically(page, class_report.render(view), mode=0o600)
    table = page.with_suffix(".csv")
    store.write_atomically(table, class_report.to_csv(view), mode=0o600)
    return [page, table]
