"""Grade one submission: find the notebooks, run each question in a worker of its own, add up."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from pdgrade.assignment import Assignment, CodeCell, Question, SourceNotebook
from pdgrade.course import timestamp_of
from pdgrade.grading.content import content_hash, seed_of
from pdgrade.grading.settings import GradingSettings
from pdgrade.records import (
    SUBMISSION_LIMIT,
    Note,
    NotebookRecord,
    QuestionRecord,
    QuestionStatus,
    SubmissionRecord,
    SubmissionStatus,
    TestRecord,
)
from pdgrade.submission.files import FoundNotebook, find_notebooks
from pdgrade.submission.matching import MatchedNotebook
from pdgrade.submission.plan import QuestionPlan, plan_question, unique_notes

#: Runs a question's cells in a worker and its tests in here: (question, cells, seed, seconds left).
GradeQuestion = Callable[[Question, Sequence[CodeCell], int, float], QuestionRecord]


@dataclass(frozen=True)
class GradedSubmission:
    """The record, and what is needed to rebuild the notebooks."""

    record: SubmissionRecord
    found: tuple[FoundNotebook, ...]


@dataclass(frozen=True)
class _Budget:
    """The wall-clock limit of a whole submission."""

    ends_s: float

    def left_s(self) -> float:
        return self.ends_s - time.monotonic()


def grade_submission(
    assignment: Assignment,
    folder: Path,
    student: str,
    grade_question: GradeQuestion,
    settings: GradingSettings,
) -> GradedSubmission:
    """Grade everything in a learner's folder. Whatever the folder holds, this does not raise."""
    started = time.monotonic()
    budget = _Budget(started + settings.limits.submission_wall_s)
    content = content_hash(folder, assignment, settings)
    found = find_notebooks(assignment, folder)
    notebooks = tuple(
        _grade_notebook(source, hit, grade_question, content, budget)
        for source, hit in zip(assignment.notebooks, found, strict=True)
    )
    submitted = timestamp_of(folder, settings.zone)
    record = SubmissionRecord(
        student=student,
        assignment=assignment.name,
        status=_status(notebooks),
        notebooks=notebooks,
        submitted_at=submitted.isoformat() if submitted else "",
        graded_at=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        isolation=_isolation(notebooks),
        content_hash=content,
        wall_ms=round((time.monotonic() - started) * 1000, 1),
    )
    return GradedSubmission(record, found)


def _grade_notebook(
    source: SourceNotebook,
    found: FoundNotebook,
    grade_question: GradeQuestion,
    content: str,
    budget: _Budget,
) -> NotebookRecord:
    matched = found.matched
    if matched is None:
        questions = tuple(not_run(q, "missing") for q in source.questions)
        return NotebookRecord(source.name, found.file, False, questions, found.notes)
    graded: list[QuestionRecord] = []
    for question in source.questions:
        if budget.left_s() <= 0:
            graded.append(not_run(question, "timeout", SUBMISSION_LIMIT))
        elif question.name not in matched.solutions:
            graded.append(not_run(question, "missing"))
        else:
            seed = seed_of(content, question.name)
            graded.append(_grade_one(question, matched, grade_question, seed, budget))
    common, questions = _common_notes(graded)
    notes = found.notes + matched.notes + common
    return NotebookRecord(source.name, found.file, True, questions, notes)


def _common_notes(
    graded: Sequence[QuestionRecord],
) -> tuple[tuple[Note, ...], tuple[QuestionRecord, ...]]:
    """Notes that every question of a notebook has are said once, about the notebook."""
    if len(graded) < 2:
        return (), tuple(graded)
    common = tuple(n for n in graded[0].notes if all(n in q.notes for q in graded[1:]))
    rest = (replace(q, notes=tuple(n for n in q.notes if n not in common)) for q in graded)
    return common, tuple(rest)


def _grade_one(
    question: Question,
    matched: MatchedNotebook,
    grade_question: GradeQuestion,
    seed: int,
    budget: _Budget,
) -> QuestionRecord:
    def run(cells: Sequence[CodeCell]) -> QuestionRecord:
        return grade_question(question, cells, seed, max(1.0, budget.left_s()))

    return run_plan(plan_question(matched, question), run)


def run_plan(
    plan: QuestionPlan, run: Callable[[Sequence[CodeCell]], QuestionRecord]
) -> QuestionRecord:
    """Run a question; if a cell it can do without ends the worker, once more without that.

    The second run happens only when the first ended before any test was called, so it is never a
    second guess.
    """
    record, notes = run(plan.cells), plan.notes
    if record.stopped_in in plan.spared():
        notes = (*notes, _left_out(record))
        record = run(plan.needed_only)
    return replace(record, notes=tuple(unique_notes((*record.notes, *notes))))


def _left_out(record: QuestionRecord) -> Note:
    where = record.stopped_in
    if where.startswith("cell["):
        return Note("aside_left_out", {"cell": where[5:-1], "status": record.status})
    return Note("answer_left_out", {"answer": where, "status": record.status})


def not_run(question: Question, status: QuestionStatus, reason: str = "") -> QuestionRecord:
    """The record of a question that no worker was started for: no points, all tests named."""
    tests = tuple(
        TestRecord(test.grade_id, 0.0, test.points, "not_run", test.title)
        for test in question.tests
    )
    return QuestionRecord(question.name, question.functions, status, tests, reason=reason)


def _status(notebooks: Sequence[NotebookRecord]) -> SubmissionStatus:
    if any(q.status == "isolation" for n in notebooks for q in n.questions):
        return "failed"
    if not any(n.file for n in notebooks):
        return "missing"
    if not any(n.readable for n in notebooks):
        return "unreadable"
    if any(q.reason == SUBMISSION_LIMIT for n in notebooks for q in n.questions):
        return "timeout"
    whole = all(q.status == "graded" for n in notebooks for q in n.questions)
    return "graded" if whole else "partial"


def _isolation(notebooks: Sequence[NotebookRecord]) -> str:
    """The rungs used, weakest information first; one, unless something changed on the way."""
    used = {q.isolation for n in notebooks for q in n.questions if q.isolation}
    return ", ".join(sorted(used))
