"""One self-contained page per learner and notebook: every check, and what to do next."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, StrictUndefined

import pdsched.messages.rules  # noqa: F401  registers the rules
from pdgrade.records import (
    CheckRecord,
    Note,
    NotebookRecord,
    QuestionRecord,
    SubmissionRecord,
    TestRecord,
)
from pdgrade.report.marks import Marks
from pdsched import messages

MAX_FIELD_CHARS = 4_000
_CHINESE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")


@dataclass(frozen=True)
class TestView:
    """A test cell as the page shows it."""

    __test__ = False

    record: TestRecord
    points: float  # a person's score if there is one
    is_manual: bool
    verdict: str
    failures: tuple[CheckRecord, ...]
    passed: tuple[CheckRecord, ...]

    @property
    def title(self) -> str:
        """What the cell checks."""
        return title_of(self.record.grade_id, self.record.title)

    def rule(self, check: CheckRecord) -> str:
        """The rule of one of its checks; one that the notebook words itself has one language."""
        rule = check.said("rule")
        return title_of(self.record.grade_id, rule) if rule else ""


@dataclass(frozen=True)
class QuestionView:
    """A question as the page shows it."""

    record: QuestionRecord
    points: float
    max_points: float
    outcome: str  # one sentence where it was stopped or not found; empty otherwise
    tests: tuple[TestView, ...]
    answer: str
    comment: str
    notes: tuple[str, ...]


@cache
def environment() -> Environment:
    """The templates, with everything escaped and no silent gaps."""
    made = Environment(
        loader=PackageLoader("pdgrade.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["points"] = lambda value: f"{value:g}"
    made.filters["shown"] = shown
    made.globals["t"] = lambda key, **fields: messages.text(f"grader.{key}", **fields)
    return made


def shown(text: str, limit: int = MAX_FIELD_CHARS) -> str:
    """Text for the page: control characters made visible, bidirectional overrides removed, cut."""
    plain = re.sub(r"[\u202a-\u202e\u2066-\u2069\u200e\u200f]", "", text)
    plain = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in plain)
    return plain if len(plain) <= limit else plain[:limit] + " …"


def title_of(grade_id: str, written: str) -> str:
    """A sentence about a test cell, as the notebook writes it or, in English, from the catalog."""
    if messages.language() == "zh" or (written and not _CHINESE.search(written)):
        return written or grade_id
    key = f"rules.{grade_id}"
    return messages.text(key) if key in messages.registered() else grade_id


def render(
    submission: SubmissionRecord,
    notebook: NotebookRecord,
    *,
    marks: Marks | None = None,
    answers: Mapping[str, str] | None = None,
    title: str = "",
    zone: str = "UTC",
) -> str:
    """The page of one notebook in the current language, as HTML without any script.

    Args:
        submission: whose notebook it is.
        notebook: what was found in it.
        marks: what a person added.
        answers: the learner's code by grade_id, to show what was graded.
        title: the notebook's heading; its name if there is none.
        zone: time zone to show times in, besides UTC.
    """
    marks = marks or Marks()
    views = tuple(_question(notebook, q, marks, answers or {}) for q in notebook.questions)
    template = environment().get_template("feedback.html.j2")
    return template.render(
        language=messages.language(),
        submission=submission,
        notebook=notebook,
        title=title_of(notebook.name, title),
        questions=views,
        points=sum(view.points for view in views),
        max_points=notebook.max_points,
        reading=_reading(notebook),
        times=_times(submission, zone),
        late_hours=submission.late_seconds / 3600,
    )


def _question(
    notebook: NotebookRecord, record: QuestionRecord, marks: Marks, answers: Mapping[str, str]
) -> QuestionView:
    tests = tuple(_test(notebook.name, test, marks) for test in record.tests)
    outcome = ""
    if record.status != "graded" and notebook.readable:
        outcome = record.stopped().text()
    mine = [n for n in notebook.notes if n.fields.get("question") == record.name]
    return QuestionView(
        record=record,
        points=sum(test.points for test in tests),
        max_points=record.max_points,
        outcome=outcome,
        tests=tests,
        answer=answers.get(record.name, ""),
        comment=marks.comments.get((notebook.name, record.name), ""),
        notes=tuple(note.text() for note in (*record.notes, *mine)),
    )


def _test(notebook: str, test: TestRecord, marks: Marks) -> TestView:
    manual = marks.scores.get((notebook, test.grade_id))
    failures = tuple(check for check in test.checks if check.verdict != "passed")
    if not failures and test.verdict not in ("passed", "not_run") and test.detail:
        failures = (CheckRecord(test.grade_id, test.verdict, got=test.detail),)
    return TestView(
        record=test,
        points=test.points if manual is None else manual,
        is_manual=manual is not None,
        verdict=Note(f"verdict_{test.verdict}").text(),
        failures=failures,
        passed=tuple(check for check in test.checks if check.verdict == "passed" and check.public),
    )


def _reading(notebook: NotebookRecord) -> tuple[str, ...]:
    """What was done to read the file: notes that belong to no single question."""
    names = {question.name for question in notebook.questions}
    return tuple(n.text() for n in notebook.notes if n.fields.get("question") not in names)


def _times(submission: SubmissionRecord, zone: str) -> tuple[str, ...]:
    """When it was handed in: in UTC, and in the course's zone if that is another."""
    if not submission.submitted_at:
        return ()
    moment = datetime.fromisoformat(submission.submitted_at)
    here = moment.astimezone(ZoneInfo(zone))
    texts = [moment.strftime("%Y-%m-%d %H:%M UTC"), here.strftime("%Y-%m-%d %H:%M ") + zone]
    return tuple(texts if zone != "UTC" else texts[:1])


def answers_in(path: Path) -> dict[str, str]:
    """A learner's answers by grade_id, from a rebuilt notebook; empty if there is none."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        cells = [(c["metadata"].get("nbgrader", {}), c["source"]) for c in document["cells"]]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    found = {m["grade_id"]: s for m, s in cells if m.get("solution")}
    return {
        key: value if isinstance(value, str) else "".join(value) for key, value in found.items()
    }
