"""The automatic comment on an answer: what an instructor sees beside it in formgrader."""

from __future__ import annotations

from pdgrade.records import Note, NotebookRecord, QuestionRecord

MAX_CHARS = 2_000


def comment_on(notebook: NotebookRecord, question: QuestionRecord) -> str | None:
    """Why a question lost points or needed help, in plain text; None if there is nothing to say."""
    lines: list[str] = []
    if not notebook.file or not notebook.readable:
        lines += [note.text() for note in notebook.notes]
    elif question.status != "graded":
        lines.append(question.stopped().text())
    elif all(test.verdict == "unwritten" for test in question.tests):
        lines.append(Note("no_response").text())
    else:
        lines += [
            f"{test.grade_id}: {Note(f'verdict_{test.verdict}').text()}"
            for test in question.tests
            if test.verdict != "passed"
        ]
    mine = [n for n in notebook.notes if n.fields.get("question") == question.name]
    lines += [note.text() for note in (*question.notes, *mine)]
    lines += [f"{error.where()}: {error.error}" for error in question.cell_errors[:3]]
    return storable("\n".join(lines)[:MAX_CHARS]) or None


def storable(text: str) -> str:
    """Text that every database takes: no lone surrogate, no NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
