"""Exports become submitted/<student>/<assignment>/; nothing leaves its folder."""

import io
import json
import os
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miniature import NAME, honest
from traitlets.config import Config

from pdgrade.course import Course
from pdgrade.intake.archive import Walk, is_unsafe, member_name
from pdgrade.intake.collect import collect, told_by_intake

BOOKS = ("step1_request_pressure", "step2_chunked_prefill")
STEP1 = honest().bytes_of("step1")


@pytest.fixture
def course(tmp_path):
    (tmp_path / "course").mkdir()
    return Course(tmp_path / "course", Config())


def zipped(members):
    """A zip of {name: bytes or {name: …} for a nested zip}."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, zipped(data) if isinstance(data, dict) else data)
    return out.getvalue()


def take(course, tmp_path, data, name="export.zip"):
    (tmp_path / name).write_bytes(data)
    return collect(tmp_path / name, course, NAME, BOOKS)


def submitted(course, student):
    folder = course.path("submitted", student, NAME)
    return sorted(p.name for p in folder.iterdir() if not p.name.startswith("."))


def reasons(intake):
    return [refused.reason.code for refused in intake.refused]


def test_a_moodle_zip(course, tmp_path):
    members = {
        "张三_12_assignsubmission_file_/step1_request_pressure.ipynb": STEP1,
        "李四_13_assignsubmission_file_/homework.zip": {"a/step2_chunked_prefill.ipynb": STEP1},
        "李四_13_assignsubmission_onlinetext_/onlinetext.html": b"<p>hello</p>",
    }
    intake = take(course, tmp_path, zipped(members))
    assert [s.student for s in intake.students] == ["张三_12", "李四_13"]
    assert submitted(course, "张三_12") == ["step1_request_pressure.ipynb"]
    assert "step2_chunked_prefill.ipynb" in submitted(course, "李四_13")


def test_canvas_attempts_the_newest_wins_and_is_told(course, tmp_path):
    members = {
        "lee_7_100_step1_request_pressure.ipynb": b"first",
        "lee_7_102_step1_request_pressure-2.ipynb": b"third",
        "lee_7_101_step1_request_pressure-1.ipynb": b"second",
    }
    take(course, tmp_path, zipped(members))
    folder = course.path("submitted", "lee_7", NAME)
    assert (folder / "step1_request_pressure.ipynb").read_bytes() == b"third"
    assert [n.code for n in told_by_intake(course, "lee_7", NAME).notes] == [
        "newest_attempt_used"
    ] * 2


def test_names_that_a_chinese_windows_wrote_as_gbk():
    info = zipfile.ZipInfo("张三/step1.ipynb".encode("gbk").decode("cp437"))
    assert member_name(info) == "张三/step1.ipynb"


def test_nested_zips_of_a_class(course, tmp_path):
    one = {"第一次作业/step1_request_pressure.ipynb": STEP1}
    members = {"作业/2023141500012-张三.zip": one, "作业/2023141500013-李四.zip": one}
    intake = take(course, tmp_path, zipped(members))
    assert [s.student for s in intake.students] == ["2023141500012", "2023141500013"]


def test_paths_that_lead_outside_are_refused(course, tmp_path):
    members = {
        "../../evil.ipynb": b"x",
        "/etc/evil.ipynb": b"x",
        "C:\\evil.ipynb": b"x",
        "amy\\..\\..\\evil.ipynb": b"x",
        "amy/step1_request_pressure.ipynb": STEP1,
    }
    intake = take(course, tmp_path, zipped(members))
    assert reasons(intake) == ["path_refused"] * 4
    assert submitted(course, "amy") == ["step1_request_pressure.ipynb"]
    assert not list(tmp_path.rglob("evil*"))


def test_a_link_in_a_zip_is_refused(course, tmp_path):
    info = zipfile.ZipInfo("amy/step1_request_pressure.ipynb")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(info, "/etc/passwd")
    assert reasons(take(course, tmp_path, out.getvalue())) == ["link_refused"]


def test_zip_bombs_are_refused(course, tmp_path):
    nested = b"x"
    for _ in range(8):
        nested = zipped({"deeper.zip": nested})
    members = {"amy/bomb.ipynb": b"\0" * (300 << 20), "bob/deep.zip": nested}
    intake = take(course, tmp_path, zipped(members))
    assert reasons(intake) == ["zip_bomb", "zip_too_deep"]


def test_a_header_that_lies_about_its_size_is_cut(course, tmp_path):
    data = bytearray(zipped({"amy/step1_request_pressure.ipynb": b"\0" * (70 << 20)}))
    for mark, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.index(mark) + offset
        data[at : at + 4] = (1000).to_bytes(4, "little")
    intake = take(course, tmp_path, bytes(data))
    assert intake.students == () or submitted(course, "amy") in (
        [],
        ["step1_request_pressure.ipynb"],
    )


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04broken", b"Rar!", zipped({})])
def test_what_is_no_zip_is_told(course, tmp_path, data):
    intake = take(course, tmp_path, data)
    assert intake.students == ()


def test_a_folder_with_links_devices_and_other_files(course, tmp_path):
    export = tmp_path / "export"
    (export / "amy").mkdir(parents=True)
    (export / "amy" / "step1_request_pressure.ipynb").write_bytes(STEP1)
    (export / "amy" / "passwd.ipynb").symlink_to("/etc/passwd")
    os.mkfifo(export / "amy" / "pipe.ipynb")
    (export / "amy" / "film.mp4").write_bytes(b"x")
    (export / "bob").symlink_to("/etc")
    intake = collect(export, course, NAME, BOOKS)
    assert submitted(course, "amy") == ["step1_request_pressure.ipynb"]
    assert reasons(intake) == ["link_refused", "link_refused"]
    assert {n.code for n in told_by_intake(course, "amy", NAME).notes} == {"file_refused"}


def test_a_second_export_replaces_a_students_folder(course, tmp_path):
    take(course, tmp_path, zipped({"amy/old.ipynb": b"x", "bob/old.ipynb": b"x"}))
    take(course, tmp_path, zipped({"amy/new.ipynb": b"x"}))
    assert (submitted(course, "amy"), submitted(course, "bob")) == (["new.ipynb"], ["old.ipynb"])


@given(st.text(max_size=30))
def test_a_safe_name_stays_inside(name):
    if not is_unsafe(name):
        inside = os.path.normpath(Path("/base") / name.replace("\\", "/"))
        assert inside == "/base" or inside.startswith("/base/")


@given(data=st.binary(max_size=300), keep=st.integers(0, 200))
def test_no_archive_raises(tmp_path_factory, data, keep):
    whole = zipped({"amy/step1.ipynb": b"x" * 50})
    path = tmp_path_factory.mktemp("fuzz") / "a.zip"
    path.write_bytes(whole[:keep] + data + whole[keep:])
    for entry in Walk().entries(path):
        entry.read()


ANN, BOB = "2023141500012-安", "2023141500013-白"


@pytest.mark.parametrize(
    "inside",
    [
        f"2023141500012/{NAME}/step1_request_pressure.ipynb",
        "安_2023141500012_assignsubmission_file_/step1_request_pressure.ipynb",
        "2023141500012/step1_request_pressure.ipynb",
        "2023141500012_1_2_step1_request_pressure.ipynb",
        "安_1_assignsubmission_file_step1_request_pressure.ipynb",
    ],
)
@pytest.mark.parametrize("names", [(ANN, BOB), ("安", "白"), ("an_7_1_hw", "bo_8_2_hw")])
def test_what_a_learner_packs_replaces_nobody_elses_work(course, tmp_path, inside, names):
    ann, bob = names
    members = {
        f"{ann}.zip": {"step1_request_pressure.ipynb": STEP1},
        f"{bob}.zip": {inside: b"mine, not yours"},
    }
    intake = take(course, tmp_path, zipped(members))
    assert len(intake.students) == 2
    for student in intake.students:
        files = list(course.path("submitted", student.student, NAME).glob("*.ipynb"))
        assert len(files) == 1
        hers = student.student in ("2023141500012", "安", "an_7")
        assert (files[0].read_bytes() == STEP1) == hers


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize(
    "levels", ["{}/homework", "{}/homework/homework", "class/{}/hand in/step1"]
)
def test_folders_named_alike_name_nobody(course, tmp_path, packed, levels):
    paths = [levels.format(name) for name in ("ann", "bob")]
    step1, step2 = "step1_request_pressure.ipynb", "step2_chunked_prefill.ipynb"
    members = {
        **({f"{p}.zip": {step1: STEP1} for p in paths} if packed else {}),
        **({f"{p}/{step1}": STEP1 for p in paths} if not packed else {}),
        **{f"{p}/{step2}": STEP1 for p in paths},
    }
    intake = take(course, tmp_path, zipped(members))
    assert [s.student for s in intake.students] == ["ann", "bob"]
    assert submitted(course, "ann") == submitted(course, "bob") == [step1, step2]


def test_an_export_in_a_zip_or_among_others_in_a_folder_is_still_one(course, tmp_path):
    people = ["张三_12", "李四_13", "王五_14", "赵六_15"]
    step1 = "step1_request_pressure.ipynb"
    export, other = (
        {f"{name}_assignsubmission_file_/{step1}": STEP1 for name in names}
        for names in (people[:2], people[2:])
    )
    intake = take(course, tmp_path, zipped({"moodle export.zip": export | other}))
    assert sorted(s.student for s in intake.students) == sorted(people)
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "one.zip").write_bytes(zipped(export))
    (folder / "two.zip").write_bytes(zipped(other))
    intake = collect(folder, course, NAME, BOOKS)
    assert sorted(s.student for s in intake.students) == sorted(people)


@pytest.mark.parametrize("own", ["安", "2023141500012-安"])
@pytest.mark.parametrize("mine", ["hw", "2023141500013-白"])
def test_in_a_folder_of_zips_nobody_can_stand_for_others(course, tmp_path, own, mine):
    """Even one that packs a whole class changes nothing for anybody else."""
    step1 = "step1_request_pressure.ipynb"
    folder = tmp_path / "zips"
    folder.mkdir()
    (folder / f"{own}.zip").write_bytes(zipped({f"2023141500012/{step1}": STEP1}))
    others = {f"{number}/{step1}": b"mine" for number in ("2023141500012", "2023141500017")}
    (folder / f"{mine}.zip").write_bytes(zipped(others | {f"安/{step1}": b"mine"}))
    intake = collect(folder, course, NAME, BOOKS)
    first = "2023141500012" if "2023" in own else "安"
    second = "2023141500013" if "2023" in mine else "hw"
    assert {s.student for s in intake.students} == {first, second}
    assert (course.path("submitted", first, NAME) / step1).read_bytes() == STEP1


@pytest.mark.parametrize(
    ("paths", "people"),
    [
        (["ann/src/a.ipynb", "bob/b.ipynb"], ["ann", "bob"]),
        (["hw/ann/src/work/a.ipynb", "hw/bob/b.ipynb"], ["ann", "bob"]),
        (["ann/one/a.ipynb", "ann/two/b.ipynb", "bob/a.ipynb"], ["ann", "bob"]),
        (["c1/ann/a.ipynb", "c1/bob/a.ipynb", "c2/cy/a.ipynb"], ["ann", "bob", "cy"]),
        (["ann/attempt 1/a.ipynb", "ann/attempt 2/a.ipynb", "bob/a.ipynb"], ["ann", "bob"]),
    ],
)
def test_plain_folders_are_named_by_who_stands_side_by_side(course, tmp_path, paths, people):
    intake = take(course, tmp_path, zipped(dict.fromkeys(paths, STEP1)))
    assert [s.student for s in intake.students] == people


def test_what_a_learner_says_about_themselves_is_not_believed(course, tmp_path):
    export = {"张三_12_assignsubmission_file_/step1_request_pressure.ipynb": STEP1}
    (student,) = take(course, tmp_path, zipped(export)).students
    assert told_by_intake(course, student.student, NAME).name == "张三"
    folder = course.path("submitted", student.student, NAME)
    told = {"name": "李四", "notes": [], "files": ""}
    (folder / ".intake.json").write_text(json.dumps(told), encoding="utf-8")
    assert told_by_intake(course, student.student, NAME).name == ""  # no longer what came in


@pytest.mark.parametrize("names", ["class/{}", "{}"])
def test_a_folder_with_anothers_name_changes_nothing_for_them(course, tmp_path, names):
    ann, bob = names.format("ann"), names.format("bob")
    step1 = "step1_request_pressure.ipynb"
    members = {f"{ann}/{step1}": STEP1, f"{bob}/ann/{step1}": b"mine", f"{bob}/a": b"x"}
    intake = take(course, tmp_path, zipped(members))
    assert [s.student for s in intake.students] == ["ann", "bob"]
    assert (course.path("submitted", "ann", NAME) / step1).read_bytes() == STEP1


def test_notebooks_of_the_assignment_are_kept_whatever_lies_before_them(course, tmp_path):
    members = {f"{ANN}/a{n:03}.ipynb": b"{}" for n in range(150)}
    members |= {f"{ANN}/z/step1 (1).ipynb": STEP1, f"{BOB}/x.ipynb": STEP1}
    take(course, tmp_path, zipped(members))
    assert "step1 (1).ipynb" in submitted(course, "2023141500012")


def test_a_whole_project_around_the_notebooks_does_not_cost_them(course, tmp_path):
    members = {f"{ANN}/lib/m{n}.py": b"x = 1" for n in range(300)}
    members |= {f"{ANN}/inner/step1_request_pressure.ipynb": STEP1, f"{BOB}/x.ipynb": STEP1}
    take(course, tmp_path, zipped(members))
    assert "step1_request_pressure.ipynb" in submitted(course, "2023141500012")
