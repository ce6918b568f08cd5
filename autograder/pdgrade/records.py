"""What grading found, as frozen dataclasses with one JSON form and a schema version.

Nothing here holds a hidden input or the source of a test: a record may be shown to the learner it
belongs to as it is. Words are kept out of the data too: a `Note` is a message key with its fields,
so that the same record is shown in Chinese or in English.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal

import pdgrade.messages  # noqa: F401  registers the catalog
from pdsched import messages

SCHEMA_VERSION: Final = 1

#: What one check said. The last two are the grader's: the worker stopped, or the check never ran.
Verdict = Literal[
    "passed",
    "unwritten",
    "raised",
    "wrong_type",
    "wrong_value",
    "unavailable",
    "stopped",
    "not_run",
]
#: How the worker of one question ended.
QuestionStatus = Literal[
    "graded",  # the tests ran to their end
    "missing",  # the learner's cell was not found
    "timeout",  # wall or CPU limit
    "memory",
    "output",  # more bytes written than allowed
    "crashed",  # killed by a signal, or the result channel broke
    "exited",  # exit(), os._exit()
    "isolation",  # the required isolation could not be set up: nothing was run
]
#: How a whole submission ended, worst first in `SubmissionRecord.status`.
SubmissionStatus = Literal[
    "graded",  # every question was run to its end
    "partial",  # graded, but something was missing, stopped or unreadable
    "unreadable",  # no notebook of it could be read
    "missing",  # no notebook of the assignment in it
    "timeout",  # the limit of the whole submission was reached
    "failed",  # the grader itself failed on it: nothing is scored, a person must look
]


@dataclass(frozen=True)
class Note:
    """One sentence for the learner or the instructor: a message key and its fields."""

    code: str
    fields: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """The sentence in the current language; an unknown key is shown as it is."""
        if f"grader.{self.code}" in messages.registered():
            with contextlib.suppress(KeyError, ValueError, TypeError):  # fields that do not fit
                return messages.text(f"grader.{self.code}", **self.fields)
        return " ".join([self.code, *(f"{k}={v}" for k, v in self.fields.items())])


@dataclass(frozen=True)
class CheckRecord:
    """One `expect(...)` or hidden property; texts are capped and never a hidden input."""

    name: str
    verdict: Verdict
    rule: str = ""
    call: str = ""
    expected: str = ""
    got: str = ""
    public: bool = True
    detail: str = ""
    hint: str = ""
    told: Mapping[str, str] = field(default_factory=dict)  # "hint.en": a text in another language

    def said(self, name: str) -> str:
        """The text of this field in the current language, where it is known in it."""
        return self.told.get(f"{name}.{messages.language()}", str(getattr(self, name)))


@dataclass(frozen=True)
class TestRecord:
    """One test cell: all of its points, or none."""

    __test__ = False  # not a pytest class

    grade_id: str
    points: float
    max_points: float
    verdict: Verdict
    title: str = ""  # the one-line statement at the top of the cell
    checks: tuple[CheckRecord, ...] = ()
    detail: str = ""  # what was raised, where no check tells it


@dataclass(frozen=True)
class CellError:
    """A learner's cell that raised while it was executed; the cells after it still ran."""

    label: str
    error: str

    def where(self) -> str:
        """The cell in words: ``cell[7]`` is the learner's seventh cell."""
        return _where(self.label)


def _where(label: str) -> str:
    kind, _, number = label.removesuffix("]").partition("[")
    known = kind in ("cell", "provided") and number.isdecimal()
    return Note(f"where_{kind}", {"number": number}).text() if known else label


#: The reason of questions that were not begun in time.
SUBMISSION_LIMIT: Final = "submission limit"


