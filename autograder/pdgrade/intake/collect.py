"""Put everyone's newest files where nbgrader looks for them, and say what was left out."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

from pdgrade.course import RECORDS, Course
from pdgrade.grading.store import write_atomically
from pdgrade.intake.archive import Entry, Refused, Walk
from pdgrade.intake.layout import (
    Owner,
    level_of_people,
    named_by_platform,
    owner_of,
    shared_folders,
    student_id,
)
from pdgrade.records import Note
from pdgrade.submission.document import Unreadable, read_bytes
from pdgrade.submission.files import best_fit

NOTES_FOLDER: Final = ".intake"
#: Of files called like the assignment's, of other notebooks, and of other files.
MAX_FILES_PER_STUDENT: Final = 100
MAX_BYTES_PER_STUDENT: Final = 256 * 2**20
_WANTED: Final = re.compile(
    r"(\.(ipynb.*|json|txt|html?|py|rar|7z)|^timestamp\.txt)$", re.IGNORECASE
)


@dataclass
class Collected:
    """What one student handed in."""

    student: str
    name: str
    files: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True)
class Intake:
    """Everything that was collected, and what belongs to nobody."""

    students: tuple[Collected, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True)
class _Offer:
    owner: Owner
    entry: Entry

    @property
    def order(self) -> tuple[int, datetime]:
        return self.owner.attempt, self.entry.modified


def collect(source: Path, course: Course, assignment: str, notebooks: Sequence[str]) -> Intake:
    """Copy an export (folder or zip) into ``submitted/``.

    The folder of a student who is in the export is replaced as a whole.

    Raises:
        OSError: the course directory cannot be written.
    """
    read_owner = _owner_reader(Walk().entries(source), assignment, notebooks)
    walk = Walk()
    sorter = _Sorter(notebooks)
    # Zip members can only be read while their archive is open, so the bytes are taken in passing.
    with tempfile.TemporaryDirectory(prefix=".intake-", dir=course.root) as scratch:
        for entry in walk.entries(source):
            if _WANTED.search(entry.parts[-1]):
                owner = read_owner(entry)
                owner = owner or Owner(student_id(source.stem), source.stem, entry.parts[-1])
                sorter.take(_Offer(owner, entry), Path(scratch))
        students = tuple(
            _finish(writing, course, assignment, walk.refused)
            for _, writing in sorted(sorter.students.items())
        )
    return Intake(students, tuple(walk.refused))


def _owner_reader(
    entries: Iterable[Entry], assignment: str, notebooks: Sequence[str]
) -> Callable[[Entry], Owner | None]:
    """How to tell whose an entry is, once the names of all are known.

    An archive in the export is a learner's own, whose names are not believed, unless it is the
    only thing in it, or all of them are plainly exports.
    """
    seen = [e for e in entries if _WANTED.search(e.parts[-1])]
    paths = [e.parts for e in seen]
    shared, level = shared_folders(paths), level_of_people(paths)
    believed = len({e.archive for e in seen}) < 2 or _all_are_exports(seen, assignment)

    def read(entry: Entry) -> Owner | None:
        own = entry.archive
        if believed and not named_by_platform(own, "", assignment):
            own = ()
        return owner_of(entry.parts, assignment, notebooks, outside=own, shared=shared, level=level)

    return read


def _all_are_exports(seen: Sequence[Entry], assignment: str) -> bool:
    """Whether a folder holds archives of which each names several people as platforms do.

    One learner can pack such an archive, but not make all the others look like it.
    """
    people: dict[tuple[str, ...], set[str]] = {}
    for entry in seen:
        if entry.nested or named_by_platform(entry.archive, "", assignment):
            return False
        *folders, file = entry.parts[len(entry.archive) :]
        owner = named_by_platform(folders, file, assignment)
        people.setdefault(entry.archive, set()).update([owner.student] if owner else [])
    return all(len(names) > 1 for archive, names in people.items() if archive)


@dataclass
class _Sorter:
    """Keeps, of every student's every file, the newest."""

    notebooks: Sequence[str]
    students: dict[str, _Writing] = field(default_factory=dict)
    kept: dict[tuple[str, str], _Offer] = field(default_factory=dict)

    def take(self, offer: _Offer, scratch: Path) -> None:
        owner = offer.owner
        folder = scratch / str(len(self.students))
        writing = self.students.setdefault(owner.student, _Writing(folder, owner))
        key = (owner.student, owner.file)
        have = self.kept.get(key)
        if have is not None:
            newest = max(offer, have, key=lambda o: o.order)
            fields = {"file": owner.file, "kept": _where(newest)}
            writing.notes.append(Note("newest_attempt_used", fields))
            if newest is have:
                return
        expected = best_fit(owner.file, self.notebooks) > 0
        if writing.take(owner.file, offer.entry, expected):
            self.kept[key] = offer


