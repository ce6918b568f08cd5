"""What the worker executes for one question: provided cells, the learner's own, the answer.

Cells run in the order of the learner's notebook. Provided cells come from the source (so a deleted
import is back), followed by the learner's version if they changed it. Answers to other questions
run only if this one uses them: an endless loop in one must not cost the points of the next.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pdgrade.assignment import CodeCell, Question, SourceCell
from pdgrade.records import Note
from pdgrade.submission.matching import MatchedNotebook, Piece, defined_in
from pdgrade.submission.python import (
    parses,
    plain_python,
    without_definitions,
    without_display,
)

#: What notebooks have and plain Python has not: showing is not an error when graded.
PRELUDE: Final = CodeCell(
    "prelude",
    "def display(*objects, **options):\n    pass\n",
)


#: Cells that run if the learner wrote something of their own in them.
_RUN_IF_OWN: Final = ("extra", "copy", "aside")
#: What ``from module import *`` binds: nobody knows.
_ANYTHING: Final = "*"


@dataclass(frozen=True)
class QuestionPlan:
    """The cells to execute, and the smaller set to try if one of the learner's asides is fatal."""

    cells: tuple[CodeCell, ...]
    needed_only: tuple[CodeCell, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class _Step:
    label: str
    source: str
    optional: bool  # the learner's own cell: may be left out if nothing needs it
    binds: frozenset[str]


def plan_question(matched: MatchedNotebook, question: Question) -> QuestionPlan:
    """Everything that runs before the tests of this question are called."""
    notes: list[Note] = []
    steps = list(_steps(matched, question, notes))
    wanted = set(question.functions)
    steps = [s for s in steps if not _is_unused_answer(s, steps, question)]
    kept = _needed(steps, wanted)
    everything = tuple(CodeCell(s.label, s.source) for s in steps)
    needed = tuple(CodeCell(s.label, s.source) for s in steps if not s.optional or s in kept)
    return QuestionPlan((PRELUDE, *everything), (PRELUDE, *needed), tuple(unique_notes(notes)))


def unique_notes(notes: Sequence[Note]) -> Iterator[Note]:
    """The notes without repetitions, in order."""
    seen: set[str] = set()
    for note in notes:
        key = repr(note)
        if key not in seen:
            seen.add(key)
            yield note


def _steps(matched: MatchedNotebook, question: Question, notes: list[Note]) -> Iterator[_Step]:
    missing = _missing_provided(matched)
    for piece in matched.pieces:
        place = piece.source.index if piece.source else -1
        while missing and missing[0].index < place:
            yield _provided(missing.pop(0))
        yield from _steps_of(piece, matched, question, notes)
    for cell in missing:
        yield _provided(cell)


def _missing_provided(matched: MatchedNotebook) -> list[SourceCell]:
    found = {p.source.index for p in matched.pieces if p.source and p.role == "provided"}
    return [c for c in matched.source.cells if c.kind == "provided" and c.index not in found]


def _provided(cell: SourceCell) -> _Step:
    return _Step(f"provided[{cell.index + 1}]", cell.source, False, defined_in(cell.source))


def _steps_of(
    piece: Piece, matched: MatchedNotebook, question: Question, notes: list[Note]
) -> Iterator[_Step]:
    released, cell = piece.source, piece.cell
    if piece.role == "solution" and released is not None:
        own = released.grade_id == question.name
        text = matched.solutions[released.grade_id]
        answers = {f for q in matched.source.questions for f in q.functions}
        yield _learners(released.grade_id, text, not own, answers, notes)
    elif piece.role == "provided" and released is not None:
        yield _provided(released)
        if cell.cell_type == "code" and cell.source.strip() != released.source.strip():
            yield from _own(cell.number, cell.source, matched, notes)
    elif piece.role in _RUN_IF_OWN and cell.cell_type == "code" and _is_changed(piece):
        yield from _own(cell.number, cell.source, matched, notes)


def _is_changed(piece: Piece) -> bool:
    released = piece.source
    text = piece.cell.source.strip()
    return released is None or text not in (released.source.strip(), released.stub)


def _learners(
    label: str, text: str, optional: bool, answers: Collection[str], notes: list[Note]
) -> _Step:
    plain = plain_python(text)
    notes += plain.notes
    source = without_display(plain.source, answers)
    return _Step(label, source, optional, defined_in(source))


def _own(number: int, text: str, matched: MatchedNotebook, notes: list[Note]) -> Iterator[_Step]:
    """The learner's own cell, without second versions of answers that were found elsewhere."""
    answers = {
        f for q in matched.source.questions for f in q.functions if q.name in matched.solutions
    }
    plain = plain_python(text)
    notes += plain.notes
    source = without_display(without_definitions(plain.source, answers), answers)
    if parses(plain.source) is None and text.strip():
        notes.append(Note("cell_not_python", {"cell": str(number)}))
    if source.strip():
        yield _Step(f"cell[{number}]", source, True, defined_in(source))


def _is_unused_answer(step: _Step, steps: Sequence[_Step], question: Question) -> bool:
    """Another question's answer that no other cell (this answer included) mentions."""
    if step.label == question.name or not step.optional or step.label.startswith("cell["):
        return False
    if _ANYTHING in step.binds:
        return False
    return not any(step.binds & _names_used(s.source) for s in steps if s is not step)


def _needed(steps: Sequence[_Step], wanted: set[str]) -> list[_Step]:
    """Optional cells that bind or change a name which the answer needs, transitively."""
    kept = [s for s in steps if not s.optional]
    names = set(wanted)
    for step in kept:
        names |= _names_used(step.source)
    rest = [s for s in steps if s.optional]
    grown = True
    while grown:
        grown = False
        for step in list(rest):
            if step.binds & names or _ANYTHING in step.binds:
                rest.remove(step)
                kept.append(step)
                names |= _names_used(step.source)
                grown = True
    return kept


@lru_cache(maxsize=256)
def _names_used(source: str) -> frozenset[str]:
    tree = parses(source)
    return (
        frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name)) if tree else frozenset()
    )
