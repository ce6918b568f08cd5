"""``pdgrade doctor``: versions, isolation, disk, course and gradebook, each with what to do."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.text import Text

from pdgrade import cli
from pdgrade.assignment import NothingGradedError
from pdgrade.course import RECORDS, Course, CourseError, open_course
from pdsched.messages import text

FREE_MIB_WANTED = 1024


@dataclass(frozen=True)
class Finding:
    """One line: what was looked at, what was found, whether that is a problem."""

    name: str
    text: str
    ok: bool = True
    absent: bool = False


def run_doctor(course: Path) -> int:
    """Print the findings; 1 if one of them is a problem."""
    console = Console(highlight=False)
    failed = False
    for finding in findings(course):
        failed |= not finding.ok
        mark = Text("✗ ", style="bold red")
        if finding.ok:
            mark = Text("– ", style="dim") if finding.absent else Text("✓ ", style="green")
        console.print(mark + Text(f"{finding.name:<12}", style="dim") + Text(finding.text))
    return cli.NEEDS_A_PERSON if failed else 0


def findings(course: Path) -> Iterator[Finding]:
    """Everything that is looked at, in order."""
    yield Finding("system", f"{platform.system()} {platform.release()} {platform.machine()}")
    yield Finding("python", f"{platform.python_version()} {sys.executable}")
    yield from _versions()
    yield from _isolation()
    yield _disk(course)
    try:
        found = open_course(course)
    except CourseError as error:
        yield Finding("course", str(error), ok=False)
        return
    yield Finding("course", str(found.root))
    yield from _assignment(found)
    yield from _gradebook(found)


def _versions() -> Iterator[Finding]:
    for name in ("pdgrade", "pdsched", "nbgrader", "nbformat", "SQLAlchemy", "plotly"):
        try:
            yield Finding(name.lower(), version(name))
        except PackageNotFoundError:
            yield Finding(name.lower(), "not installed", ok=name in ("plotly", "nbformat"))


def _isolation() -> Iterator[Finding]:
    from pdgrade.forkserver import ForkServer
    from pdgrade.sandbox import RUNGS, IsolationError

    for rung in RUNGS:
        try:
            with ForkServer(isolation=rung, require=rung) as server:
                gaps = [text(f"grader.open_{gap}") for gap in server.isolation.open_to_learners]
                still = f"; {'; '.join(gaps)}" if gaps else ""
                yield Finding(rung, f"available, as {server.isolation}{still}")
        except IsolationError as error:
            why = f"not here: {str(error)[:200]}"
            yield Finding(rung, why, ok=rung != "rlimits", absent=True)
        except (OSError, ValueError) as error:
            yield Finding(rung, f"cannot be tried: {error}", ok=rung != "rlimits")


def _disk(course: Path) -> Finding:
    free_mib = shutil.disk_usage(course).free >> 20
    text = f"{free_mib:,} MiB free"
    return Finding("disk", text, ok=free_mib >= FREE_MIB_WANTED)


def _assignment(course: Course) -> Iterator[Finding]:
    folder = course.source("x").parent
    graded = 0
    for path in sorted(p for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []:
        try:
            loaded = course.assignment(path.name)
        except CourseError as error:
            if isinstance(error.__cause__, NothingGradedError):
                continue  # labs and drafts are nobody's assignment
            graded += 1
            yield Finding("assignment", str(error), ok=False)
            continue
        graded += 1
        students = len(course.students(loaded.name))
        records = len(list((course.root / RECORDS / loaded.name).glob("*.json")))
        text = (
            f"{loaded.name}: {loaded.max_points:g} points, {students} submitted, {records} graded"
        )
        yield Finding("assignment", text)
    if not graded:
        yield Finding("assignment", f"no notebook with graded cells below {folder}", ok=False)


def _gradebook(course: Course) -> Iterator[Finding]:
    from sqlalchemy import create_engine, inspect, text
    from sqlalchemy.exc import SQLAlchemyError

    url = course.db_url
    shown = url.partition("@")[2] or url  # a password is before the @
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        yield Finding("gradebook", f"{shown}: not there yet, the first grading makes it")
        return
    try:
        engine = create_engine(url)
        with engine.connect() as connection:
            tables = inspect(engine).get_table_names()
            healthy = True
            if url.startswith("sqlite"):
                healthy = connection.execute(text("PRAGMA quick_check")).scalar() == "ok"
        engine.dispose()
    except (SQLAlchemyError, ImportError) as error:
        yield Finding("gradebook", f"{shown}: {str(error)[:200]}", ok=False)
        return
    sound = healthy and "submitted_assignment" in tables
    yield Finding("gradebook", f"{shown}: {'sound' if sound else 'damaged'}", ok=sound)
