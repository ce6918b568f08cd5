"""One JSON record per submission, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pdgrade import records
from pdgrade.records import SubmissionRecord


def write_atomically(path: Path, text: str, mode: int = 0o644, *, durable: bool = True) -> None:
    """Replace a file's content so that a crash leaves either the old or the new one.

    With `durable` that holds for a power failure too, at the price of a wait for the disk.

    Raises:
        OSError: the disk is full or the folder cannot be written; the old file is untouched.
    """
    if mode & 0o077:
        path.parent.mkdir(parents=True, exist_ok=True)
    else:
        make_private(path.parent)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def make_private(folder: Path) -> None:
    """Make a folder, and what is missing above it, for its owner only; others keep their modes.

    Raises:
        OSError: it cannot be made.
    """
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def save(path: Path, record: SubmissionRecord) -> None:
    """Write a record.

    Raises:
        OSError: see `write_atomically`.
    """
    write_atomically(path, records.to_json(record) + "\n", mode=0o600)


def load(path: Path) -> SubmissionRecord | None:
    """The record of a submission; None if there is none that this version can read."""
    try:
        return records.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def load_all(folder: Path) -> Iterator[SubmissionRecord]:
    """All records of an assignment, by student id, one at a time."""
    for path in sorted(folder.glob("*.json")):
        record = load(path)
        if record is not None:
            yield record
