"""Which file is which notebook of the assignment: by name where it fits, by content where not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pdgrade.assignment import Assignment, SourceNotebook
from pdgrade.records import Note
from pdgrade.submission.document import SubmittedNotebook, Unreadable, read_file
from pdgrade.submission.matching import MatchedNotebook, defined_in, match

MAX_FILES: Final = 200
_MAX_SEEN: Final = 20_000
#: What a notebook may be called after a download, a mail client or a chat has had it.
_NOTEBOOK_NAME: Final = re.compile(r"\.(ipynb.*|json|txt|html?|py)$", re.IGNORECASE)


@dataclass(frozen=True)
class FoundNotebook:
    """One notebook of the assignment as it was found in a submission."""

    name: str
    file: str  # empty: nothing was handed in for it
    matched: MatchedNotebook | None  # None: missing or unreadable
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class _File:
    path: Path
    label: str
    content: SubmittedNotebook | Unreadable
    modified: float


def find_notebooks(assignment: Assignment, folder: Path) -> tuple[FoundNotebook, ...]:
    """Read a learner's folder and give every notebook of the assignment its file, if any."""
    names = [notebook.name for notebook in assignment.notebooks]
    files = [_read(folder, path) for path in notebook_paths(folder, names)]
    return tuple(_find(source, files, assignment) for source in assignment.notebooks)


def notebook_paths(folder: Path, names: Sequence[str] = ()) -> list[Path]:
    """Files of a submission that may be notebooks, in a fixed order, checkpoints left out.

    Of too many, those that fit one of `names` are kept, then those called ``.ipynb`` and near the
    top: some hand in a whole project.
    """
    if folder.is_symlink() or not folder.is_dir():
        return []
    found: list[Path] = []
    pending = [folder]
    while pending and len(found) < _MAX_SEEN:
        for path in sorted(pending.pop().iterdir()):
            if path.name.startswith((".", "__MACOSX")) or path.name.startswith("~$"):
                continue
            if path.is_dir() and not path.is_symlink():
                pending.append(path)
            elif _NOTEBOOK_NAME.search(path.name) and path.name != "timestamp.txt":
                found.append(path)
    if len(found) > MAX_FILES:
        found.sort(key=lambda p: (-best_fit(p.name, names), _is_other(p), len(p.parts), p))
    return sorted(found[:MAX_FILES])


def _is_other(path: Path) -> bool:
    return ".ipynb" not in path.name.casefold()


def best_fit(file_name: str, names: Sequence[str]) -> int:
    """How well a file's name fits any of these notebooks; see `name_fit`."""
    return max((name_fit(file_name, name, names) for name in names), default=0)


def _read(folder: Path, path: Path) -> _File:
    try:
        modified = path.lstat().st_mtime
    except OSError:
        modified = 0.0
    label = str(path.relative_to(folder)).encode("utf-8", "replace").decode()  # any bytes may come
    return _File(path, label, read_file(path), modified)


@dataclass(frozen=True, order=True)
class _Fit:
    """How well a file fits a notebook; compared field by field, best last."""

    content_is_here: bool  # no other notebook of the assignment has more of it
    is_written: bool
    has_the_name: bool
    modified: float
    name_fit: int


def _find(source: SourceNotebook, files: Sequence[_File], assignment: Assignment) -> FoundNotebook:
    """The best file for one notebook: readable, then answered, then rightly named, then newest."""
    names = [notebook.name for notebook in assignment.notebooks]
    fits: list[tuple[_Fit, _File, MatchedNotebook]] = []
    for file in files:
        if not isinstance(file.content, SubmittedNotebook):
            continue
        shares = {n.name: content_share(n, file.content) for n in assignment.notebooks}
        named = name_fit(file.path.name, source.name, names)
        if shares[source.name] > 0 or (named == 2 and not any(shares.values())):
            matched = match(source, file.content)
            here = shares[source.name] >= max(shares.values())
            fit = _Fit(here, matched.written() > 0, named == 2, file.modified, named)
            fits.append((fit, file, matched))
    if not fits:
        return _not_found(source, files, names)
    fit, file, matched = max(fits, key=lambda found: found[0])
    notes: list[Note] = []
    if file.path.name != f"{source.name}.ipynb":
        code = "found_by_name" if fit.name_fit else "found_by_content"
        notes.append(Note(code, {"file": file.label}))
    others = [f.label for other, f, _ in fits if f is not file and other.content_is_here]
    if others:
        notes.append(
            Note("newest_file_used", {"file": file.label, "others": ", ".join(others[:5])})
        )
    read_notes = file.content.notes if isinstance(file.content, SubmittedNotebook) else ()
    return FoundNotebook(source.name, file.label, matched, (*notes, *read_notes))


def _not_found(
    source: SourceNotebook, files: Sequence[_File], names: Sequence[str]
) -> FoundNotebook:
    for file in files:
        if isinstance(file.content, Unreadable) and name_fit(file.path.name, source.name, names):
            return FoundNotebook(source.name, file.label, None, (file.content.reason,))
    return FoundNotebook(source.name, "", None, (Note("notebook_missing"),))


def content_share(source: SourceNotebook, submitted: SubmittedNotebook) -> float:
    """The share of a notebook's questions whose function or grade_id is in a file.

    Cell ids say nothing here: the same ones turn up in copies of other notebooks.
    """
    names = {cell.grade_id for cell in submitted.cells}
    for cell in submitted.cells:
        if cell.cell_type == "code":
            names |= defined_in(cell.source)
    hits = sum(bool(names & {question.name, *question.functions}) for question in source.questions)
    return hits / len(source.questions)


def name_fit(file_name: str, wanted: str, all_names: Sequence[str]) -> int:
    """2: the released name. 1: it only fits this notebook ("step2 (1)", "WMS step2"). 0: no."""
    stem = _NOTEBOOK_NAME.sub("", file_name)
    if stem == wanted and file_name.endswith(".ipynb"):
        return 2
    plain = _letters(stem)
    if _letters(wanted) in plain:
        return 1
    head = _letters(wanted.partition("_")[0])
    heads = [_letters(name.partition("_")[0]) for name in all_names]
    unique = heads.count(head) == 1 and sum(h in plain for h in heads) == 1
    return 1 if unique and len(head) > 1 and head in plain else 0


def _letters(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\s_\-.()\[\]]+", "", folded)
