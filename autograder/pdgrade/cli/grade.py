"""``pdgrade grade``: collect, grade with progress, and a table of what a person should look at."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from pdgrade import cli
from pdgrade.assignment import Assignment
from pdgrade.course import Course
from pdgrade.grading.batch import BatchOptions, Line, Summary, grade_class, selected
from pdgrade.intake.collect import Intake, collect
from pdgrade.records import Note
from pdgrade.sandbox import Isolation
from pdsched.messages import text

MAX_ROWS: Final = 40
URGENT: Final = ("failed", "unreadable", "timeout")
_STYLE: Final = {
    "graded": "green",
    "partial": "yellow",
    "missing": "yellow",
    "timeout": "red",
    "unreadable": "red",
    "failed": "bold red",
}


def run_grade(
    course: Course, assignment: Assignment, options: BatchOptions, export: Path | None
) -> int:
    """Grade and report; returns the exit code."""
    console = Console(highlight=False)
    if export is not None and export.resolve() != (course.root / "submitted").resolve():
        if not export.exists():
            console.print(Text(f"pdgrade: no such file or folder: {export}"))
            return cli.WRONG_USE
        names = [notebook.name for notebook in assignment.notebooks]
        show_intake(console, collect(export, course, assignment.name, names))
    total = len(selected(course, assignment, options))
    if not total:
        folder = course.path("submitted", "*", assignment.name)
        console.print(Text(f"pdgrade: nothing to grade in {folder}"))
        return cli.NEEDS_A_PERSON
    summary = _with_progress(console, course, assignment, options, total)
    show_summary(console, summary, assignment)
    if summary.stopped:
        return cli.STOPPED
    urgent = any(line.status in URGENT for line in summary.lines)
    return cli.NEEDS_A_PERSON if urgent else 0


def _with_progress(
    console: Console, course: Course, assignment: Assignment, options: BatchOptions, total: int
) -> Summary:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("·"),
        TimeRemainingColumn(),
    )
    step = max(1, total // 20)
    with Progress(*columns, console=console, expand=True) as progress:
        task = progress.add_task(assignment.name, total=total)
        done = 0

        def tell(line: Line) -> None:
            nonlocal done
            done += 1
            progress.advance(task)
            if not console.is_terminal and (done % step == 0 or done == total):
                console.print(Text(f"{done}/{total} {line.student} {line.status}"))

        return grade_class(course, assignment, options, tell)


def show_intake(console: Console, intake: Intake) -> None:
    """What was collected, and what was not."""
    files = sum(len(student.files) for student in intake.students)
    console.print(Text(f"collected {files} files of {len(intake.students)} students"))
    for refused in intake.refused[:20]:
        console.print(Text(f"  refused {refused.path}: {refused.reason.text()}", style="yellow"))
    if len(intake.refused) > 20:
        console.print(Text(f"  … and {len(intake.refused) - 20} more"))


def show_summary(console: Console, summary: Summary, assignment: Assignment) -> None:
    """The final table: how many of what, then everyone who is not plainly graded."""
    rest = [line for line in summary.lines if line.status != "graded"]
    rest.sort(key=lambda line: (line.status not in URGENT, line.student))
    if rest:
        console.print(_table(rest))
    if len(rest) > MAX_ROWS:
        console.print(Text(f"… and {len(rest) - MAX_ROWS} more; see: pdgrade report", style="dim"))
    console.print(_counts(summary, assignment))
    for rung in sorted({line.isolation for line in summary.lines if line.isolation}):
        console.print(Text(f"isolation: {rung}", style="dim"))
        for gap in Isolation.read(rung).open_to_learners:
            console.print(Text(f"  ! {text(f'grader.open_{gap}')}", style="yellow"))
    if summary.stopped:
        console.print(Text(f"stopped: {summary.stopped}", style="bold red"))
        console.print(Text("everything graded so far is kept; run the same command again to go on"))


def _table(lines: list[Line]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", expand=False)
    table.add_column("student", overflow="fold", max_width=32)
    table.add_column("status", no_wrap=True)
    table.add_column("points", justify="right", no_wrap=True)
    table.add_column("note", overflow="fold")
    for line in lines[:MAX_ROWS]:
        status = Text(Note(f"status_{line.status}").text(), style=_STYLE[line.status])
        points = f"{line.points:g} / {line.max_points:g}"
        table.add_row(Text(line.student), status, points, Text(line.note))
    return table


def _counts(summary: Summary, assignment: Assignment) -> Text:
    counts = summary.count()
    text = Text(f"{len(summary.lines)} submissions: ")
    for i, (status, count) in enumerate(counts.most_common()):
        text.append(", " if i else "")
        text.append(f"{count} {Note(f'status_{status}').text()}", style=_STYLE[status])
    cached = sum(line.cached for line in summary.lines)
    scored = [line.points for line in summary.lines if line.status not in ("missing", "failed")]
    mean = sum(scored) / len(scored) if scored else 0.0
    per_minute = 60 * (len(summary.lines) - cached) / summary.wall_s if summary.wall_s else 0.0
    text.append(f" · {cached} unchanged · mean {mean:.1f} / {assignment.max_points:g}")
    text.append(f" · {summary.wall_s:.1f} s")
    text.append(f" · {per_minute:.0f} per minute" if per_minute else "")
    return text
