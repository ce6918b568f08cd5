"""From the bytes of any file to the cells of a notebook, or to the reason why not.

Nothing here raises on what a file contains, and nothing a file says about points, tests or
outputs is kept: a cell is its text, its type and the two names it may be found by.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pdgrade.assignment import text_of
from pdgrade.records import Note
from pdgrade.submission.encoding import decode
from pdgrade.submission.python import parses

MAX_FILE_BYTES: Final = 64 * 2**20
MAX_CELLS: Final = 5_000
MAX_SOURCE_CHARS: Final = 2_000_000
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

#: What a file is that is not a notebook, by how it begins.
_OTHER_FILES: Final = (
    (b"PK\x03\x04", "zip_not_notebook"),
    (b"%PDF", "pdf_not_notebook"),
    (b"Rar!", "rar_not_notebook"),
    (b"7z\xbc\xaf", "rar_not_notebook"),
    (b"\x89PNG", "image_not_notebook"),
    (b"\xff\xd8\xff", "image_not_notebook"),
    (b"version https://git-lfs", "lfs_pointer"),
    (b"<<<<<<<", "merge_conflict"),
)


@dataclass(frozen=True)
class SubmittedCell:
    """One cell as handed in; `number` counts from 1, as a person would."""

    number: int
    cell_type: str  # code, markdown or raw
    source: str
    cell_id: str = ""
    grade_id: str = ""


@dataclass(frozen=True)
class SubmittedNotebook:
    """The cells of one file, and what had to be done to read them."""

    cells: tuple[SubmittedCell, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Unreadable:
    """No notebook could be read; `reason` says what the file is and what to do."""

    reason: Note


def read_file(path: Path) -> SubmittedNotebook | Unreadable:
    """Read one file; links, devices, folders and oversize files are refused unread."""
    data = read_bytes(path)
    return data if isinstance(data, Unreadable) else parse(data)


def read_bytes(path: Path, max_bytes: int = MAX_FILE_BYTES) -> bytes | Unreadable:
    """The bytes of a plain file that is no link, or why it was not read."""
    if path.is_symlink():
        return Unreadable(Note("link_refused"))
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
    except OSError as error:
        return Unreadable(Note("cannot_open", {"error": error.strerror or str(error)}))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Unreadable(Note("not_a_file"))
        if status.st_size > max_bytes:
            size_mb = f"{status.st_size / 2**20:.0f}"
            return Unreadable(Note("too_large", {"mb": size_mb, "limit": str(max_bytes >> 20)}))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(max_bytes)
    except OSError as error:
        return Unreadable(Note("cannot_open", {"error": error.strerror or str(error)}))
    finally:
        os.close(descriptor)


def parse(data: bytes) -> SubmittedNotebook | Unreadable:
    """The notebook in these bytes, whatever their encoding and notebook format."""
    reason = _not_a_notebook(data)
    if reason:
        return Unreadable(Note(reason))
    failure = Note("not_json", {"where": "1"})
    for text, notes in decode(data):
        try:
            document = json.loads(text, strict=False)
        except json.JSONDecodeError as error:
            failure = _json_failure(text, error)
        except (RecursionError, ValueError, MemoryError):
            return Unreadable(Note("too_deep"))
        else:
            return _read_document(document, notes)
    return Unreadable(failure)


def _not_a_notebook(data: bytes) -> str:
    start = data[:512].lstrip(b"\xef\xbb\xbf \t\r\n\0")
    if not start:
        return "empty_file" if len(data) < 512 or not data.strip(b" \t\r\n\0") else ""
    for magic, reason in _OTHER_FILES:
        if start.startswith(magic):
            return reason
    return "html_page" if start.startswith(b"<") else ""


def _json_failure(text: str, error: json.JSONDecodeError) -> Note:
    if any(line.startswith("<<<<<<<") for line in text.split("\n")):
        return Note("merge_conflict")
    rest = text[error.pos :].rstrip()
    if "Unterminated" in error.msg or (len(rest) < 6 and not rest.endswith("}")):
        return Note("truncated")
    if not text.lstrip().startswith("{"):
        return Note("python_script" if parses(text) else "not_notebook")
    return Note("not_json", {"where": str(error.lineno)})


def _read_document(document: Any, notes: tuple[Note, ...]) -> SubmittedNotebook | Unreadable:
    if not isinstance(document, dict):
        return Unreadable(Note("not_notebook"))
    version = _version(document)
    if version > 4:
        return Unreadable(Note("nbformat_too_new", {"version": str(version)}))
    if version < 4:
        notes = (*notes, Note("old_nbformat", {"version": str(version)}))
    raw = list(_raw_cells(document))
    if not raw:
        return Unreadable(Note("no_cells" if "cells" in document else "not_notebook"))
    if len(raw) > MAX_CELLS:
        return Unreadable(Note("too_many_cells", {"limit": str(MAX_CELLS)}))
    changes: set[str] = set()
    cells = tuple(_read_cell(i, cell, changes) for i, cell in enumerate(raw, start=1))
    if sum(len(cell.source) for cell in cells) > MAX_SOURCE_CHARS:
        return Unreadable(Note("too_much_source", {"limit": f"{MAX_SOURCE_CHARS:,}"}))
    return SubmittedNotebook(cells, notes + tuple(Note(change) for change in sorted(changes)))


def _version(document: Mapping[str, Any]) -> int:
    """The major format; a missing or odd one is judged by the shape of the document."""
    value = document.get("nbformat")
    if isinstance(value, str) and value.isdecimal() and len(value) < 4:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    return 3 if "worksheets" in document else 4


def _raw_cells(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    groups = [document.get("cells")]
    worksheets = document.get("worksheets")
    if isinstance(worksheets, list):  # nbformat 2 and 3
        groups += [sheet.get("cells") for sheet in worksheets if isinstance(sheet, dict)]
    for group in groups:
        if isinstance(group, list):
            yield from (cell for cell in group if isinstance(cell, dict))


def _read_cell(number: int, cell: Mapping[str, Any], changes: set[str]) -> SubmittedCell:
    metadata = _mapping(cell.get("metadata"))
    kind = cell.get("cell_type")
    if kind == "heading":  # nbformat 3
        kind = "markdown"
    source = cell.get("source", cell.get("input", cell.get("code")))
    return SubmittedCell(
        number=number,
        cell_type=kind if kind in ("code", "markdown", "raw") else "code",
        source=_clean(text_of(source), changes),
        cell_id=_name(cell.get("id")) or _name(metadata.get("id")),  # Colab keeps it in metadata
        grade_id=_name(_mapping(metadata.get("nbgrader")).get("grade_id")),
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _name(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= 200 else ""


def _clean(source: str, changes: set[str]) -> str:
    """Text that Python can compile: no NUL, no lone surrogate, line ends as LF."""
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in source:
        changes.add("nul_removed")
        source = source.replace("\0", "")
    if not source.isascii():
        whole = source.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        if whole != source and "\ufffd" in whole:
            changes.add("surrogates_replaced")
        source = whole.removeprefix("\ufeff")
    return source
