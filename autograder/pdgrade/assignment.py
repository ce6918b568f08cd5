"""The source of truth: which cells an assignment has, read from the instructor's notebooks.

Everything a submission says about itself (grade ids, points, tests, outputs) is compared with what
is read here and never believed. The JSON is read directly: importing nbformat costs seconds.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

#: What the grader does with a cell of the source notebook.
CellKind = Literal[
    "solution",  # replaced by the learner's text, run in the worker
    "test",  # run in the parent against the learner's functions
    "manual",  # a written answer, graded by a person
    "provided",  # imports and constants: run in the worker
    "aside",  # panels, set-up, demonstrations: never run when grading
    "text",  # markdown and raw
]
#: Tags of provided code cells that are never run when grading.
ASIDE_TAGS = frozenset({"panel", "setup", "aside"})


class AssignmentError(ValueError):
    """The instructor's notebooks cannot be graded as they are."""


class NothingGradedError(AssignmentError):
    """A folder without a single graded cell, such as labs."""


@dataclass(frozen=True)
class CodeCell:
    """A piece of code for the worker; `label` names it in messages ("todo1", "cell 7")."""

    label: str
    source: str


@dataclass(frozen=True)
class TestCell:
    """A graded test: its source (hidden region included) is only ever executed in the parent."""

    __test__ = False  # not a pytest class

    grade_id: str
    points: float
    source: str

    @property
    def title(self) -> str:
        """The one-line statement at the top of the cell, without the comment sign."""
        first = self.source.lstrip().partition("\n")[0]
        return first.lstrip("# ").strip() if first.startswith("#") else ""


@dataclass(frozen=True)
class Question:
    """One solution cell with the tests that call its functions."""

    name: str  # grade_id of the solution cell
    functions: tuple[str, ...]
    tests: tuple[TestCell, ...]


@dataclass(frozen=True)
class SourceCell:
    """One cell of the instructor's notebook."""

    index: int
    kind: CellKind
    source: str
    cell_id: str = ""
    grade_id: str = ""
    points: float = 0.0
    tags: frozenset[str] = frozenset()

    @cached_property
    def stub(self) -> str:
        """The cell as it was released: without solution and hidden tests, without outer space."""
        return without_regions(self.source).strip()


@dataclass(frozen=True)
class SourceNotebook:
    """One notebook of the assignment."""

    name: str
    cells: tuple[SourceCell, ...]
    questions: tuple[Question, ...]
    document: Mapping[str, Any]  # the notebook's JSON, for rebuilding

    @property
    def title(self) -> str:
        """The first heading in its text; empty if there is none."""
        texts = (
            line for cell in self.cells if cell.kind == "text" for line in cell.source.split("\n")
        )
        return next((line.lstrip("# ").strip() for line in texts if line.startswith("# ")), "")

    def cell_of(self, grade_id: str) -> SourceCell:
        """The cell with this grade_id.

        Raises:
            KeyError: there is none.
        """
        for cell in self.cells:
            if cell.grade_id == grade_id:
                return cell
        raise KeyError(grade_id)