def _where(offer: _Offer) -> str:
    if offer.owner.attempt:
        return f"attempt {offer.owner.attempt}"
    return offer.entry.modified.strftime("%Y-%m-%d %H:%M")


@dataclass
class _Writing:
    """One student's files on their way, within limits of number and size."""

    folder: Path
    owner: Owner
    count: Counter[str] = field(default_factory=Counter)  # by what may not crowd out what
    size: int = 0
    notes: list[Note] = field(default_factory=list)

    def take(self, name: str, entry: Entry, expected: bool) -> bool:
        """Write one file down; False if it is refused.

        Args:
            name: of the file.
            entry: what it holds.
            expected: it is called like a notebook of the assignment.
        """
        other = "notebook" if ".ipynb" in name.casefold() else "other"
        kind = "expected" if expected else other
        if self.count[kind] >= MAX_FILES_PER_STUDENT or self.size > MAX_BYTES_PER_STUDENT:
            self.notes.append(Note("too_many_files", {"file": name}))
            return False
        data = entry.read()
        if isinstance(data, Unreadable):
            self.notes.append(Note("file_refused", {"file": name, "reason": data.reason.text()}))
            return False
        self.count[kind] += 1
        self.size += len(data)
        self.folder.mkdir(exist_ok=True)
        path = self.folder / _file_name(name)
        path.write_bytes(data)
        stamp = entry.modified.timestamp()
        os.utime(path, (stamp, stamp))
        return True


def _file_name(name: str) -> str:
    """A file name that stays inside its folder and shorter than file systems allow."""
    plain = "".join(c if c.isprintable() and c not in "/\\\0" else "_" for c in name).lstrip(".")
    stem, dot, ext = plain.rpartition(".")
    encoded = (stem if dot else plain).encode("utf-8", "replace")[:180].decode("utf-8", "ignore")
    return f"{encoded}{dot}{ext[:20]}" if dot else encoded or "unnamed"


def _finish(
    writing: _Writing,
    course: Course,
    assignment: str,
    refused: Iterable[Refused],
) -> Collected:
    owner = writing.owner
    result = Collected(owner.student, owner.name, notes=list(writing.notes))
    if owner.is_late:
        result.notes.append(Note("marked_late"))
    result.notes += [
        Note("file_refused", {"file": r.path, "reason": r.reason.text()})
        for r in refused
        if owner.student in r.path or (owner.name and owner.name in r.path)
    ]
    target = course.path("submitted", owner.student, assignment)
    target.parent.mkdir(parents=True, exist_ok=True)
    writing.folder.mkdir(exist_ok=True)
    if target.is_symlink() or target.exists():
        shutil.rmtree(target) if not target.is_symlink() else target.unlink()
    shutil.move(writing.folder, target)
    result.files = sorted(p.name for p in target.iterdir())
    told = {
        "name": owner.name,
        "notes": [asdict(note) for note in result.notes],
        "files": _fingerprint(target),
    }
    write_atomically(_told(course, owner.student, assignment), json.dumps(told), 0o600)
    return result


def _told(course: Course, student: str, assignment: str) -> Path:
    """Beside the records: nothing that a learner hands in arrives there."""
    return course.root / RECORDS / assignment / NOTES_FOLDER / f"{student}.json"


def _fingerprint(folder: Path) -> str:
    """Which files these are, so that notes about others are not taken for theirs."""
    digest = sha256()
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        facts = path.lstat()
        digest.update(f"{path.name!r} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Told:
    """What the intake knows about a submission besides its files."""

    name: str = ""
    notes: tuple[Note, ...] = ()


def told_by_intake(course: Course, student: str, assignment: str) -> Told:
    """What `collect` noted about these very files, for their record; nothing if it did not."""
    data = read_bytes(_told(course, student, assignment), max_bytes=2**20)
    if isinstance(data, Unreadable):
        return Told()
    try:
        told = json.loads(data)
        if told["files"] != _fingerprint(course.path("submitted", student, assignment)):
            return Told()
        notes = tuple(
            Note(str(n["code"]), {str(k): str(v) for k, v in n["fields"].items()})
            for n in told["notes"]
        )
        return Told(str(told["name"])[:120], notes)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Told()
