"""Walk a folder or a zip, nested zips included, without following or believing anything in it."""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import Final

from pdgrade.records import Note
from pdgrade.submission.document import MAX_FILE_BYTES, Unreadable, read_bytes

MAX_DEPTH: Final = 4
MAX_MEMBERS: Final = 50_000
MAX_TOTAL_BYTES: Final = 8 * 2**30
MAX_RATIO: Final = 200
_SMALL_BYTES: Final = 2**20  # below this, any ratio is harmless
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1


@dataclass(frozen=True)
class Entry:
    """One file somewhere in what was exported; nested zips count as folders of their name.

    `archive` is the path of the outermost archive in the export that it is in; what is inside was
    named by whoever packed it. `nested` says that the export is an archive itself.
    """

    parts: tuple[str, ...]
    size: int
    modified: datetime
    read: Callable[[], bytes | Unreadable] = field(repr=False)
    archive: tuple[str, ...] = ()
    nested: bool = False


@dataclass(frozen=True)
class Refused:
    """Something that was not opened, and why."""

    path: str
    reason: Note


class Walk:
    """All files below one folder or zip; what is refused is collected beside them."""

    def __init__(self) -> None:
        self.refused: list[Refused] = []
        self._members = 0
        self._bytes = 0

    def entries(self, source: Path) -> Iterator[Entry]:
        """Every plain file; zips are opened in place."""
        if source.is_dir() and not source.is_symlink():
            yield from self._folder(source, ())
            return
        if _is_zip(source):
            yield from self._zip(source, (), 1)
        else:
            code = "link_refused" if source.is_symlink() else "not_an_archive"
            self._refuse((source.name,), Note(code))

    def _folder(self, folder: Path, parts: tuple[str, ...]) -> Iterator[Entry]:
        for path in sorted(folder.iterdir()):
            here = (*parts, path.name)
            if path.is_symlink():
                self._refuse(here, Note("link_refused"))
            elif path.is_dir():
                if not path.name.startswith((".", "__MACOSX")):
                    yield from self._folder(path, here)
            elif _is_zip(path):
                inside = (*parts, path.stem)
                yield from (replace(e, archive=inside) for e in self._zip(path, inside, 1))
            else:
                status = path.lstat()
                moment = datetime.fromtimestamp(status.st_mtime, timezone.utc)
                yield Entry(here, status.st_size, moment, lambda p=path: read_bytes(p))  # type: ignore[misc]

    def _zip(
        self, source: Path | io.BytesIO, parts: tuple[str, ...], depth: int
    ) -> Iterator[Entry]:
        if depth > MAX_DEPTH:
            self._refuse(parts, Note("zip_too_deep", {"limit": str(MAX_DEPTH)}))
            return
        try:
            archive = zipfile.ZipFile(source)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            self._refuse(parts, Note("zip_broken", {"error": str(error)[:120]}))
            return
        with archive:
            for info in archive.infolist():
                yield from self._member(archive, info, parts, depth)

    def _member(
        self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, parts: tuple[str, ...], depth: int
    ) -> Iterator[Entry]:
        name = member_name(info)
        here = (*parts, *safe_parts(name))
        reason = self._why_refused(info, name)
        if reason is not None:
            self._refuse(here or parts, reason)
        elif not info.is_dir() and not _is_junk(here):
            if here[-1].lower().endswith(".zip"):
                data = _read_member(archive, info)
                if isinstance(data, Unreadable):
                    self._refuse(here, data.reason)
                else:
                    folder = (*here[:-1], PurePosixPath(here[-1]).stem)
                    for entry in self._zip(io.BytesIO(data), folder, depth + 1):
                        yield replace(entry, archive=folder, nested=True)
            else:
                moment = _moment(info)
                yield Entry(here, info.file_size, moment, lambda: _read_member(archive, info))

    def _why_refused(self, info: zipfile.ZipInfo, name: str) -> Note | None:
        self._members += 1
        self._bytes += info.file_size
        ratio = info.file_size // max(1, info.compress_size)
        reasons = (
            (self._members > MAX_MEMBERS, Note("zip_too_many", {"limit": str(MAX_MEMBERS)})),
            (is_unsafe(name), Note("path_refused", {"path": name[:120]})),
            (stat.S_ISLNK(info.external_attr >> 16), Note("link_refused")),
            (bool(info.flag_bits & _ENCRYPTED), Note("zip_encrypted")),
            (
                info.file_size > _SMALL_BYTES and ratio > MAX_RATIO,
                Note("zip_bomb", {"ratio": str(ratio)}),
            ),
            (
                self._bytes > MAX_TOTAL_BYTES,
                Note("zip_too_large", {"gb": str(MAX_TOTAL_BYTES >> 30)}),
            ),
        )
        return next((note for applies, note in reasons if applies), None)

    def _refuse(self, parts: tuple[str, ...], reason: Note) -> None:
        if len(self.refused) < 10_000:
            self.refused.append(Refused("/".join(parts)[:300], reason))


def member_name(info: zipfile.ZipInfo) -> str:
    """The member's name; without the UTF-8 flag, Chinese systems write UTF-8 or GBK."""
    if info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        raw = info.filename.encode("cp437")
    except UnicodeEncodeError:
        return info.filename
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return info.filename


def is_unsafe(name: str) -> bool:
    """Whether a member's name leads out of the folder it is unpacked into."""
    plain = name.replace("\\", "/")
    return (
        plain.startswith("/")
        or bool(re.match(r"[A-Za-z]:", plain))
        or ".." in plain.split("/")
        or "\0" in plain
    )


def safe_parts(name: str) -> tuple[str, ...]:
    """The parts of a member's name that name something."""
    parts = (p.strip() for p in name.replace("\\", "/").split("/"))
    return tuple(p for p in parts if p not in ("", ".", ".."))


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes | Unreadable:
    """A member's bytes, never more than the limit, whatever its header says."""
    try:
        with archive.open(info) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (zipfile.BadZipFile, OSError, RuntimeError, ValueError, EOFError, zlib.error) as error:
        return Unreadable(Note("zip_broken", {"error": str(error)[:120]}))
    if len(data) > MAX_FILE_BYTES:
        limit = str(MAX_FILE_BYTES >> 20)
        return Unreadable(Note("too_large", {"mb": f">{limit}", "limit": limit}))
    return data


def _moment(info: zipfile.ZipInfo) -> datetime:
    try:
        return datetime(*info.date_time, tzinfo=timezone.utc)
    except ValueError:
        return datetime.fromtimestamp(0, timezone.utc)


def _is_zip(path: Path) -> bool:
    if path.suffix.lower() != ".zip" or path.is_symlink():
        return False
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)


def _is_junk(parts: tuple[str, ...]) -> bool:
    hidden = any(p.startswith(".") or p == "__MACOSX" for p in parts)
    return hidden or not parts or parts[-1] in ("Thumbs.db", "desktop.ini")
