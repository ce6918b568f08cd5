"""The commands and their options; what they do is in the modules they call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from pdgrade import cli
from pdgrade.assignment import Assignment
from pdgrade.course import Course, CourseError, open_course, parse_time
from pdsched import messages

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Grade the Prefill/Decode scheduling course; nbgrader compatible.",
)

CourseOption = Annotated[Path, typer.Option("--course", help="the course directory")]
AssignmentOption = Annotated[
    str, typer.Option("--assignment", "-a", help="default: the only one in source/")
]
OnlyOption = Annotated[
    list[str] | None, typer.Option("--only", help="student id or pattern; may be repeated")
]
IsolationOption = Annotated[
    str,
    typer.Option("--require-isolation", help="fail unless at least: namespaces, landlock or uid"),
]
LanguageOption = Annotated[str, typer.Option("--lang", help="zh or en")]


def stop(message: str, code: int = cli.WRONG_USE) -> NoReturn:
    """End with one line on standard error."""
    typer.echo(f"pdgrade: {' '.join(message.split())}", err=True)
    raise typer.Exit(code)


def opened(course: Path, assignment: str, language: str) -> tuple[Course, Assignment]:
    """The course and its assignment, or the end of the command."""
    if language not in messages.LANGUAGES:
        stop(f"--lang must be one of {', '.join(messages.LANGUAGES)}, got {language!r}")
    messages.set_language(language)
    try:
        found = open_course(course)
        return found, found.assignment(assignment)
    except CourseError as error:
        stop(str(error))


@app.command()
def grade(  # noqa: PLR0917  each is an option of the command line
    export: Annotated[
        Path | None,
        typer.Argument(help="folder or zip of Moodle, Canvas, 学习通 …; else submitted/"),
    ] = None,
    course: CourseOption = Path(),
    assignment: AssignmentOption = "",
    only: OnlyOption = None,
    since: Annotated[str, typer.Option(help="only what changed or came in since this time")] = "",
    force: Annotated[bool, typer.Option("--force", help="grade unchanged ones again")] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="grading processes; 0: 3 for 2 cores")
    ] = 0,
    executor: Annotated[
        str, typer.Option(help="processes, dask:local or dask:tcp://HOST:PORT")
    ] = "processes",
    require_isolation: IsolationOption = "",
    zone: Annotated[str, typer.Option(help="time zone of times that name none")] = "UTC",
    language: LanguageOption = "zh",
) -> None:
    """Grade every submission into the gradebook; go on where the last run stopped."""
    from pdgrade.cli.grade import run_grade
    from pdgrade.grading.batch import BatchOptions, default_jobs
    from pdgrade.grading.settings import GradingSettings

    moment = parse_time(since, zone) if since else None
    if since and moment is None:
        stop(f"--since must be a time such as 2026-03-01 or '2026-03-01 18:00', got {since!r}")
    found, loaded = opened(course, assignment, language)
    try:
        settings = GradingSettings(isolation=require_isolation, language=language, zone=zone)
        options = BatchOptions(
            tuple(only or ()), moment, force, jobs or default_jobs(), executor, settings
        )
    except ValueError as error:
        stop(str(error))
    raise typer.Exit(run_grade(found, loaded, options, export))


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="your notebook, or the folder with all four")],
    language: LanguageOption = "zh",
) -> None:
    """Run the visible checks of your own notebook, as the grader would."""
    from pdgrade.cli.check import run_check

    messages.set_language(language if language in messages.LANGUAGES else None)
    raise typer.Exit(run_check(files))


@app.command()
def feedback(
    course: CourseOption = Path(),
    assignment: AssignmentOption = "",
    only: OnlyOption = None,
    zone: Annotated[str, typer.Option(help="time zone to show times in")] = "UTC",
    language: LanguageOption = "zh",
) -> None:
    """Write each learner's feedback pages into feedback/."""
    from pdgrade.cli.pages import write_feedback

    found, loaded = opened(course, assignment, language)
    count = write_feedback(found, loaded, tuple(only or ()), zone)
    if not count:
        stop(f"no graded submissions of {loaded.name}; run: pdgrade grade", cli.NEEDS_A_PERSON)
    typer.echo(f"{count} submissions -> {found.path('feedback', '*', loaded.name)}")


@app.command()
def report(
    course: CourseOption = Path(),
    assignment: AssignmentOption = "",
    out: Annotated[Path | None, typer.Option(help="HTML file to write")] = None,
    language: LanguageOption = "zh",
) -> None:
    """Write the class report as HTML, and as CSV beside it."""
    from pdgrade.cli.pages import write_report

    found, loaded = opened(course, assignment, language)
    paths = write_report(found, loaded, out)
    if not paths:
        stop(f"no graded submissions of {loaded.name}; run: pdgrade grade", cli.NEEDS_A_PERSON)
    for path in paths:
        typer.echo(str(path))


@app.command()
def export(  # noqa: PLR0917  each is an option of the command line
    course: CourseOption = Path(),
    assignment: AssignmentOption = "",
    to: Annotated[str, typer.Option("--format", "-f", help="csv, moodle or canvas")] = "csv",
    roster: Annotated[
        Path | None, typer.Option(help="the platform's own grade sheet, to fill in")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="file to write; default: grades-FORMAT.csv")
    ] = None,
    language: LanguageOption = "zh",
) -> None:
    """Write the grades as CSV, or with the columns Moodle or Canvas imports."""
    from pdgrade.export import ExportError, export_grades

    found, loaded = opened(course, assignment, language)
    try:
        text = export_grades(found, loaded, to, roster)
    except ExportError as error:
        stop(str(error))
    from pdgrade.grading.store import write_atomically

    target = out or Path(f"grades-{to}.csv")
    write_atomically(target, text, 0o600)  # marks: for their owner only
    typer.echo(str(target))


@app.command()
def release(
    course: CourseOption = Path(),
    check_only: Annotated[bool, typer.Option("--check", help="write nothing; 1 if stale")] = False,
) -> None:
    """Write release/ from source/."""
    from pdgrade.release import main as run

    raise typer.Exit(run(["--course", str(course), *(["--check"] if check_only else [])]))


@app.command()
def challenge(  # noqa: PLR0917  each is an option of the command line
    submissions: Annotated[
        Path | None,
        typer.Argument(help="folder or zip of Moodle, Canvas, 学习通 …; else submitted/*/labs"),
    ] = None,
    leaderboard: Annotated[Path, typer.Option(help="file to write, .json or .csv")] = Path(
        "leaderboard.json"
    ),
    seed: Annotated[
        list[int] | None,
        typer.Option(help="of the unseen workloads; may be repeated. Default: 3 drawn at random"),
    ] = None,
    course: CourseOption = Path(),
    assignment: AssignmentOption = "",
    require_isolation: IsolationOption = "",
    language: LanguageOption = "zh",
) -> None:
    """Score everybody's policy of lab 5 on workloads nobody has seen; write a leaderboard."""
    from pdgrade.cli.challenge import ChallengeOptions, run_challenge

    found, loaded = opened(course, assignment, language)
    try:
        options = ChallengeOptions(submissions, leaderboard, tuple(seed or ()), require_isolation)
        code = run_challenge(found, loaded, options)
    except ValueError as error:  # of what was asked for, or of the course's lab 5
        stop(str(error))
    raise typer.Exit(code)


@app.command()
def doctor(course: CourseOption = Path()) -> None:
    """Say what this machine can isolate, and whether course and gradebook are sound."""
    from pdgrade.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(course))
