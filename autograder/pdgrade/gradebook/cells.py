"""Make the gradebook know the assignment as the source has it now."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from pdgrade.assignment import Assignment, SourceNotebook
from pdgrade.course import Course, CourseError


def ensure_assignment(book: Any, course: Course, assignment: Assignment) -> None:
    """Register the assignment if it is not known, and bring its graded cells up to date.

    `nbgrader generate_assignment` refuses to change cells once there are submissions; a test that
    was added, moved or revalued since must still be graded. A cell that is gone from the source
    goes from the gradebook too, unless a person has scored it.
    """
    from nbgrader.api import MissingEntry

    try:
        known = {notebook.name for notebook in book.find_assignment(assignment.name).notebooks}
    except MissingEntry:
        known = set()
    if {n.name for n in assignment.notebooks} - known:
        _generate(course, assignment)
        book.db.expire_all()
    for notebook in assignment.notebooks:
        _update_cells(book, assignment.name, notebook)
    book.db.commit()


def _generate(course: Course, assignment: Assignment) -> None:
    """Let nbgrader register it, releasing into a folder that is thrown away."""
    from nbgrader.apps import NbGraderAPI

    from pdgrade.release import own_programs_on_path

    config = course.config.copy()
    config.CourseDirectory.root = str(course.root)
    config.NbGrader.logfile = ""
    with tempfile.TemporaryDirectory(prefix="register-") as folder:
        config.CourseDirectory.release_directory = str(Path(folder) / "release")
        api = NbGraderAPI(config=config)
        with own_programs_on_path():
            outcome = api.generate_assignment(assignment.name, force=True)
    if not outcome["success"]:
        reason = str(outcome.get("log") or outcome.get("error") or "no reason given").strip()
        raise CourseError(f"nbgrader cannot register {assignment.name!r}: {reason[-500:]}")


def _update_cells(book: Any, assignment: str, notebook: SourceNotebook) -> None:
    row = book.find_notebook(notebook.name, assignment)
    wanted = {c.grade_id: c for c in notebook.cells if c.kind in ("test", "manual") and c.grade_id}
    have = {cell.name: cell for cell in row.grade_cells}
    for name, cell in wanted.items():
        if name not in have or have[name].max_score != cell.points:
            kind = "code" if cell.kind == "test" else "markdown"
            book.update_or_create_grade_cell(
                name, notebook.name, assignment, max_score=cell.points, cell_type=kind
            )
    for name, cell in have.items():
        if name not in wanted and not any(g.manual_score is not None for g in cell.grades):
            for grade in list(cell.grades):
                book.db.delete(grade)
            book.db.delete(cell)
    solutions = {cell.name for cell in row.solution_cells}
    for cell in notebook.cells:
        if cell.kind == "solution" and cell.grade_id not in solutions:
            book.update_or_create_solution_cell(cell.grade_id, notebook.name, assignment)
