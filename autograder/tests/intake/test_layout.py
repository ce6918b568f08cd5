"""Whose file it is, from the paths that learning platforms export."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdgrade.intake.layout import owner_of, student_id

A = "prefill-decode-scheduling"
BOOKS = ("step1_request_pressure", "step2_chunked_prefill")


@pytest.mark.parametrize(
    ("path", "student", "file", "attempt"),
    [
        # Moodle: one folder per participant, or flat files.
        (
            "张三_1234567_assignsubmission_file_/step1_request_pressure.ipynb",
            "张三_1234567",
            "step1_request_pressure.ipynb",
            0,
        ),
        ("Ann Lee_88_assignsubmission_file_step1.ipynb", "Ann Lee_88", "step1.ipynb", 0),
        ("course/Ann Lee_88_assignsubmission_file_/inner/a.ipynb", "Ann Lee_88", "a.ipynb", 0),
        # Canvas: flat; attempts as a suffix; LATE.
        (
            "leeann_4711_99001_step1_request_pressure.ipynb",
            "leeann_4711",
            "step1_request_pressure.ipynb",
            0,
        ),
        (
            "leeann_LATE_4711_99002_step1_request_pressure-2.ipynb",
            "leeann_4711",
            "step1_request_pressure.ipynb",
            2,
        ),
        ("leeann_4711_99003_homework/step1.ipynb", "leeann_4711", "step1.ipynb", 0),
        # 学习通 and mail: student number and name, in any order.
        ("第三次作业/2023141500012-张三/step1.ipynb", "2023141500012", "step1.ipynb", 0),
        ("张三(2023141500012)/step1.ipynb", "2023141500012", "step1.ipynb", 0),
        ("2023141500012_张三/第2次提交/step1.ipynb", "2023141500012", "step1.ipynb", 2),
        ("2023141500012-张三-step1.ipynb", "2023141500012", "2023141500012-张三-step1.ipynb", 0),
        # nbgrader's own, plain folders, plain files.
        (
            f"submitted/amy/{A}/step1_request_pressure.ipynb",
            "amy",
            "step1_request_pressure.ipynb",
            0,
        ),
        ("class/amy/step1.ipynb", "amy", "step1.ipynb", 0),
        ("amy/attempt 3/step1.ipynb", "amy", "step1.ipynb", 3),
        ("amy_step1_request_pressure.ipynb", "amy", "amy_step1_request_pressure.ipynb", 0),
        ("step1_王芳.ipynb", "王芳", "step1_王芳.ipynb", 0),
        # A date is no student number.
        ("20260301/amy/step1.ipynb", "amy", "step1.ipynb", 0),
    ],
)
def test_the_owner_is_read_from_the_path(path, student, file, attempt):
    owner = owner_of(path.split("/"), A, BOOKS)
    assert (owner.student, owner.file, owner.attempt) == (student, file, attempt)


def test_canvas_marks_late_work():
    assert owner_of(["lee_LATE_4711_99_x.ipynb"], A, BOOKS).is_late


def test_a_bare_notebook_belongs_to_nobody():
    assert owner_of(["step1_request_pressure.ipynb"], A, BOOKS) is None


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=4))
def test_no_path_raises_and_every_id_is_a_safe_folder(parts):
    owner = owner_of(parts, A, BOOKS)
    if owner is not None:
        assert owner.student == student_id(owner.student)
        assert not set(owner.student) & set('/\\<>&"\0\n')
        assert owner.student not in (".", "..")
