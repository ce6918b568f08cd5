"""The course directory: where submissions, gradebook and results are, as nbgrader configures it."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import Any

from pdgrade import assignment
from pdgrade.assignment import Assignment, AssignmentError
from pdgrade.submission.document import Unreadable, read_bytes

CONFIG_FILE = "nbgrader_config.py"
RECORDS = "records"


class CourseError(ValueError):
    """The folder is no course directory, or names no single assignment."""


@dataclass(frozen=True)
class Course:
    """One nbgrader course directory, with nbgrader's own rules for paths."""

    root: Path
    config: Any = field(repr=False)
    given: Any = field(default=None, repr=False)  # a CourseDirectory that nbgrader made already

    @cached_property
    def directory(self) -> Any:
        """The `CourseDirectory` that nbgrader makes of it."""
        if self.given is not None:
            return self.given
        from nbgrader.coursedir import CourseDirectory

        directory = CourseDirectory(config=self.config)
        directory.root = str(self.root)
        return directory

    @property
    def db_url(self) -> str:
        """Where the gradebook is (SQLite by default, PostgreSQL by configuration)."""
        return str(self.directory.db_url)

    @property
    def course_id(self) -> str:
        """The course's id in the gradebook."""
        return str(self.directory.course_id) or "default_course"

    def path(self, step: str, student: str, assignment_name: str) -> Path:
        """The folder of a step ("submitted", "autograded", "feedback")."""
        name = str(getattr(self.directory, f"{step}_directory"))
        return Path(self.directory.format_path(name, student, assignment_name))

    def source(self, assignment_name: str) -> Path:
        """The instructor's folder of an assignment."""
        return self.path("source", ".", assignment_name)

    def record(self, student: str, assignment_name: str) -> Path:
        """The JSON record of one submission."""
        return self.root / RECORDS / assignment_name / f"{student}.json"

    def assignment(self, name: str = "") -> Assignment:
        """The assignment of this name, or the only one with graded cells.

        Raises:
            CourseError: no such assignment, several to choose from, or unreadable notebooks.
        """
        if name:
            try:
                return assignment.load(self.source(name))
            except AssignmentError as error:
                raise CourseError(str(error)) from error
        graded = list(self._graded_assignments())
        if len(graded) != 1:
            found = ", ".join(found.name for found in graded) or "none with graded cells"
            folder = self.source("x").parent
            raise CourseError(f"say which assignment with --assignment; {folder} has: {found}")
        return graded[0]

    def _graded_assignments(self) -> Iterator[Assignment]:
        """Every folder of ``source/`` that has questions; labs without any are no assignments."""
        folder = self.source("x").parent
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            try:
                yield assignment.load(path)
            except AssignmentError:
                continue

    def students(self, assignment_name: str, only: Sequence[str] = ()) -> list[str]:
        """Ids of everyone with a submission folder, sorted; `only` are shell patterns."""
        pattern = str(self.path("submitted", "*", assignment_name))
        found = sorted(student for student, _ in _matches(pattern))
        return [s for s in found if not only or any(fnmatch.fnmatchcase(s, p) for p in only)]


def open_course(root: Path) -> Course:
    """The course directory at or above `root`.

    Raises:
        CourseError: there is none, or its configuration cannot be read.
    """
    from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

    for folder in (root.resolve(), *root.resolve().parents):
        if (folder / CONFIG_FILE).is_file():
            try:
                config = PyFileConfigLoader(CONFIG_FILE, path=str(folder)).load_config()
            except (ConfigFileNotFound, ImportError, NameError, SyntaxError) as error:
                raise CourseError(f"{folder / CONFIG_FILE}: {error}") from error
            return Course(folder, config)
    if (root / "source").is_dir():
        from traitlets.config import Config

        return Course(root.resolve(), Config())
    raise CourseError(f"no {CONFIG_FILE} and no source/ in {root.resolve()} or above it")


def timestamp_of(folder: Path, zone: str = "UTC") -> datetime | None:
    """When a submission was handed in, in UTC, from its ``timestamp.txt``.

    A time without a zone is read in `zone`. A file that cannot be read as a time counts as none.
    """
    data = read_bytes(folder / "timestamp.txt", max_bytes=200)
    if isinstance(data, Unreadable):
        return None
    return parse_time(data.decode("utf-8-sig", "replace").strip(), zone)


def parse_time(text: str, zone: str = "UTC") -> datetime | None:
    """A time as nbgrader and learning platforms write it, in UTC; None if it is none."""
    from zoneinfo import ZoneInfo

    from dateutil import parser

    words = text.split(" ")
    if len(words) == 3 and ("/" in words[2] or words[2].isalpha()):
        text, zone = " ".join(words[:2]), words[2]
    try:
        moment: datetime = parser.parse(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=ZoneInfo(zone))
        return moment.astimezone(timezone.utc)
    except (ValueError, OverflowError, KeyError, OSError):
        return None


def _matches(pattern: str) -> Iterator[tuple[str, Path]]:
    """Folders that match a path with one ``*``, each with what the star stands for."""
    before, _, after = pattern.partition("*")
    base = Path(before).parent if not before.endswith("/") else Path(before)
    if not base.is_dir():
        return
    for entry in base.iterdir():
        path = Path(f"{before}{entry.name}{after}")
        if not entry.name.startswith(".") and path.is_dir() and not path.is_symlink():
            yield entry.name, path
