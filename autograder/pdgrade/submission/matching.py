"""Which submitted cell answers which question: by grade_id, cell id, content and position.

No single sign is trusted. A cell is a candidate for a question if it defines the question's
function or carries its names; among several, the cell in the released position wins if it is
written, else the last one that is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, Literal

from pdgrade.assignment import SourceCell, SourceNotebook, functions_defined
from pdgrade.records import Note
from pdgrade.submission.document import SubmittedCell, SubmittedNotebook
from pdgrade.submission.python import is_unwritten, names_bound, parses, plain_python

Role = Literal["solution", "provided", "aside", "test", "text", "manual", "extra", "copy"]
SIMILAR: Final = 0.75
_SAME_ROLE: Final[Mapping[str, Role]] = {"provided": "provided", "aside": "aside"}
_COMPARED_CHARS: Final = 4_000  # comparing is quadratic


@dataclass(frozen=True)
class Piece:
    """One submitted cell and what it is taken for; `source` is the released cell, if any."""

    role: Role
    cell: SubmittedCell
    source: SourceCell | None = None


@dataclass(frozen=True)
class MatchedNotebook:
    """A submitted notebook laid beside the instructor's."""

    source: SourceNotebook
    pieces: tuple[Piece, ...]
    solutions: Mapping[str, str]  # by grade_id; no entry: no such cell was found
    notes: tuple[Note, ...] = field(default=())

    def written(self) -> int:
        """How many questions have an answer that is not the stub."""
        functions = {q.name: q.functions for q in self.source.questions}
        return sum(
            not is_unwritten(text, functions.get(name, ()))
            for name, text in self.solutions.items()
            if name in functions
        )


@dataclass(frozen=True)
class _Candidate:
    cell: SubmittedCell
    how: str  # message key of the sign it was found by; empty: by its own grade_id
    place: int  # how many signs say that it stands where it was released
    written: bool
    defines: bool


@dataclass
class _Search:
    """The two notebooks and what has been settled so far."""

    source: SourceNotebook
    cells: tuple[SubmittedCell, ...]
    roles: dict[int, Piece] = field(default_factory=dict)  # by cell number
    notes: list[Note] = field(default_factory=list)

    def free(self) -> Iterator[SubmittedCell]:
        """Cells that are not yet taken for anything."""
        return (cell for cell in self.cells if cell.number not in self.roles)

    def note(self, code: str, **fields: object) -> None:
        """Tell one thing."""
        self.notes.append(Note(code, {key: str(value) for key, value in fields.items()}))


def match(source: SourceNotebook, submitted: SubmittedNotebook) -> MatchedNotebook:
    """Find every released cell in what was handed in; the rest is the learner's own."""
    search = _Search(source, submitted.cells)
    solutions: dict[str, str] = {}
    functions = {q.name: q.functions for q in source.questions}
    for cell in source.cells:
        text = None
        if cell.kind == "solution":
            names = functions.get(cell.grade_id) or functions_defined(cell.source)
            text = _match_solution(search, cell, names)
        elif cell.kind == "manual":
            text = _match_manual(search, cell)
        if text is not None:
            solutions[cell.grade_id] = text
    _match_others(search)
    pieces = tuple(search.roles.get(c.number) or _own_piece(c) for c in submitted.cells)
    return MatchedNotebook(source, pieces, solutions, tuple(search.notes))


def _own_piece(cell: SubmittedCell) -> Piece:
    return Piece("extra" if cell.cell_type == "code" else "text", cell)


def _match_solution(search: _Search, released: SourceCell, functions: Sequence[str]) -> str | None:
    candidates = [
        c for cell in search.free() if (c := _candidate(search, released, functions, cell))
    ]
    question = released.grade_id
    if not candidates:
        search.note("solution_missing", question=question)
        return None
    chosen = max(candidates, key=lambda c: (c.defines, c.written, c.place, c.cell.number))
    number = chosen.cell.number
    parts = _split_parts(chosen, candidates, search.cells, functions)
    if parts:
        search.note("split_joined", question=question, count=len(parts))
        search.roles |= {part.number: Piece("copy", part, released) for part in parts}
    copies = [c.cell for c in candidates if c.defines and c.cell.number not in search.roles]
    if len(copies) > 1:
        search.note("duplicate_kept_one", question=question, cell=number, count=len(copies))
    if chosen.how:
        search.note(chosen.how, question=question, cell=number)
    if chosen.cell.cell_type != "code":
        search.note("cell_type_restored", question=question, type=chosen.cell.cell_type)
    search.roles |= {copy.number: Piece("copy", copy, released) for copy in copies}
    search.roles[number] = Piece("solution", chosen.cell, released)
    return "\n".join(part.source for part in parts) if parts else chosen.cell.source


