"""Whose file is this? Read from its path, as Moodle, Canvas, 学习通 and nbgrader write it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

MAX_ID_CHARS: Final = 100  # nbgrader's column holds 128
MAX_LEVELS: Final = 1000  # more than any path has folders

_MOODLE: Final = re.compile(
    r"^(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)$"
)
_CANVAS: Final = re.compile(
    r"^(?P<name>[^_]+)_(?:(?P<late>LATE)_)?(?P<user>\d+)_(?P<submission>\d+)_(?P<file>.+)$"
)
_CANVAS_ATTEMPT: Final = re.compile(r"^(?P<stem>.+)-(?P<attempt>\d{1,2})(?P<ext>\.[^.]+)$")
_NUMBER: Final = re.compile(r"(?<!\d)\d{6,20}(?!\d)")  # a student number, 学号
_ATTEMPT: Final = re.compile(
    r"(?:attempt|version|try|v|第|提交|重交)[\s_\-]*(\d{1,3})(?!\d)", re.IGNORECASE
)


@dataclass(frozen=True)
class Owner:
    """Who handed a file in, under which name, in which attempt (0: not said)."""

    student: str
    name: str
    file: str
    attempt: int = 0
    is_late: bool = False
    platform: str = ""


def owner_of(
    parts: Sequence[str],
    assignment: str,
    notebooks: Sequence[str],
    *,
    outside: Sequence[str] = (),
    shared: Collection[tuple[str, ...]] = (),
    level: int = MAX_LEVELS,
) -> Owner | None:
    """The owner of the file at this path, or None if the path does not say.

    Args:
        parts: folders and the file's name.
        assignment: its name, a folder in nbgrader's layout.
        notebooks: names of its notebooks.
        outside: the leading folders that stand outside an archive of the learner's own. If they
            say whose it is, nothing inside does: else a learner could pack a folder with
            another's name and replace what that one handed in.
        shared: folders that name nobody, from `shared_folders`.
        level: how many folders stand above those that name people, from `level_of_people`; beyond
            the innermost, that is meant.
    """
    *folders, file = parts
    if outside:
        found = _platform(outside, "", assignment) or _in_folder(outside, "", shared, level)
        if found is not None:
            return replace(found, file=file)
    return (
        _platform(folders, file, assignment)
        or _in_folder(folders, file, shared, level)
        or _from_file_name(file, notebooks)
    )


def shared_folders(paths: Iterable[Sequence[str]]) -> frozenset[tuple[str, ...]]:
    """Folders whose name stands in several folders: everybody's ``homework`` names nobody.

    The one nearest to the top, if there is only one, keeps its name: a learner who makes a folder
    with another's name changes nothing for that one.
    """
    places: dict[str, set[tuple[str, ...]]] = {}
    for path in paths:
        for i, name in enumerate(path[:-1], start=1):
            places.setdefault(name, set()).add(tuple(path[:i]))
    found: set[tuple[str, ...]] = set()
    for same in places.values():
        top = min(len(place) for place in same)
        first = [place for place in same if len(place) == top]
        found |= same - set(first if len(first) == 1 else ())
    return frozenset(found)


def level_of_people(paths: Iterable[Sequence[str]]) -> int:
    """How many folders stand above those that name people, where no platform named them.

    They are the first ones with others beside them, unless one of these holds a file name in
    several places: then it is a class, and people are further down. Attempts are no places.
    """
    places: dict[tuple[str, ...], set[str]] = {}
    for *folders, file in paths:
        named = tuple(part for part in folders if not _ATTEMPT.search(part))
        places.setdefault(named, set()).add(file)
    for level in range(max(map(len, places), default=0)):
        held: dict[tuple[str, ...], list[str]] = {}
        for named, files in places.items():
            if len(named) > level:
                held.setdefault(named[: level + 1], []).extend(files)
        if len(held) > 1 and all(len(files) == len(set(files)) for files in held.values()):
            return level
    return MAX_LEVELS


def named_by_platform(folders: Sequence[str], file: str, assignment: str) -> Owner | None:
    """The person that this path names in the way a platform does, if it does."""
    return _platform(folders, file, assignment)


def _platform(folders: Sequence[str], file: str, assignment: str) -> Owner | None:
    for reader in (_moodle, _canvas):
        found = reader(folders, file)
        if found is not None:
            return found
    if assignment in folders and folders.index(assignment) > 0:
        return _owner(folders[folders.index(assignment) - 1], file, "nbgrader")
    for part in folders:
        number = _NUMBER.search(part)
        if number and not _looks_like_a_date(number.group()):
            found = _owner(number.group(), file, "numbered", name=_rest(part, number.group()))
            return replace(found, attempt=_attempt(folders))
    return None


def _in_folder(
    folders: Sequence[str], file: str, shared: Collection[tuple[str, ...]], level: int
) -> Owner | None:
    named = [i for i, part in enumerate(folders) if not _ATTEMPT.search(part)]
    if not named:
        return None
    own = [i for i in named if tuple(folders[: i + 1]) not in shared] or named
    meant = named[min(level, len(named) - 1)]
    name = folders[meant if meant in own else own[-1]]
    return replace(_owner(name, file, "folders"), attempt=_attempt(folders))


def _moodle(folders: Sequence[str], file: str) -> Owner | None:
    for i, part in enumerate((*folders, file)):
        found = _MOODLE.match(part)
        if found:
            name = file if i < len(folders) else found["file"]
            student = f"{found['name']}_{found['id']}"
            return _owner(student, name, "moodle", name=found["name"])
    return None


def _canvas(folders: Sequence[str], file: str) -> Owner | None:
    for i, part in enumerate((*folders, file)):
        found = _CANVAS.match(part)
        if found is None:
            continue
        name = file if i < len(folders) else found["file"]
        attempt = _CANVAS_ATTEMPT.match(name)
        owner = _owner(f"{found['name']}_{found['user']}", name, "canvas", name=found["name"])
        if attempt:
            plain = attempt["stem"] + attempt["ext"]
            owner = replace(owner, file=plain, attempt=int(attempt["attempt"]))
        return replace(owner, is_late=bool(found["late"]))
    return None


def _from_file_name(file: str, notebooks: Sequence[str]) -> Owner | None:
    """``20231234-张三-step1.ipynb`` or ``张三_step1_request_pressure.ipynb`` with no folder."""
    number = _NUMBER.search(file)
    if number and not _looks_like_a_date(number.group()):
        return _owner(number.group(), file, "numbered")
    stem = re.sub(r"\.ipynb.*$", "", file)
    heads = [name.partition("_")[0] for name in notebooks]
    for word in sorted((*notebooks, *heads), key=len, reverse=True):
        if word.casefold() in stem.casefold():
            rest = re.sub(re.escape(word), "", stem, flags=re.IGNORECASE)
            rest = re.sub(r"^[\s_\-.]+|[\s_\-.]+$|\(\d+\)", "", rest)
            return _owner(rest, file, "file names") if rest else None
    return None


def _owner(student: str, file: str, platform: str, name: str = "") -> Owner:
    return Owner(student_id(student), name or student, file, platform=platform)


def student_id(text: str) -> str:
    """A name that is safe as a folder, a database key and in a page."""
    plain = unicodedata.normalize("NFKC", text)
    plain = "".join(c if c.isprintable() and c not in '<>&"\\/:*?|`' else "_" for c in plain)
    plain = re.sub(r"\s+", " ", plain).strip(" .")
    return plain[:MAX_ID_CHARS] or "unknown"


def _attempt(folders: Sequence[str]) -> int:
    numbers = [int(found.group(1)) for part in folders if (found := _ATTEMPT.search(part))]
    return numbers[-1] if numbers else 0


def _rest(part: str, number: str) -> str:
    return re.sub(r"[\s_\-()（）]+", " ", part.replace(number, " ")).strip()


def _looks_like_a_date(digits: str) -> bool:
    return bool(re.fullmatch(r"20[2-4]\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(\d{4,6})?", digits))
