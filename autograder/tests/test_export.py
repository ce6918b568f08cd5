"""Grades leave in the columns that the platforms import."""

import csv
import io

import pytest
from miniature import NAME, honest

from pdgrade.export import ExportError, export_grades


def rows(text):
    return list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))


def test_csv_has_a_line_per_learner_and_a_column_per_notebook(small_class):
    table = rows(export_grades(small_class.course, small_class.assignment, "csv"))
    assert [(r["student_id"], r["score"], r["step1_request_pressure"]) for r in table] == [
        ("amy", "9", "4"),
        ("bob", "0", "0"),
        ("张三", "8", "3"),
    ]


def test_moodle_and_canvas_ids_come_back(classroom):
    classroom.hand_in("Ann Lee_4711", honest())
    classroom.grade()
    (moodle,) = rows(export_grades(classroom.course, classroom.assignment, "moodle"))
    assert (moodle["Identifier"], moodle["Full name"], moodle["Grade"]) == (
        "Participant 4711",
        "Ann Lee",
        "9",
    )
    possible, canvas = rows(export_grades(classroom.course, classroom.assignment, "canvas"))
    assert (possible[NAME], canvas["ID"], canvas[NAME]) == ("9", "4711", "9")


def test_the_platforms_own_sheet_is_filled_in(small_class, tmp_path):
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(
        "Identifier,Full name,Grade,Feedback\nParticipant 1,amy,,\nParticipant 2,nobody,,\n"
    )
    table = rows(export_grades(small_class.course, small_class.assignment, "moodle", sheet))
    assert [(r["Full name"], r["Grade"]) for r in table] == [("amy", "9"), ("nobody", "")]


def test_an_empty_gradebook_is_told(classroom):
    with pytest.raises(ExportError, match="no submissions"):
        export_grades(classroom.course, classroom.assignment, "csv")


def test_wrong_use_is_named(small_class, tmp_path):
    with pytest.raises(ExportError, match="--format must be one of"):
        export_grades(small_class.course, small_class.assignment, "xls")
    (tmp_path / "x.csv").write_text("a,b\n")
    with pytest.raises(ExportError, match="no column 'Grade'"):
        export_grades(small_class.course, small_class.assignment, "moodle", tmp_path / "x.csv")
