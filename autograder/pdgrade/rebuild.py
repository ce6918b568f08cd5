"""Rebuild a notebook from the instructor's, with the learner's code spliced in.

What comes out is ours cell by cell: metadata, tests and text from the source; from the submission
only code, and text only as a quotation (so that nothing in it is rendered as HTML or MathJax when
an instructor opens it). Outputs are the grader's own, as plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pdgrade.assignment import SourceNotebook
from pdgrade.records import NotebookRecord, TestRecord
from pdgrade.submission.matching import MatchedNotebook, Piece

Cell = dict[str, Any]


def rebuild(
    source: SourceNotebook, matched: MatchedNotebook | None, record: NotebookRecord
) -> dict[str, Any]:
    """The notebook an instructor sees in formgrader (nbformat 4.5 JSON)."""
    document = dict(source.document)
    tests = {test.grade_id: test for q in record.questions for test in q.tests}
    added = _added_cells(source, matched) if matched else {}
    answers = matched.solutions if matched else {}
    cells: list[Cell] = list(added.get(-1, []))
    for released, original in zip(source.cells, source.document["cells"], strict=True):
        cell = dict(original)  # what is nested in it is read, never changed
        if cell["cell_type"] == "code":
            cell["outputs"] = []
        if released.kind in ("solution", "manual"):
            cell["source"] = answers.get(released.grade_id, "")
        if released.grade_id in tests:
            cell["outputs"] = [_output(tests[released.grade_id])]
            cell["execution_count"] = None
        cells += [cell, *added.get(released.index, [])]
    document["cells"] = [_with_id(cell, i) for i, cell in enumerate(cells)]
    document["nbformat"], document["nbformat_minor"] = 4, 5
    document["metadata"] = {
        key: value for key, value in source.document.get("metadata", {}).items() if key != "widgets"
    }
    return document


def _added_cells(source: SourceNotebook, matched: MatchedNotebook) -> Mapping[int, list[Cell]]:
    """The learner's own and changed cells, by the index of the released cell they follow."""
    added: dict[int, list[Cell]] = {}
    place = -1
    for piece in matched.pieces:
        if piece.source is not None:
            place = piece.source.index
        for cell in _shown(piece):
            added.setdefault(min(place, len(source.cells) - 1), []).append(cell)
    return added


def _shown(piece: Piece) -> Iterator[Cell]:
    text = piece.cell.source
    changed = piece.source is None or text.strip() != piece.source.stub
    if not text.strip() or piece.role in ("solution", "manual", "test") or not changed:
        return
    is_code = piece.cell.cell_type == "code"
    tags = {"tags": [f"learner-{piece.role}"]}
    if is_code:
        yield {
            "cell_type": "code",
            "metadata": tags,
            "source": text,
            "outputs": [],
            "execution_count": None,
        }
    else:
        yield {"cell_type": "markdown", "metadata": tags, "source": quoted(text)}


def quoted(text: str) -> str:
    """A learner's Markdown inside a code fence longer than any in it: shown, never rendered."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _output(test: TestRecord) -> dict[str, Any]:
    """For nbgrader, which scores a cell by its outputs: an error is 0, else full points."""
    lines = [test.detail] if test.detail else []
    for check in test.checks:
        if check.verdict != "passed":
            facts = (("", check.call), ("expected: ", check.expected), ("got: ", check.got))
            lines.append(check.rule or check.name)
            lines += [f"  {label}{fact}" for label, fact in facts if fact]
    text = "\n".join(line for line in lines if line.strip())
    if test.verdict == "passed":
        passed = f"✓ {test.points:g} / {test.max_points:g}\n"
        return {"output_type": "stream", "name": "stdout", "text": passed}
    return {
        "output_type": "error",
        "ename": test.verdict,
        "evalue": text.partition("\n")[0],
        "traceback": [text or test.verdict],
    }


def _with_id(cell: Cell, number: int) -> Cell:
    cell["id"] = cell.get("id") or f"cell-{number}"
    return cell
