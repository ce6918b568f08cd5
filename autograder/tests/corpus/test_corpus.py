"""Every odd submission gets the score, the status and the note in its row."""

import pytest

from corpus import CASES
from pdgrade import records
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.grading.settings import GradingSettings
from pdgrade.grading.single import grade_submission
from pdgrade.limits import Limits
from pdgrade.rebuild import rebuild

LIMITS = Limits(
    call_wall_s=2.0, cell_wall_s=3.0, question_wall_s=12.0, memory_mib=256, output_mib=24
)


@pytest.fixture(scope="module")
def server():
    with ForkServer(limits=LIMITS) as running:
        yield running


@pytest.fixture
def graded(miniature, server, tmp_path):
    def grade(case):
        folder = case.build().write(tmp_path / "someone")

        def question(asked, cells, seed, left_s):
            return grade_question(asked, cells, server, seed, wall_s=left_s)

        return grade_submission(
            miniature, folder, "someone", question, GradingSettings(limits=LIMITS)
        )

    return grade


def all_notes(record):
    notes = [*record.notes]
    for notebook in record.notebooks:
        notes += [*notebook.notes, *(n for q in notebook.questions for n in q.notes)]
    return notes


def explain(record):
    lines = [
        (q.name, q.status, q.reason, q.stopped_in, q.points, q.cell_errors)
        for q in record.questions
    ]
    return "\n".join(map(str, [record.status, *all_notes(record), *lines]))


def test_the_corpus_is_large_and_its_names_are_unique():
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_odd_submission(case, graded, miniature):
    result = graded(case)
    record = result.record
    assert record.points == case.points, explain(record)
    assert record.status == case.status, explain(record)
    assert record.max_points == 9
    codes = {note.code for note in all_notes(record)}
    assert set(case.notes) <= codes, explain(record)
    for note in all_notes(record):
        assert "grader." not in note.text()
        assert note.text() != note.code
    assert records.from_json(records.to_json(record)) == record
    for source, found, notebook in zip(
        miniature.notebooks, result.found, record.notebooks, strict=True
    ):
        document = rebuild(source, found.matched, notebook)
        ids = [
            c["metadata"]["nbgrader"]["grade_id"]
            for c in document["cells"]
            if "nbgrader" in c["metadata"]
        ]
        assert ids == [c.grade_id for c in source.cells if c.grade_id]


def test_an_honest_submission_is_graded_without_a_word(graded):
    assert all_notes(graded(CASES[0]).record) == []
