"""Put everyone's newest files where nbgrader looks for them, and say what was left out."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from pdgrade.course import Course
from pdgrade.intake.archive import Entry, Refused, Walk
from pdgrade.intake.layout import Owner, is_certain, owner_of, shared_folders, student_id
from pdgrade.records import Note
from pdgrade.submission.document import Unreadable, read_bytes

NOTES_FILE: Final = ".intake.json"
#: Of notebooks, and as many other files.
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
    sorter = _Sorter()
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
    only thing in it; in a folder of archives (they may be exports) only if its name tells whose.
    """
    seen = [(e.parts, e.archive) for e in entries if _WANTED.search(e.parts[-1])]
    shared = shared_folders(parts for parts, _ in seen)
    several = len({archive for _, archive in seen}) > 1

    def read(entry: Entry) -> Owner | None:
        own = entry.archive
        if not (entry.nested and several) and not is_certain(own, assignment):
            own = ()
        return owner_of(entry.parts, assignment, notebooks, outside=own, shared=shared)

    return read


@dataclass
class _Sorter:
    """Keeps, of every student's every file, the newest."""

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
        if writing.take(owner.file, offer.entry):
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
    count: int = 0
    notebooks: int = 0
    size: int = 0
    notes: list[Note] = field(default_factory=list)

    def take(self, name: str, entry: Entry) -> bool:
        """Write one file down; False if it is refused."""
        is_notebook = ".ipynb" in name.casefold()  # a whole project around them must not cost them
        have = self.notebooks if is_notebook else self.count - self.notebooks
        if have >= MAX_FILES_PER_STUDENT or self.size > MAX_BYTES_PER_STUDENT:
            self.notes.append(Note("too_many_files", {"file": name}))
            return False
        data = entry.read()
        if isinstance(data, Unreadable):
            self.notes.append(Note("file_refused", {"file": name, "reason": data.reason.text()}))
            return False
        self.count += 1
        self.notebooks += is_notebook
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
    told = {"name": owner.name, "notes": [asdict(note) for note in result.notes]}
    (writing.folder / NOTES_FILE).write_text(json.dumps(told, ensure_ascii=True), "utf-8")
    if target.is_symlink() or target.exists():
        shutil.rmtree(target) if not target.is_symlink() else target.unlink()
    shutil.move(writing.folder, target)
    result.files = sorted(p.name for p in target.iterdir() if not p.name.startswith("."))
    return result


@dataclass(frozen=True)
class Told:
    """What the intake knows about a submission besides its files."""

    name: str = ""
    notes: tuple[Note, ...] = ()


def told_by_intake(folder: Path) -> Told:
    """What `collect` noted about a submission, for its record; nothing if it did not."""
    data = read_bytes(folder / NOTES_FILE, max_bytes=2**20)
    if isinstance(data, Unreadable):
        return Told()
    try:
        told = json.loads(data)
        notes = tuple(
            Note(str(n["code"]), {str(k): str(v) for k, v in n["fields"].items()})
            for n in told["notes"]
        )
        return Told(str(told["name"])[:120], notes)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Told()
