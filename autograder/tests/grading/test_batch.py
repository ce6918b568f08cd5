"""A class is graded once, resumed after anything, and again only where something changed."""

import json
import os

import pytest
from miniature import NAME, honest

from pdgrade.course import parse_time
from pdgrade.gradebook.writer import open_gradebook
from pdgrade.grading import batch, lock, store
from pdgrade.grading.batch import BatchOptions


def record_of(room, student):
    return store.load(room.course.record(student, NAME))


def test_a_class_is_graded_into_records_notebooks_and_gradebook(graded, small_class):
    summary = graded.first_summary
    assert {line.student: line.points for line in summary.lines} == {"amy": 9, "bob": 0, "张三": 8}
    assert small_class.scores() == {"amy": 9, "bob": 0, "张三": 8}
    assert summary.stopped == ""
    notebook = small_class.root / "autograded" / "张三" / NAME / "step1_request_pressure.ipynb"
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = {
        c["metadata"]["nbgrader"]["grade_id"]: c["outputs"][0]["output_type"]
        for c in cells
        if c["metadata"].get("nbgrader", {}).get("grade")
    }
    assert outputs == {
        "todo1_three_classes": "stream",
        "todo1_pure": "stream",
        "concept_1a_answer": "error",
    }


def test_unchanged_submissions_are_not_run_again(small_class):
    first = record_of(small_class, "amy")
    small_class.hand_in("bob", honest())
    summary = small_class.grade()
    assert {line.student: line.cached for line in summary.lines} == {
        "amy": True,
        "bob": False,
        "张三": True,
    }
    assert record_of(small_class, "amy").graded_at == first.graded_at
    assert small_class.scores()["bob"] == 9


def test_a_changed_test_runs_everything_again(small_class):
    path = small_class.root / "source" / NAME / "step1_request_pressure.ipynb"
    path.write_text(path.read_text(encoding="utf-8").replace('\\"B\\", \\"not', '\\"A\\", \\"not'))
    small_class.assignment = small_class.course.assignment()
    summary = small_class.grade()
    assert not any(line.cached for line in summary.lines)
    assert small_class.scores() == {"amy": 8, "bob": 0, "张三": 9}


def test_a_test_that_was_added_revalued_or_removed_is_regraded(small_class):
    path = small_class.root / "source" / NAME / "step2_chunked_prefill.ipynb"
    document = json.loads(path.read_text(encoding="utf-8"))
    cells = document["cells"]
    test = next(c for c in cells if "todo4_one_pool" in json.dumps(c))
    test["metadata"]["nbgrader"]["points"] = 5
    added = json.loads(json.dumps(test))
    added["metadata"]["nbgrader"] |= {"grade_id": "todo4_again", "points": 1}
    removed = next(c for c in cells if "todo2_rejects_bad_chunk" in json.dumps(c))
    document["cells"] = [c for c in cells if c is not removed] + [added]
    path.write_text(json.dumps(document), encoding="utf-8")
    small_class.assignment = small_class.course.assignment()
    small_class.grade()
    assert small_class.scores()["amy"] == 9 + 3 + 1 - 1


def test_force_only_and_since_choose(small_class):
    forced = small_class.grade(force=True, only=("b*",))
    assert [(line.student, line.cached) for line in forced.lines] == [("bob", False)]
    assert small_class.grade(since=parse_time("2999-01-01")).lines == []
    assert len(small_class.grade(since=parse_time("2000-01-01")).lines) == 3


def test_a_lost_rebuilt_notebook_is_made_again(small_class):
    lost = small_class.root / "autograded" / "amy" / NAME / "step1_request_pressure.ipynb"
    lost.unlink()
    small_class.grade()
    assert lost.is_file()