def _candidate(
    search: _Search, released: SourceCell, functions: Sequence[str], cell: SubmittedCell
) -> _Candidate | None:
    defined = defined_in(cell.source)
    defines = bool(defined & set(functions))
    others = {n for q in search.source.questions for n in q.functions}
    if defined & others and not defines:
        return None  # labelled as ours, perhaps, but it is another question's answer
    by_cell_id = bool(cell.cell_id) and cell.cell_id == released.cell_id
    place = _place(search, released, cell.number - 1)
    how: str | None = None
    if cell.grade_id == released.grade_id:
        how = ""
    elif _is_released_elsewhere(search.source, cell):
        return None
    elif by_cell_id:
        how = "matched_cell_id"
    elif cell.cell_type == "code" and defines:
        how = "matched_content"
    elif cell.cell_type == "code" and (place >= 2 or _is_similar(cell, released)):
        how = "matched_position"
    if how is None:
        return None
    written = defines and not is_unwritten(cell.source, functions)
    return _Candidate(cell, how, place + 4 * by_cell_id, written, defines)


def _split_parts(
    chosen: _Candidate,
    candidates: Sequence[_Candidate],
    cells: Sequence[SubmittedCell],
    functions: Sequence[str],
) -> tuple[SubmittedCell, ...]:
    """The cells that one cell was split into, if they make the function only together."""
    same = [c.cell for c in candidates if not c.how]
    after = cells[chosen.cell.number : chosen.cell.number + 1]
    parts = same if len(same) > 1 else [chosen.cell, *(c for c in after if c.cell_type == "code")]
    fragments = [p for p in parts if parses(plain_python(p.source).source) is None]
    if not fragments or len(parts) < 2:
        return ()
    whole = plain_python("\n".join(part.source for part in parts)).source
    return tuple(parts) if set(functions) & set(functions_defined(whole)) else ()


def _match_manual(search: _Search, released: SourceCell) -> str | None:
    for cell in search.free():
        same_id = bool(cell.cell_id) and cell.cell_id == released.cell_id
        if cell.grade_id == released.grade_id or same_id:
            search.roles[cell.number] = Piece("manual", cell, released)
            return cell.source
    return None


def _match_others(search: _Search) -> None:
    """Tests, provided and text cells; what is missing or edited is put back from the source."""
    taken: set[int] = set()
    tests: dict[str, bool] = {}  # whether the test of this grade_id is unchanged
    for cell in list(search.free()):
        found = _same_cell(search.source, cell, taken)
        if found is None:
            continue
        taken.add(found.index)
        role: Role = "text"
        if found.kind == "test":
            role = "test"
            unchanged = cell.source.strip() == found.stub
            tests[found.grade_id] = unchanged and cell.cell_type == "code"
        elif found.kind in _SAME_ROLE:
            role = _SAME_ROLE[found.kind]
        search.roles[cell.number] = Piece(role, cell, found)
    for released in search.source.cells:
        if released.kind == "test" and not tests.get(released.grade_id, False):
            code = "test_restored" if released.grade_id in tests else "test_reinserted"
            search.note(code, test=released.grade_id)


def _same_cell(source: SourceNotebook, cell: SubmittedCell, taken: set[int]) -> SourceCell | None:
    text = cell.source.strip()
    signs: tuple[Callable[[SourceCell], bool], ...] = (
        lambda c: bool(cell.grade_id) and cell.grade_id == c.grade_id,
        lambda c: bool(cell.cell_id) and cell.cell_id == c.cell_id and not cell.grade_id,
        lambda c: bool(text) and text == c.stub,
        lambda c: c.kind == "test" and _is_similar(cell, c),
    )
    free = [
        c for c in source.cells if c.index not in taken and c.kind not in ("solution", "manual")
    ]
    return next((c for sign in signs for c in free if sign(c)), None)


def _is_released_elsewhere(source: SourceNotebook, cell: SubmittedCell) -> bool:
    """Whether the cell is, by its text or its grade_id, a test or a provided cell of ours."""
    text = cell.source.strip()
    return any(
        (bool(c.grade_id) and c.grade_id == cell.grade_id and c.kind == "test")
        or (c.kind != "solution" and bool(text) and c.stub == text)
        for c in source.cells
    )


def _place(search: _Search, released: SourceCell, index: int) -> int:
    """2 if the cell before is the one released before it, plus 1 if the cell after is."""
    ours, theirs = search.source.cells, search.cells
    place = 0
    if released.index and index:
        place += 2 * (theirs[index - 1].source.strip() == ours[released.index - 1].stub)
    if released.index + 1 < len(ours) and index + 1 < len(theirs):
        place += theirs[index + 1].source.strip() == ours[released.index + 1].stub
    return place


def _is_similar(cell: SubmittedCell, released: SourceCell) -> bool:
    """Nearly the released text (a stub with its name changed, a test with one edited line)."""
    ours, theirs = released.stub[:_COMPARED_CHARS], cell.source.strip()[:_COMPARED_CHARS]
    if cell.cell_type != "code" or not ours or not theirs:
        return False
    if not 0.5 < len(ours) / len(theirs) < 2:
        return False
    matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
    return matcher.quick_ratio() >= SIMILAR and matcher.ratio() >= SIMILAR


@lru_cache(maxsize=512)
def defined_in(source: str) -> frozenset[str]:
    """Names a cell binds at its top level, once magics are set aside."""
    tree = parses(plain_python(source).source)
    return frozenset(name for node in (tree.body if tree else ()) for name in names_bound(node))
