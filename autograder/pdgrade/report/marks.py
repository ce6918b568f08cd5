"""What a person added in formgrader: manual scores and comments, read back for the pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Marks:
    """Manual marks of one submission, by (notebook, grade_id)."""

    scores: Mapping[tuple[str, str], float] = field(default_factory=dict)
    comments: Mapping[tuple[str, str], str] = field(default_factory=dict)


def read_marks(book: Any, assignment: str, student: str) -> Marks:
    """Manual scores and comments in the gradebook; none if the submission is not in it."""
    from nbgrader.api import MissingEntry

    try:
        submission = book.find_submission(assignment, student)
    except MissingEntry:
        return Marks()
    scores: dict[tuple[str, str], float] = {}
    comments: dict[tuple[str, str], str] = {}
    for notebook in submission.notebooks:
        for grade in notebook.grades:
            if grade.manual_score is not None or grade.extra_credit:
                base = grade.manual_score if grade.manual_score is not None else grade.auto_score
                scores[notebook.name, grade.name] = (base or 0.0) + (grade.extra_credit or 0.0)
        for comment in notebook.comments:
            if comment.manual_comment:
                comments[notebook.name, comment.name] = comment.manual_comment
    book.db.expunge_all()
    return Marks(scores, comments)