def test_manual_scores_and_comments_survive_a_regrade(small_class):
    small_class.grade()
    with open_gradebook(small_class.course) as book:
        grade = book.find_grade("concept_1a_answer", "step1_request_pressure", NAME, "张三")
        grade.manual_score = 0.5
        comment = book.find_comment("concept_1a", "step1_request_pressure", NAME, "张三")
        comment.manual_comment = "几乎对了"
        book.db.commit()
    small_class.grade(force=True)
    assert small_class.scores()["张三"] == 8.5
    with open_gradebook(small_class.course) as book:
        grade = book.find_grade("concept_1a_answer", "step1_request_pressure", NAME, "张三")
        assert (grade.manual_score, grade.auto_score, grade.needs_manual_grade) == (0.5, 0, True)
        comment = book.find_comment("concept_1a", "step1_request_pressure", NAME, "张三")
        assert comment.manual_comment == "几乎对了"


def test_lateness_is_in_utc_and_follows_a_moved_due_date(classroom):
    classroom.configure('c.LateSubmissionPlugin.penalty_method = "zero"')
    classroom.hand_in("amy", timestamp="2026-03-01 20:00:00 Asia/Shanghai")
    classroom.grade()
    with open_gradebook(classroom.course) as book:
        book.update_or_create_assignment(NAME, duedate="2026-03-01 11:00:00 UTC")
    (line,) = classroom.grade().lines
    assert (line.cached, line.points) == (True, 0)
    record = record_of(classroom, "amy")
    assert record.submitted_at == "2026-03-01T12:00:00+00:00"
    assert (record.late_seconds, record.penalty) == (3600, 9)
    with open_gradebook(classroom.course) as book:
        book.update_or_create_assignment(NAME, duedate="2026-03-01 12:00:00 UTC")
    (line,) = classroom.grade().lines
    assert (line.cached, line.points) == (True, 9)


def test_a_broken_submission_does_not_touch_the_others(small_class):
    small_class.hand_in("broken", honest().file("step1", b"<html>").file("step2", b"<html>"))
    summary = small_class.grade()
    assert {line.student: line.status for line in summary.lines}["broken"] == "unreadable"
    with open_gradebook(small_class.course) as book:
        row = book.find_submission(NAME, "broken")
        assert (row.score, row.needs_manual_grade) == (0, True)
    assert small_class.scores()["amy"] == 9


@pytest.mark.parametrize("value", ["threads", "dask"])
def test_an_unknown_executor_is_refused(value):
    with pytest.raises(ValueError, match="executor must be"):
        BatchOptions(executor=value)


@pytest.mark.slow
def test_the_same_batch_runs_on_a_dask_cluster(small_class):
    summary = small_class.grade(executor="dask:local", force=True)
    assert {line.student: line.points for line in summary.lines} == {"amy": 9, "bob": 0, "张三": 8}
    assert small_class.scores() == {"amy": 9, "bob": 0, "张三": 8}


def test_an_id_that_is_markup_is_refused_and_said(small_class):
    small_class.hand_in("<img onerror=x>")
    small_class.hand_in(os.fsdecode(b"name-\xff"))
    summary = small_class.grade()
    failed = [line.student for line in summary.lines if line.status == "failed"]
    assert failed == ["<img onerror=x>", "name-?"]
    assert set(small_class.scores()) == {"amy", "bob", "张三"}


def test_a_second_run_waits_and_then_says_who_is_at_work(small_class, monkeypatch):
    monkeypatch.setattr(batch, "only_run", lambda path: lock.only_run(path, patience_s=0.2))
    with lock.only_run(small_class.root / "records" / f".{NAME}.lock"):
        assert "another grading run" in small_class.grade().stopped
    assert small_class.grade().stopped == ""


def test_a_file_name_that_is_no_text_reaches_the_gradebook_as_text(small_class):
    handed = honest().rename("step2", os.fsdecode(b"step2 \xff.ipynb")).file("step1", b"<html>")
    small_class.hand_in("bytes", handed)
    assert small_class.grade().stopped == ""
    assert small_class.scores()["bytes"] == 5