@dataclass(frozen=True)
class Assignment:
    """All notebooks of one assignment, in file-name order."""

    name: str
    notebooks: tuple[SourceNotebook, ...]

    @property
    def max_points(self) -> float:
        """Points of all test cells."""
        return sum(t.points for n in self.notebooks for q in n.questions for t in q.tests)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that decides a score: change a test and caches are void."""
        digest = sha256()
        for notebook in self.notebooks:
            for cell in notebook.cells:
                digest.update(repr((notebook.name, cell.kind, cell.grade_id, cell.points)).encode())
                digest.update(cell.source.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()


def load(folder: Path) -> Assignment:
    """Read every notebook of ``source/<assignment>/`` that has graded cells.

    Raises:
        AssignmentError: no such folder, no graded cell in it, or cells that contradict each other.
    """
    paths = sorted(folder.glob("*.ipynb")) if folder.is_dir() else []
    notebooks = tuple(n for n in (read_notebook(path) for path in paths) if n.questions)
    if not notebooks:
        raise NothingGradedError(f"no notebook with graded cells in {folder}")
    return Assignment(folder.name, notebooks)


def read_notebook(path: Path) -> SourceNotebook:
    """Read one of the instructor's notebooks.

    Raises:
        AssignmentError: not a notebook, duplicate grade ids, or a test without a question.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        cells = tuple(_read_cell(i, cell) for i, cell in enumerate(document["cells"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise AssignmentError(f"{path.name} is not a readable notebook: {error}") from error
    ids = [cell.grade_id for cell in cells if cell.grade_id]
    for grade_id in ids:
        if ids.count(grade_id) > 1:
            raise AssignmentError(f"{path.name}: grade_id {grade_id!r} is used twice")
    return SourceNotebook(path.stem, cells, _questions(path.name, cells), document)


def text_of(source: Any) -> str:
    """A cell's source as one string; notebooks may store it as a list of lines."""
    if isinstance(source, str):
        return source
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return ""


def without_regions(source: str) -> str:
    """The source as `nbgrader generate_assignment` releases it.

    Solution regions become ``raise NotImplementedError``; hidden tests are dropped.
    """
    lines: list[str] = []
    inside = ""
    for line in source.split("\n"):
        mark = line.strip()
        if mark.startswith("### BEGIN SOLUTION"):
            inside = "SOLUTION"
            lines.append(line[: len(line) - len(line.lstrip())] + "raise NotImplementedError")
        elif mark.startswith("### BEGIN HIDDEN TESTS"):
            inside = "HIDDEN TESTS"
        elif inside and mark.startswith(f"### END {inside}"):
            inside = ""
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def functions_defined(source: str) -> tuple[str, ...]:
    """Names of the functions a cell defines at its top level; none if it does not parse."""
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(n.name for n in body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)))


def _read_cell(index: int, cell: Mapping[str, Any]) -> SourceCell:
    metadata = cell.get("metadata", {})
    nbgrader = metadata.get("nbgrader", {})
    tags = frozenset(metadata.get("tags", ()))
    source = text_of(cell["source"])
    return SourceCell(
        index=index,
        kind=_kind(cell["cell_type"], nbgrader, tags),
        source=source,
        cell_id=str(cell.get("id", "")),
        grade_id=str(nbgrader.get("grade_id", "")),
        points=float(nbgrader.get("points") or 0) if nbgrader.get("grade") else 0.0,
        tags=tags,
    )


def _kind(cell_type: str, nbgrader: Mapping[str, Any], tags: frozenset[str]) -> CellKind:
    grade, solution = bool(nbgrader.get("grade")), bool(nbgrader.get("solution"))
    if (grade and solution) or nbgrader.get("task"):
        return "manual"
    if cell_type != "code":
        return "text"
    if solution:
        return "solution"
    if grade:
        return "test"
    return "aside" if tags & ASIDE_TAGS else "provided"


def _questions(notebook: str, cells: Sequence[SourceCell]) -> tuple[Question, ...]:
    """Give each test to the question whose function it calls, else to the one before it."""
    functions = {c.grade_id: functions_defined(c.source) for c in cells if c.kind == "solution"}
    tests: dict[str, list[TestCell]] = {name: [] for name in functions}
    before = ""
    for cell in cells:
        if cell.kind == "solution":
            before = cell.grade_id
        elif cell.kind == "test":
            owner = _owner(cell, functions) or before
            if not owner:
                raise AssignmentError(f"{notebook}: test {cell.grade_id!r} belongs to no question")
            tests[owner].append(TestCell(cell.grade_id, cell.points, cell.source))
    return tuple(Question(n, functions[n], tuple(tests[n])) for n in functions if tests[n])


def _owner(cell: SourceCell, functions: Mapping[str, tuple[str, ...]]) -> str:
    """The question whose functions the test names, if it is exactly one."""
    try:
        tree = ast.parse(cell.source)
    except SyntaxError:
        return ""
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    owners = [name for name, defined in functions.items() if used & set(defined)]
    return owners[0] if len(owners) == 1 else ""
