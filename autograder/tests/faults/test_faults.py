"""Killed, locked out, or out of disk: no grade is lost, none is wrong, the next run goes on."""

import contextlib
import errno
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from miniature import NAME, honest
from miniature.handed_in import released

from pdgrade.gradebook import writer
from pdgrade.grading import local, store

COMMAND = [sys.executable, "-c", "from pdgrade.cli import main; main()", "grade", "--jobs", "2"]
STUDENTS = [f"s{i:02}" for i in range(10)]


@pytest.fixture
def big_class(classroom):
    """Ten submissions; the odd ones have one choice wrong."""
    for i, student in enumerate(STUDENTS):
        answer = f"def concept_1a():\n    return '{'AB'[i % 2 == 0]}'"
        classroom.hand_in(student, honest().answer("concept_1a", answer))
    classroom.expected = {s: 9.0 if i % 2 == 0 else 8.0 for i, s in enumerate(STUDENTS)}
    return classroom


def graded_at(room):
    folder = room.root / "records" / NAME
    return {p.stem: json.loads(p.read_text())["graded_at"] for p in folder.glob("*.json")}


def proc(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def stat_of(pid):
    """State and parent of a process; empty if it is gone."""
    return proc(pid, "stat").rpartition(b")")[2].split()[:2]


def children_of(pid):
    pids = (entry.name for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [int(p) for p in pids if stat_of(p)[1:] == [str(pid).encode()]]


def is_running(pid):
    return stat_of(pid)[:1] not in ([], [b"Z"])


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@linux
@pytest.mark.slow
def test_the_parent_killed_at_any_moment_loses_and_repeats_nothing(big_class):
    moments = random.Random(1)
    for _ in range(3):
        before = graded_at(big_class)
        with subprocess.Popen(COMMAND, cwd=big_class.root, stdout=subprocess.DEVNULL) as parent:
            deadline = time.monotonic() + 60
            wanted = len(before) + moments.randint(1, 3)
            while len(graded_at(big_class)) < wanted and parent.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(moments.uniform(0.001, 0.05))
            family = children_of(parent.pid)
            parent.send_signal(signal.SIGKILL)
        kept = graded_at(big_class)
        assert before.items() <= kept.items(), "a graded submission was graded again"
        deadline = time.monotonic() + 20
        while any(map(is_running, family)):
            assert time.monotonic() < deadline, "a grading process outlived its parent"
            time.sleep(0.05)
        assert graded_at(big_class) == kept
    assert (
        subprocess.run(
            COMMAND, cwd=big_class.root, check=False, stdout=subprocess.DEVNULL
        ).returncode
        == 0
    )
    assert kept.items() <= graded_at(big_class).items()
    assert big_class.scores() == big_class.expected


@linux
@pytest.mark.slow
def test_grading_processes_and_their_children_killed_at_random(big_class):
    moments = random.Random(7)
    killed = []

    def kill_some():
        while not done.is_set() and len(killed) < 6:
            targets = children_of(os.getpid())
            targets += [grandchild for child in targets for grandchild in children_of(child)]
            graders = [pid for pid in targets if b"pdgrade" in proc(pid, "cmdline")]
            if graders:
                victim = moments.choice(graders)
                killed.append(victim)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
            done.wait(moments.uniform(0.3, 1.2))

    done = threading.Event()
    killer = threading.Thread(target=kill_some)
    killer.start()
    try:
        summary = big_class.grade(jobs=2)
    finally:
        done.set()
        killer.join()
    assert killed
    for _ in range(3):  # a submission whose process died twice is tried again by the next run
        if not any(line.status == "failed" for line in summary.lines):
            break
        summary = big_class.grade(jobs=2)
    assert summary.stopped == ""
    assert big_class.scores() == big_class.expected


def test_a_locked_gradebook_is_waited_for(small_class):
    small_class.hand_in("bob", honest())
    lock = sqlite3.connect(small_class.root / "gradebook.db", check_same_thread=False)
    lock.execute("BEGIN EXCLUSIVE")
    threading.Timer(1.0, lock.rollback).start()
    summary = small_class.grade()
    assert summary.stopped == ""
    assert small_class.scores() == {"amy": 9, "bob": 9, "张三": 8}


def test_a_gradebook_that_stays_locked_stops_the_batch_and_loses_nothing(small_class, monkeypatch):
    monkeypatch.setattr(writer.GradebookWriter, "patience_s", 0.2)
    small_class.hand_in("bob", honest())
    with sqlite3.connect(small_class.root / "gradebook.db") as lock:
        lock.execute("BEGIN EXCLUSIVE")
        summary = small_class.grade()
        assert "locked" in summary.stopped
        lock.rollback()
    assert small_class.grade().stopped == ""
    assert small_class.scores()["bob"] == 9


def test_a_gradebook_on_a_full_disk_stops_the_batch_and_goes_on_later(small_class, monkeypatch):
    opened = writer.open_gradebook

    def on_a_full_disk(course):
        book = opened(course)
        pages = book.db.connection().exec_driver_sql("PRAGMA page_count").scalar()
        book.db.connection().exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        return book

    for i in range(20):
        small_class.hand_in(f"new{i:02}", released())
    with monkeypatch.context() as full:
        full.setattr(writer, "open_gradebook", on_a_full_disk)
        summary = small_class.grade()
    assert "full" in summary.stopped
    kept = graded_at(small_class)
    assert small_class.grade().stopped == ""
    assert kept.items() <= graded_at(small_class).items()
    assert len(small_class.scores()) == 23


def test_a_full_disk_for_records_stops_the_batch_and_goes_on_later(small_class, monkeypatch):
    def full(path, record):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    small_class.hand_in("bob", honest())
    with monkeypatch.context() as context:
        context.setattr(store, "save", full)
        summary = small_class.grade()
    assert "No space left" in summary.stopped
    assert small_class.scores()["bob"] == 0
    assert small_class.grade().stopped == ""
    assert small_class.scores() == {"amy": 9, "bob": 9, "张三": 8}


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    path = tmp_path / "record.json"
    store.write_atomically(path, "old")

    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.write_atomically(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["record.json"]
    assert path.read_text() == "old"


def test_a_process_that_always_dies_fails_one_submission_not_the_batch(small_class, monkeypatch):
    original = local.GradingProcess.grade

    def dies_on_bob(self, task):
        if task.student == "bob":
            self.child.kill()
        return original(self, task)

    monkeypatch.setattr(local.GradingProcess, "grade", dies_on_bob)
    summary = small_class.grade(force=True)
    assert {line.student: line.status for line in summary.lines} == {
        "amy": "graded",
        "bob": "failed",
        "张三": "graded",
    }
    monkeypatch.undo()
    assert {line.student: line.cached for line in small_class.grade().lines}["bob"] is False
    assert small_class.scores()["bob"] == 0


def test_a_record_that_was_cut_off_is_graded_again(small_class):
    path = small_class.course.record("amy", NAME)
    path.write_text(path.read_text()[:100])
    assert {line.student: line.cached for line in small_class.grade().lines}["amy"] is False
    assert small_class.scores()["amy"] == 9
