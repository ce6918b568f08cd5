"""``pdgrade challenge``: collect, score with progress, and show the leaderboard it wrote."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from pdgrade import cli
from pdgrade.assignment import Assignment
from pdgrade.challenge import board
from pdgrade.challenge.entries import LABS, NOTEBOOK, Entry, NoEntry, policy_notebook, read_entry
from pdgrade.challenge.scoring import LIMITS, Result, score_baselines, score_entry
from pdgrade.cli.grade import show_intake
from pdgrade.course import Course
from pdgrade.forkserver import ForkServer
from pdgrade.grading.process import secret_paths
from pdgrade.intake.collect import collect
from pdgrade.records import Note
from pdgrade.sandbox import RUNGS, Isolation, IsolationError
from pdsched.labs.challenge import WORKLOADS
from pdsched.messages import text

#: Drawn seeds have this many bits: with few, a policy could try them all until a workload fits
#: the requests it is shown, and know what comes.
_SEED_BITS: Final = 48
_NUM_SEEDS: Final = 3
_STYLE: Final = {"baseline": "cyan", "scored": "green", "refused": "yellow", "missing": "yellow"}


@dataclass(frozen=True)
class ChallengeOptions:
    """What to score and where to write it.

    Attributes:
        submissions: an export, folder or zip; None is the course's ``submitted/``.
        leaderboard: the file to write.
        seeds: of the unseen workloads; none draws some.
        require: the weakest rung of isolation that will do; empty takes what there is.
    """

    submissions: Path | None
    leaderboard: Path
    seeds: tuple[int, ...] = ()
    require: str = ""

    def __post_init__(self) -> None:
        if self.require and self.require not in RUNGS:
            raise ValueError(f"--require-isolation must be one of {', '.join(RUNGS)}")
        if self.submissions is not None and not self.submissions.exists():
            raise ValueError(f"no such file or folder: {self.submissions}")
        board.check_target(self.leaderboard)


def run_challenge(course: Course, assignment: Assignment, options: ChallengeOptions) -> int:
    """Score everybody and write the leaderboard; returns the exit code.

    Raises:
        AssignmentError: the course has no lab 5.
    """
    console = Console(highlight=False)
    lab = policy_notebook(course.source(LABS))
    with _folders(console, course, assignment, options.submissions) as folders:
        entries = [read_entry(lab, assignment, who, where) for who, where in folders.items()]
    if not entries:
        where = options.submissions or course.path("submitted", "*", LABS)
        console.print(Text(f"pdgrade: nothing to score in {where}"))
        return cli.NEEDS_A_PERSON
    seeds = options.seeds or tuple(secrets.randbits(_SEED_BITS) for _ in range(_NUM_SEEDS))
    require: Any = options.require or None
    protected = secret_paths(course.root)
    try:
        with ForkServer(require=require, limits=LIMITS, protected=protected) as server:
            results = _score(console, entries, server, seeds)
            isolation = server.isolation
    except IsolationError as error:
        console.print(Text(f"pdgrade: {error}"))
        return cli.STOPPED
    rows = board.rows_of(results)
    board.write(options.leaderboard, rows, seeds, str(isolation))
    _show(console, rows, seeds, isolation)
    console.print(Text(f"-> {options.leaderboard}"))
    return cli.NEEDS_A_PERSON if any(r.status == "failed" for r in results) else 0


def _show(
    console: Console, rows: Sequence[dict[str, Any]], seeds: Sequence[int], isolation: Isolation
) -> None:
    console.print(_table(rows))
    console.print(Text(f"seeds {', '.join(map(str, seeds))} · isolation {isolation}", style="dim"))
    for gap in isolation.open_to_learners:
        console.print(Text(f"  ! {text(f'grader.open_{gap}')}", style="yellow"))


@contextmanager
def _folders(
    console: Console, course: Course, assignment: Assignment, submissions: Path | None
) -> Iterator[dict[str, list[Path]]]:
    """Everybody's folders: of the lab, then of the Steps they handed in before."""

    def steps(student: str) -> Path:
        return course.path("submitted", student, assignment.name)

    submitted = course.path("submitted", "*", LABS).parents[1]
    if submissions is None or submissions.resolve() == submitted.resolve():
        students = course.students(LABS)
        yield {s: [course.path("submitted", s, LABS), steps(s)] for s in students}
        return
    names = [NOTEBOOK, *(notebook.name for notebook in assignment.notebooks)]
    with tempfile.TemporaryDirectory(prefix="pdgrade-challenge-") as scratch:
        there = Course(Path(scratch), course.config)
        intake = collect(submissions, there, LABS, names)
        show_intake(console, intake)
        students = [collected.student for collected in intake.students]
        yield {s: [there.path("submitted", s, LABS), steps(s)] for s in students}


def _score(
    console: Console, entries: Sequence[Entry | NoEntry], server: ForkServer, seeds: Sequence[int]
) -> list[Result]:
    results = list(score_baselines(seeds))
    for entry in track(entries, LABS, console=console, disable=not console.is_terminal):
        results.append(score_entry(entry, server, seeds))
    return results


def _table(rows: Sequence[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("rank", justify="right")
    table.add_column("name", overflow="fold", max_width=32)
    for name in ("score", *(workload[0] for workload in WORKLOADS)):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("note", overflow="fold")
    for row in rows:
        status = str(row["status"])
        table.add_row(
            str(row["rank"] or "–"),
            Text(row["name"]),
            *(_number(row[name]) for name in ("score", *(w[0] for w in WORKLOADS))),
            Text(Note(f"challenge_status_{status}").text(), style=_STYLE.get(status, "red")),
            Text(row["note"]),
        )
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
