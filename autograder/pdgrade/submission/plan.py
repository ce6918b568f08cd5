"""What the worker executes for one question: provided cells, the learner's own, the answer.

Cells run in the order of the learner's notebook. Provided cells come from the source (so a deleted
import is back), followed by the learner's version if they changed it. Answers to other questions
run only if this one uses a name that nothing else gives it: an endless loop in one must not cost
the points of the next.
"""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pdgrade.assignment import CodeCell, Question, SourceCell
from pdgrade.records import Note
from pdgrade.submission.matching import MatchedNotebook, Piece, defined_in
from pdgrade.submission.python import (
    names_bound,
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

_DEFINES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
#: Statements of an answer that other cells can use.
_GIVES: Final = (*_DEFINES, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)


@dataclass(frozen=True)
class QuestionPlan:
    """The cells to execute, and the fewer to try if one that is not the answer itself is fatal.

    Attributes:
        cells: what the learner's notebook would have executed, without answers nobody uses.
        needed_only: only what the answer needs; of other answers, imports and definitions.
        notes: what was left out of the learner's code.
    """

    cells: tuple[CodeCell, ...]
    needed_only: tuple[CodeCell, ...]
    notes: tuple[Note, ...]

    def spared(self) -> frozenset[str]:
        """Labels of the cells that the smaller set leaves out, or has less of."""
        return frozenset(cell.label for cell in self.cells if cell not in self.needed_only)


@dataclass(frozen=True)
class _Step:
    label: str
    source: str
    optional: bool  # may be left out if nothing needs it
    is_other_answer: bool
    binds: frozenset[str]


def plan_question(matched: MatchedNotebook, question: Question) -> QuestionPlan:
    """Everything that runs before the tests of this question are called."""
    notes: list[Note] = []
    steps = list(_steps(matched, question, notes))
    run = _needed([s for s in steps if not s.is_other_answer], steps, set())
    needed = _needed([s for s in steps if not s.optional], steps, set(question.functions))
    everything = tuple(CodeCell(s.label, s.source) for s in steps if s in run)
    fewer = tuple(CodeCell(s.label, _least(s)) for s in steps if s in run and s in needed)
    return QuestionPlan((PRELUDE, *everything), (PRELUDE, *fewer), tuple(unique_notes(notes)))


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
    return _Step(f"provided[{cell.index + 1}]", cell.source, False, False, defined_in(cell.source))


def _steps_of(
    piece: Piece, matched: MatchedNotebook, question: Question, notes: list[Note]
) -> Iterator[_Step]:
    released, cell = piece.source, piece.cell
    if piece.role == "solution" and released is not None:
        other = released.grade_id != question.name
        text = matched.solutions[released.grade_id]
        answers = {f for q in matched.source.questions for f in q.functions}
        yield _learners(released.grade_id, text, other, answers, notes)
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
    label: str, text: str, other: bool, answers: Collection[str], notes: list[Note]
) -> _Step:
    plain = plain_python(text)
    notes += plain.notes
    source = without_display(plain.source, answers)
    return _Step(label, source, other, other, defined_in(source))


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
        yield _Step(f"cell[{number}]", source, True, False, defined_in(source))


def _needed(roots: Sequence[_Step], steps: Sequence[_Step], wanted: set[str]) -> list[_Step]:
    """These steps and what they need, transitively.

    The learner's own cell is needed if it binds or changes a name that is mentioned; another
    question's answer only if it binds one that neither the cell itself nor the course defines.
    """
    given = set(dir(builtins)) | defined_in(PRELUDE.source)
    given.update(*(s.binds for s in steps if s.label.startswith("provided[")))
    known = set[str]().union(*(s.binds for s in steps))
    kept: list[_Step] = []
    mentioned, missing = set(wanted), set[str]()
    found = list(roots)
    while found:
        kept += found
        for step in found:
            mentioned |= _names_used(step.source)
            names = _names_missing(step.source) - given
            missing |= names
            if names - known and _ANYTHING not in step.binds:
                missing.add(_ANYTHING)
        mentioned.add(_ANYTHING)
        rest = (s for s in steps if s not in kept)
        found = [s for s in rest if s.binds & (missing if s.is_other_answer else mentioned)]
    return kept


def _least(step: _Step) -> str:
    """Of another question's answer, only what others can use: imports, definitions, values."""
    tree = parses(step.source)
    if not step.is_other_answer or tree is None:
        return step.source
    gives: list[ast.stmt] = [s for s in tree.body if isinstance(s, _GIVES)]
    if len(gives) == len(tree.body):
        return step.source
    try:
        return ast.unparse(ast.Module(gives, []))  # lines are shared: `import os; os._exit(0)`
    except RecursionError:
        return step.source


@lru_cache(maxsize=256)
def _names_used(source: str) -> frozenset[str]:
    tree = parses(source)
    return (
        frozenset(n.id for n in ast.walk(tree) if isinstance(n, ast.Name)) if tree else frozenset()
    )


@lru_cache(maxsize=256)
def _names_missing(source: str) -> frozenset[str]:
    """Names that the cell takes from the notebook: neither local nor bound by the cell itself."""
    tree = parses(source)
    if tree is None:
        return frozenset()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            used = _globals_used(symtable.symtable(source, "cell", "exec"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a `return` at top level
        used = set(_names_used(source))
    used = used.union(*(_changed(s) for s in tree.body))
    return frozenset(used.difference(*(names_bound(s) - _read(s) for s in tree.body)))


def _globals_used(table: symtable.SymbolTable) -> set[str]:
    top = table.get_type() == "module"
    used = {
        s.get_name() for s in table.get_symbols() if s.is_referenced() and (top or s.is_global())
    }
    return used.union(*(_globals_used(child) for child in table.get_children()))


def _read(statement: ast.stmt) -> set[str]:
    """Names a top-level statement reads before it binds them, as in ``total = total + 1``."""
    if isinstance(statement, _DEFINES):
        return set()
    names = (n for n in ast.walk(statement) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Load)} | _changed(statement)


def _changed(statement: ast.stmt) -> set[str]:
    """Names a top-level statement changes in place: ``total += 1``."""
    if isinstance(statement, _DEFINES):
        return set()
    targets = (n.target for n in ast.walk(statement) if isinstance(n, ast.AugAssign))
    return {target.id for target in targets if isinstance(target, ast.Name)}
