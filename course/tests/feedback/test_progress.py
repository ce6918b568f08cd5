"""Progress survives a restart, damage and a home that cannot be written."""

import json
import subprocess
import sys
from dataclasses import asdict

import pytest

from pdsched import feedback
from pdsched.feedback import progress_store

pytestmark = pytest.mark.core

UNTOUCHED = progress_store.TodoProgress(1)


def test_nothing_is_touched_at_first():
    assert repr(feedback.progress()) == "TODO 1 ○ · TODO 2 ○ · TODO 3 ○ · TODO 4 ○ · TODO 5 ○"


def test_another_process_sees_it(monkeypatch):
    progress_store.record_check(2, "started", 3, 4)
    progress_store.record_check(4, "passed", 4, 4)
    program = "from pdsched import feedback; print(ascii(feedback.progress()))"
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == ascii(feedback.progress())
    assert "TODO 2 ◐ 3/4" in repr(feedback.progress())
    assert progress_store.read()[4].checked_at.endswith("+00:00")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"schema_version": 99, "todos": []}',
        '{"schema_version": 1, "todos": [{"todo": 1}]}',
        json.dumps({"schema_version": 1, "todos": [{**asdict(UNTOUCHED), "todo": "1"}]}),
        json.dumps({"schema_version": 1, "todos": [{**asdict(UNTOUCHED), "hints_seen": None}]}),
    ],
)
def test_a_damaged_file_means_a_fresh_start_and_is_repaired(content):
    progress_store.path().parent.mkdir(parents=True)
    progress_store.path().write_text(content)
    assert progress_store.read()[1].state == "untouched"
    progress_store.record_check(1, "passed", 4, 4)
    assert json.loads(progress_store.path().read_text())["todos"][0]["state"] == "passed"


def test_a_home_that_cannot_be_written_keeps_progress_for_the_kernel(monkeypatch, tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("PDSCHED_HOME", str(blocker / "below"))
    progress_store.record_check(5, "passed", 4, 4)
    assert progress_store.read()[5].state == "passed"


def test_modelscopes_lasting_folder_is_used_where_there_is_one(monkeypatch, tmp_path):
    monkeypatch.delenv("PDSCHED_HOME")
    monkeypatch.setattr(progress_store, "MODELSCOPE_FOLDER", tmp_path)
    assert progress_store.path() == tmp_path / ".pdsched" / "progress.json"
    monkeypatch.setattr(progress_store, "MODELSCOPE_FOLDER", tmp_path / "absent")
    assert progress_store.path().parent.name == ".pdsched"
