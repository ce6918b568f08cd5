"""Workers and templates are killed at any moment; no honest mark is lost and nothing is left."""

import multiprocessing
import os
import random
import signal
import threading
import time

import pytest
from processes import children_of, parents
from questions import QUESTION, SOLUTION, answer

from pdgrade import owners
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.limits import Limits

SLOW = SOLUTION.replace("if items", "import time; time.sleep(0.01)\n    if items")


def grade(server, source=SOLUTION):
    return grade_question(QUESTION, answer(source), server, seed=3)


@pytest.fixture
def own_server():
    with ForkServer(limits=Limits(question_wall_s=10)) as server:
        yield server


def template_of(server):
    """The process that forks the workers (with namespaces, the child of the one we started)."""
    (outer,) = server.pids
    return children_of(outer)[0] if server.isolation.namespaces else outer


def test_a_killed_template_is_replaced(own_server):
    os.kill(template_of(own_server), signal.SIGKILL)
    assert grade(own_server).points == 5.0


@pytest.mark.parametrize("round_", range(4))
def test_killing_a_worker_at_a_random_moment_costs_nothing(own_server, round_):
    template = template_of(own_server)
    chance = random.Random(round_)

    def kill_one():
        deadline = time.monotonic() + 2
        time.sleep(chance.uniform(0, 0.05))
        while time.monotonic() < deadline:
            for worker in children_of(template):
                os.kill(worker, signal.SIGKILL)
                return

    killer = threading.Thread(target=kill_one)
    killer.start()
    record = grade(own_server, SLOW)
    killer.join()
    assert record.points == 5.0
    assert grade(own_server).points == 5.0


def test_killing_the_template_in_the_middle_costs_nothing(own_server):
    template = template_of(own_server)
    killer = threading.Timer(0.06, os.kill, (template, signal.SIGKILL))
    killer.start()
    record = grade(own_server, SLOW)
    killer.join()
    assert record.points == 5.0


def test_closing_the_server_leaves_no_process_and_no_folder():
    with ForkServer() as server:
        (outer,) = server.pids
        base = server._templates[()]._base
        worker = server.worker(answer("import time"))
        assert base.exists()
    assert not base.exists()
    assert outer not in parents()
    worker.close()


def test_a_worker_ends_with_the_parent_end_of_its_status(own_server):
    worker = own_server.worker(answer("def f():\n    while True: pass"))
    template = template_of(own_server)
    assert len(children_of(template)) == 1
    worker._ends.status.shutdown(2)
    deadline = time.monotonic() + 5
    while children_of(template) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert children_of(template) == []
    worker.close()


def test_workers_from_many_threads_do_not_mix_up(server):
    found = {}

    def run(number):
        with server.worker(answer(f"def f(): return {number}")) as worker:
            found[number] = [worker.proxy("f")() for _ in range(5)]

    threads = [threading.Thread(target=run, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [n] * 5 for n in range(12)}


def test_the_folder_of_a_killed_grader_is_removed_at_the_next_start(tmp_path):
    context = multiprocessing.get_context("spawn")
    owner = context.Process(target=owners.sign, args=(tmp_path / "t-1",))
    for n in (1, 2, 3, 4):
        (tmp_path / f"t-{n}").mkdir()
    owner.start()
    owner.join()
    owners.sign(tmp_path / "t-2")
    signed = (tmp_path / "t-2" / "owner").read_text()
    number, start, *place = signed.split()
    (tmp_path / "t-3" / "owner").write_text(" ".join([number, str(int(start) - 1), *place]))
    elsewhere = [*place[:1], "another-boot"]
    (tmp_path / "t-4" / "owner").write_text(" ".join(["1", "1", *elsewhere]))
    (tmp_path / "t-5").mkdir()
    owners.remove_abandoned(tmp_path, "t-")
    # 1: its process is gone; 3: its number is used again; 4 and 5: who knows.
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t-2", "t-4", "t-5"]


def test_folders_of_killed_graders_are_removed_a_day_later():
    with ForkServer() as first:
        scratch = first._templates[()]._base.parent
        old, new = scratch / "pdgrade-test-old", scratch / "pdgrade-test-new"
        for folder in (old, new):
            folder.mkdir()
        day_ago = time.time() - 90_000
        os.utime(old, (day_ago, day_ago))
        with ForkServer():
            assert not old.exists()
            assert new.exists()
        new.rmdir()