@dataclass(frozen=True)
class QuestionRecord:
    """One question: its own worker, its test cells, how the worker ended."""

    name: str
    functions: tuple[str, ...]
    status: QuestionStatus
    tests: tuple[TestRecord, ...]
    isolation: str = ""
    stopped_in: str = ""  # label of the cell, or grade_id of the test, where the worker ended
    reason: str = ""  # e.g. "wall limit 10 s", "SIGSEGV"
    cell_errors: tuple[CellError, ...] = ()
    output: str = ""  # what the learner's code printed, capped
    notes: tuple[Note, ...] = ()
    wall_ms: float = 0.0
    cpu_ms: float = 0.0

    def stopped(self, kind: Literal["stopped", "question"] = "stopped") -> Note:
        """Why it did not end well: a sentence, or a few words for a list ("question").

        Where another question's answer ended the worker, that one is named.
        """
        if self.reason == SUBMISSION_LIMIT and kind == "stopped":
            return Note("stopped_submission", {"question": self.name})
        where = self.stopped_in
        tests = {test.grade_id for test in self.tests}
        if where in ("", self.name, *self.functions):
            shown = Note("where_answer").text()
        elif where in tests:
            shown = Note("where_test", {"test": where}).text()
        elif "[" in where or self.status == "isolation":
            shown = _where(where)
        else:
            return Note(f"{kind}_{self.status}_elsewhere", {"question": self.name, "other": where})
        return Note(f"{kind}_{self.status}", {"question": self.name, "where": shown})

    @property
    def points(self) -> float:
        """Points earned."""
        return sum(test.points for test in self.tests)

    @property
    def max_points(self) -> float:
        """Points of all its test cells."""
        return sum(test.max_points for test in self.tests)


@dataclass(frozen=True)
class NotebookRecord:
    """One notebook of the assignment, as this learner handed it in."""

    name: str
    file: str  # the name it arrived under; empty: not handed in
    readable: bool
    questions: tuple[QuestionRecord, ...]
    notes: tuple[Note, ...] = ()

    @property
    def points(self) -> float:
        """Points earned."""
        return sum(question.points for question in self.questions)

    @property
    def max_points(self) -> float:
        """Points of all its questions."""
        return sum(question.max_points for question in self.questions)


@dataclass(frozen=True)
class SubmissionRecord:
    """Everything that is known about one learner's submission to one assignment."""

    student: str
    assignment: str
    status: SubmissionStatus
    notebooks: tuple[NotebookRecord, ...]
    notes: tuple[Note, ...] = ()
    name: str = ""  # the person's name, where an export said it
    submitted_at: str = ""  # ISO 8601 in UTC; empty: not known
    graded_at: str = ""
    late_seconds: float = 0.0
    penalty: float = 0.0
    isolation: str = ""
    content_hash: str = ""
    wall_ms: float = 0.0
    schema_version: int = SCHEMA_VERSION

    @property
    def points(self) -> float:
        """Points earned, before any late penalty; never above the maximum."""
        return min(sum(notebook.points for notebook in self.notebooks), self.max_points)

    @property
    def max_points(self) -> float:
        """Points of the whole assignment."""
        return sum(notebook.max_points for notebook in self.notebooks)

    @property
    def questions(self) -> tuple[QuestionRecord, ...]:
        """The questions of all notebooks, in order."""
        return tuple(q for notebook in self.notebooks for q in notebook.questions)


def to_json(record: SubmissionRecord) -> str:
    """The record as one line of JSON (lone surrogates in it are escaped, never written raw)."""
    return json.dumps(dataclasses.asdict(record), ensure_ascii=True, allow_nan=False)


def from_json(document: str) -> SubmissionRecord:
    """Read what `to_json` wrote.

    Raises:
        ValueError: not JSON, of another schema version, or a field is missing or mistyped.
    """
    data = json.loads(document)
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != SCHEMA_VERSION:
        raise ValueError(f"schema_version must be {SCHEMA_VERSION}, got {version!r}")
    record = _build(SubmissionRecord, data, "record")
    assert isinstance(record, SubmissionRecord)
    return record


@cache
def _fields_of(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _build(kind: Any, value: Any, where: str) -> Any:
    """`value` from JSON as an instance of the annotated type `kind`."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _build_record(kind, value, where)
    origin = typing.get_origin(kind)
    if origin is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{where} must be a list, got {type(value).__name__}")
        inner = typing.get_args(kind)[0]
        return tuple(_build(inner, item, f"{where}[{i}]") for i, item in enumerate(value))
    if origin is Literal:
        ok = value in typing.get_args(kind)
    elif origin is typing.get_origin(Mapping[str, str]):
        ok = isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
    else:
        ok = type(value) in ((int, float) if kind is float else (kind,))
    if not ok:
        raise ValueError(f"{where} must be {kind}, got {value!r:.80}")
    return float(value) if kind is float else value


def _build_record(kind: type, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{where} must be an object, got {type(value).__name__}")  # noqa: TRY004  the document is wrong, not the caller
    hints = _fields_of(kind)
    known = {k: _build(hints[k], value[k], f"{where}.{k}") for k in hints if k in value}
    try:
        return kind(**known)
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from error
