"""Records survive their JSON form, and nothing else is taken for one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdgrade import records
from pdgrade.records import (
    CellError,
    CheckRecord,
    Note,
    NotebookRecord,
    QuestionRecord,
    SubmissionRecord,
    TestRecord,
)

ANY_TEXT = st.text(max_size=20) | st.just("\ud800")
CHECKS = st.builds(CheckRecord, ANY_TEXT, st.sampled_from(["passed", "raised"]), got=ANY_TEXT)
TESTS = st.builds(
    TestRecord,
    ANY_TEXT,
    st.sampled_from([0.0, 1.0]),
    st.just(2.0),
    st.just("wrong_value"),
    checks=st.tuples(CHECKS),
)
QUESTIONS = st.builds(
    QuestionRecord,
    ANY_TEXT,
    st.just(("f",)),
    st.sampled_from(["graded", "timeout"]),
    st.tuples(TESTS),
    cell_errors=st.tuples(st.builds(CellError, ANY_TEXT, ANY_TEXT)),
    notes=st.tuples(st.builds(Note, ANY_TEXT, st.dictionaries(ANY_TEXT, ANY_TEXT, max_size=2))),
)
NOTEBOOKS = st.builds(NotebookRecord, ANY_TEXT, ANY_TEXT, st.booleans(), st.tuples(QUESTIONS))
RECORDS = st.builds(SubmissionRecord, ANY_TEXT, ANY_TEXT, st.just("graded"), st.tuples(NOTEBOOKS))


@given(RECORDS)
def test_json_round_trip(record):
    assert records.from_json(records.to_json(record)) == record


def test_points_add_up_and_never_exceed_the_maximum():
    tests = (TestRecord("a", 1.0, 1.0, "passed"), TestRecord("b", 0.0, 2.0, "wrong_value"))
    question = QuestionRecord("q", ("f",), "graded", tests)
    record = SubmissionRecord(
        "s", "a", "graded", (NotebookRecord("n", "n.ipynb", readable=True, questions=(question,)),)
    )
    assert (record.points, record.max_points) == (1.0, 3.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema_version": 99}, "schema_version must be 1, got 99"),
        ({"status": "splendid"}, "record.status must be"),
        ({"notebooks": 3}, "record.notebooks must be a list"),
        ({"student": 4}, "record.student must be"),
    ],
)
def test_a_wrong_document_is_refused_by_field(change, message):
    document = json.loads(records.to_json(SubmissionRecord("s", "a", "missing", ())))
    with pytest.raises(ValueError, match=message):
        records.from_json(json.dumps(document | change))


def test_a_note_that_lacks_its_fields_is_still_a_text():
    assert Note("aside_left_out", {"cel": "3"}).text() == "aside_left_out cel=3"
