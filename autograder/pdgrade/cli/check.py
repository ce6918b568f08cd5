"""``pdgrade check``: the visible half of grading, on the learner's own machine.

The released notebook nearest to the file says which tests there are; without one, the learner's
own copy of the tests is used. Nothing hidden is needed or run, and nbgrader is not imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from pdgrade import cli
from pdgrade.assignment import (
    Assignment,
    AssignmentError,
    Question,
    SourceNotebook,
    load,
    read_notebook,
    without_regions,
)
from pdgrade.forkserver import ForkServer
from pdgrade.records import CheckRecord, Note, QuestionRecord, TestRecord
from pdgrade.submission.document import SubmittedNotebook, Unreadable, read_file
from pdgrade.submission.matching import MatchedNotebook, match
from pdgrade.submission.plan import plan_question

_ASSIGNMENT_FOLDERS = ("release", "source")


def run_check(files: Sequence[Path]) -> int:
    """Check every notebook; 0 if all visible checks pass."""
    console = Console(highlight=False)
    paths = [
        p for file in files for p in (sorted(file.glob("*.ipynb")) if file.is_dir() else [file])
    ]
    if not paths:
        console.print(Text("pdgrade: no notebook (.ipynb) there"))
        return cli.WRONG_USE
    passed = True
    with ForkServer() as server:
        for path in paths:
            console.print(Text(path.name, style="bold"))
            submitted = read_file(path)
            if isinstance(submitted, Unreadable):
                console.print(Text(f"  ✗ {submitted.reason.text()}", style="red"))
                passed = False
                continue
            source = reference_for(path, submitted)
            if source is None:
                console.print(Text("  – " + Note("check_no_questions").text()))
                continue
            matched = match(source, submitted)
            for note in (*submitted.notes, *matched.notes):
                console.print(Text(f"  · {note.text()}", style="dim"))
            for question in source.questions:
                record = _run(question, matched, server)
                passed &= show_question(console, record)
    return 0 if passed else cli.NEEDS_A_PERSON


def _run(question: Question, matched: MatchedNotebook, server: ForkServer) -> QuestionRecord:
    from pdgrade.checks import grade_question
    from pdgrade.grading.single import not_run, run_plan

    if question.name not in matched.solutions:
        return not_run(question, "missing")
    tests = tuple(replace(t, source=without_regions(t.source)) for t in question.tests)
    visible = replace(question, tests=tests)
    plan = plan_question(matched, question)
    return run_plan(plan, lambda cells: grade_question(visible, cells, server, 0))


def reference_for(path: Path, submitted: SubmittedNotebook) -> SourceNotebook | None:
    """The released notebook this file was made from, else the file itself."""
    candidates = [n for a in _assignments_near(path) for n in a.notebooks]
    names = {c.grade_id for c in submitted.cells if c.grade_id}
    best = max(candidates, key=lambda n: len(names & {q.name for q in n.questions}), default=None)
    if best is not None and (best.name == path.stem or names & {q.name for q in best.questions}):
        return best
    return _itself(path)


def _assignments_near(path: Path) -> Iterator[Assignment]:
    for folder in path.resolve().parents:
        for kind in _ASSIGNMENT_FOLDERS:
            root = folder / kind
            for assignment in sorted(root.iterdir()) if root.is_dir() else []:
                try:
                    yield load(assignment)
                except (AssignmentError, OSError):
                    continue


def _itself(path: Path) -> SourceNotebook | None:
    try:
        source = read_notebook(path)
    except AssignmentError:
        return None
    return source if source.questions else None


def show_question(console: Console, record: QuestionRecord) -> bool:
    """Print one question; True if every test passed."""
    name = ", ".join(record.functions) or record.name
    passed = all(test.verdict == "passed" for test in record.tests)
    if record.status != "graded":
        console.print(Text("  ✗ " + record.stopped().text(), style="red"))
    for error in record.cell_errors:
        console.print(Text(f"  ! {error.where()}: {error.error}", style="yellow"))
    for note in record.notes:
        console.print(Text(f"  · {note.text()}", style="dim"))
    for test in record.tests:
        mark, style = _mark(test)
        verdict = Note(f"verdict_{test.verdict}").text()
        line = f"  {mark} {name}: {test.title or test.grade_id} – {verdict}"
        console.print(Text(line, style=style))
        for check in test.checks:
            if check.verdict not in ("passed", "unwritten"):
                _show_check(console, check)
    return passed


def _mark(test: TestRecord) -> tuple[str, str]:
    if test.verdict == "passed":
        return "✓", "green"
    return ("–", "yellow") if test.verdict in ("unwritten", "not_run") else ("✗", "red")


def _show_check(console: Console, check: CheckRecord) -> None:
    facts = (
        ("page_call", check.call),
        ("page_expected", check.expected),
        ("page_got", check.got),
        ("page_detail", check.detail),
        ("page_rule", check.rule),
        ("page_hint", check.hint),
    )
    for key, text in facts:
        if text:
            console.print(Text(f"      {Note(key).text()}: {text}"))
