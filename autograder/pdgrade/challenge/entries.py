"""Find a learner's policy in what was handed in, and the cells it needs, whatever was changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pdgrade.challenge.messages  # noqa: F401  registers the catalog
from pdgrade.assignment import (
    Assignment,
    AssignmentError,
    CodeCell,
    Question,
    SourceCell,
    SourceNotebook,
    functions_defined,
    read_notebook,
)
from pdgrade.records import Note
from pdgrade.submission.document import SubmittedCell, SubmittedNotebook, Unreadable, read_bytes
from pdgrade.submission.encoding import decode
from pdgrade.submission.files import FoundNotebook, find_notebooks, notebook_paths
from pdgrade.submission.matching import MatchedNotebook, defined_in, match
from pdgrade.submission.plan import plan_question
from pdgrade.submission.python import parses, plain_python
from pdsched.contracts import CONTRACTS

LABS: Final = "labs"  # the folder of lab 5 in source/ and in a learner's copy
NOTEBOOK: Final = "lab5_serving_benchmark"
POLICY: Final = "my_policy"
#: What lab 5's policy starts from; always there, as in the notebook.
_PLAN: Final = "plan_iteration_budget"
_NAMES: Final = tuple(each.function for each in CONTRACTS)
#: Lab 5's ``mine``: in a worker `pdsched.learner` is a stand-in, the answers are already there.
_MINE: Final = CodeCell(
    "mine",
    f"""
import pdsched.learner

class _Mine(dict):
    def __missing__(self, name):
        raise KeyError(f"{{name}}: hand in the notebook that defines it, too")

    __getattr__ = dict.__getitem__

def _load(*_):
    return _Mine((name, globals()[name]) for name in {_NAMES!r} if name in globals())

pdsched.learner.load = _load
mine = _load()
""",
)
#: Where a script that was a notebook begins its cells: jupytext and VS Code, nbconvert.
_CELL_MARK: Final = re.compile(r"^# (?:%%|In\[[ \d]*\]:)([^\n]*)$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """A learner's policy: the cells after which `POLICY` is defined."""

    student: str
    cells: tuple[CodeCell, ...]


@dataclass(frozen=True)
class NoEntry:
    """Nothing that could be run, and why."""

    student: str
    reason: Note


def policy_notebook(source: Path) -> SourceNotebook:
    """The instructor's lab 5, with the policy as its one question; its other cells never run.

    Raises:
        AssignmentError: it is not there or does not define the policy.
    """
    read = read_notebook(source / f"{NOTEBOOK}.ipynb")
    cells = tuple(map(_as_challenge, read.cells))
    if not any(cell.kind == "solution" for cell in cells):
        raise AssignmentError(f"{NOTEBOOK}.ipynb does not define {POLICY}")
    return replace(read, cells=cells, questions=(Question(POLICY, (POLICY,), ()),))


def _as_challenge(cell: SourceCell) -> SourceCell:
    if cell.kind == "text":
        return cell
    if POLICY in functions_defined(cell.source):
        return replace(cell, kind="solution", grade_id=POLICY)
    return replace(cell, kind="aside")


def read_entry(
    lab: SourceNotebook, assignment: Assignment, student: str, folders: Sequence[Path]
) -> Entry | NoEntry:
    """The policy in a learner's folders; an answer to a Step counts in the first that has it.

    Args:
        lab: from `policy_notebook`.
        assignment: the four Steps, whose answers a policy may call.
        student: whose.
        folders: where their files are.
    """
    everything = replace(assignment, notebooks=(*assignment.notebooks, lab))
    found: dict[str, FoundNotebook] = {}
    for folder in folders:
        for each in find_notebooks(everything, folder):
            known = found.get(each.name)
            if known is None or (known.matched is None and each.matched is not None):
                found[each.name] = each
    here = found.get(lab.name)
    matched = here.matched if here else None
    matched = matched or _script(lab, folders)
    if matched is None:
        return NoEntry(student, _why_missing(here))
    matched = _last_version(matched)
    if POLICY not in matched.solutions:
        file = here.file if here else f"{NOTEBOOK}.py"
        return NoEntry(student, Note("challenge_no_policy", {"file": file, "function": POLICY}))
    own = plan_question(matched, lab.questions[0]).needed_only
    steps = [each.matched for name, each in found.items() if name != lab.name and each.matched]
    cells = (*_answers(steps, own), _MINE, *own)
    return Entry(student, tuple(dict.fromkeys(cells)))


def _why_missing(here: FoundNotebook | None) -> Note:
    if here is not None and here.file.casefold().endswith(".py"):
        return Note("challenge_no_policy", {"file": here.file, "function": POLICY})
    if here is not None and here.file and here.notes:
        return here.notes[0]  # it is there but cannot be read
    return Note("challenge_missing", {"file": f"{NOTEBOOK}.ipynb", "function": POLICY})


def _last_version(matched: MatchedNotebook) -> MatchedNotebook:
    """The notebook with the last policy only, as run from top to bottom; the starter counts least.

    Many write theirs into a new cell and leave the starter where it was.
    """
    starters = {c.stub for c in matched.source.cells if c.kind == "solution"}
    versions = [p.cell for p in matched.pieces if POLICY in defined_in(p.cell.source)]
    own = [cell for cell in versions if cell.source.strip() not in starters]
    if len(versions) < 2 or not own:
        return matched
    dropped = {cell.number for cell in versions} - {own[-1].number}
    kept = tuple(p.cell for p in matched.pieces if p.cell.number not in dropped)
    return match(matched.source, SubmittedNotebook(kept))


def _answers(steps: Sequence[MatchedNotebook], own: Sequence[CodeCell]) -> Iterator[CodeCell]:
    """Cells of the Steps whose functions the policy can reach."""
    text = "\n".join(cell.source for cell in own)
    for step in steps:
        for question in step.source.questions:
            wanted = any(name == _PLAN or name in text for name in question.functions)
            if wanted and question.name in step.solutions:
                plan = plan_question(step, question)
                name = step.source.name
                yield from (replace(c, label=f"{name} {c.label}") for c in plan.needed_only)


def _script(lab: SourceNotebook, folders: Sequence[Path]) -> MatchedNotebook | None:
    """A policy handed in as a Python script: the last changed one that defines it."""
    paths = [p for f in folders for p in notebook_paths(f) if p.suffix.casefold() == ".py"]
    for path in sorted(paths, key=lambda p: p.lstat().st_mtime, reverse=True):
        cells = _cells_of(path)
        if any(POLICY in defined_in(cell.source) for cell in cells):
            return match(lab, SubmittedNotebook(cells))
    return None


def _cells_of(path: Path) -> tuple[SubmittedCell, ...]:
    data = read_bytes(path)
    if isinstance(data, Unreadable):
        return ()
    readings = (text for text, _ in decode(data))
    text = next((t for t in readings if parses(plain_python(t).source) is not None), "")
    first, *rest = _CELL_MARK.split(text)  # head, body, head, body …
    pieces = [("", first), *zip(rest[::2], rest[1::2], strict=True)]
    return tuple(
        SubmittedCell(number, "markdown" if "[markdown]" in head else "code", body.strip())
        for number, (head, body) in enumerate(pieces, 1)
    )
