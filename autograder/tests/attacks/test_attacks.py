"""Every attack ends with no unearned mark, nothing leaked, nothing left, and the batch alive."""

import dataclasses
import json
import os
import signal
import socket
import sqlite3
import sys
import time
from pathlib import Path

import pytest
from attack import HONEST
from processes import descendants_of
from questions import QUESTION, SECRET, answer, earned

import pdgrade
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.limits import Limits
from pdgrade.sandbox import RUNGS, IsolationError

sys.path.insert(0, str(Path(__file__).parent))
import exhausting
import forged_results
import outliving
import patched_runtime
import reaching_out
import reading_secrets

#: What does not depend on the isolation is tried on the strongest rung only.
ANYWHERE = [*forged_results.ATTACKS, *patched_runtime.ATTACKS, *exhausting.TIME]
EVERY_RUNG = [
    *reading_secrets.ATTACKS,
    *outliving.ATTACKS,
    *exhausting.SPACE,
    *reaching_out.ATTACKS,
]
ATTACKS = [*ANYWHERE, *EVERY_RUNG]
CASES = [
    *(("auto", attack) for attack in ATTACKS),
    *(("landlock", attack) for attack in EVERY_RUNG),
    *(("uid", attack) for attack in EVERY_RUNG if attack.needs in ("", "uid")),
    *(("rlimits", attack) for attack in EVERY_RUNG if not attack.needs),
]
CANARY = "CANARY-7f3a"
LIMITS = Limits(
    call_wall_s=1.0,
    cell_wall_s=5.0,
    question_wall_s=12.0,
    restarts=1,
    memory_mib=128,
    disk_mib=4,
    output_mib=24,
)
#: Where attacks try to leave "pwned" behind.
WATCHED = (Path("/tmp"), Path("/dev/shm"), Path.home(), Path.cwd(), Path(pdgrade.__file__).parent)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Everything that must stay private, each with the canary in it."""
    root = tmp_path_factory.mktemp("course")
    for name in ("source/step1.ipynb", "submitted/alice/step1.ipynb", "gradebook.db.backup"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"text": CANARY}))
    database = sqlite3.connect(root / "gradebook.db")
    database.execute("create table grade (note text, score real)")
    database.execute("insert into grade values (?, 1)", (CANARY,))
    database.commit()
    database.close()
    os.environ["PDGRADE_CANARY"] = CANARY
    for path in (root, *root.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return root


@pytest.fixture(scope="module")
def servers(course):
    """One server per rung, started when first asked for."""
    started = {}

    def server(rung):
        if rung not in started:
            try:
                options = {"limits": LIMITS, "protected": [course]}
                required = None if rung == "auto" else rung
                started[rung] = ForkServer(isolation=rung, require=required, **options)
            except IsolationError as error:
                started[rung] = None
                pytest.skip(str(error)[:300])
            # NumPy's template too, so that no later one is taken for something left behind.
            honest = answer("import numpy", HONEST)
            assert grade_question(QUESTION, honest, started[rung], seed=1).points == 5.0
        if started[rung] is None:
            pytest.skip(f"no rung {rung!r} here")
        return started[rung]

    yield server
    for each in filter(None, started.values()):
        each.close()


@pytest.fixture(scope="module")
def listeners():
    """Sockets that nobody should ever reach: TCP, UDP and an abstract UNIX address."""
    tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    tcp.bind(("127.0.0.1", 0))
    udp.bind(tcp.getsockname())
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(f"\0pdgrade-attack-{os.getpid()}")
    for end in (tcp, unix):
        end.listen()
    for end in (tcp, udp, unix):
        end.setblocking(False)
    yield tcp, udp, unix
    for end in (tcp, udp, unix):
        end.close()


@pytest.fixture
def signals():
    received = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: received.append(number))
    yield received
    signal.signal(signal.SIGUSR1, before)


def snapshot(root):
    """Contents, modes and times of everything in a folder, and of a file of the interpreter."""
    found = {}
    for path in (Path(json.__file__), root, *sorted(root.rglob("*"))):
        facts = path.stat()
        content = path.read_bytes() if path.is_file() else b""
        found[path] = (content, facts.st_mode, facts.st_uid, facts.st_mtime_ns, os.listxattr(path))
    return found


def left_behind():
    return [path for folder in WATCHED for path in folder.glob("*pwned*")]


def withstands(server, attack):
    """Whether the server's rung promises anything about this attack."""
    rung = server.isolation.rung
    return not attack.needs or RUNGS.index(rung) <= RUNGS.index(attack.needs)


def filled_in(attack, course, port):
    words = {
        "COURSE": str(course),
        "PACKAGE": str(Path(pdgrade.__file__).parent),
        "PORT": str(port),
        "PID": str(os.getpid()),
    }
    cells = attack.cells
    for word, value in words.items():
        cells = tuple(cell.replace(word, value) for cell in cells)
    return answer(*cells)


def processes(server):
    return {below for pid in server.pids for below in descendants_of(pid)}


def settled(server, expected):
    """What runs once the kernel has finished with what was killed."""
    deadline = time.monotonic() + 5
    while (now := processes(server)) != expected and time.monotonic() < deadline:
        time.sleep(0.01)
    return now


def is_fair(points, attack):
    """Exactly what the attack deserves; for some, nothing at all is fair too."""
    deserved = {test.grade_id: attack.earns.get(test.grade_id, 0.0) for test in QUESTION.tests}
    return points == deserved or (attack.or_nothing and not any(points.values()))


@pytest.mark.parametrize("case", CASES, ids=[f"{rung}: {attack.name}" for rung, attack in CASES])
def test_an_attack_gains_nothing(case, servers, course, listeners, signals):
    rung, attack = case
    server = servers(rung)
    if not withstands(server, attack):
        pytest.skip(f"{server.isolation} does not promise to withstand this")
    tcp, _, _ = listeners
    kept, running = snapshot(course), processes(server)
    assert left_behind() == []
    cells = filled_in(attack, course, tcp.getsockname()[1])
    started = time.monotonic()

    record = grade_question(QUESTION, cells, server, seed=1)

    assert time.monotonic() - started < LIMITS.question_wall_s + 3.0
    assert is_fair(earned(record), attack), record
    assert_nothing_told(record)
    assert snapshot(course) == kept
    assert left_behind() == []
    assert_nobody_called(listeners)
    assert signals == []
    assert settled(server, running) == running
    assert grade_question(QUESTION, answer(HONEST), server, seed=1).points == 5.0


def assert_nothing_told(record):
    told = json.dumps(dataclasses.asdict(record), ensure_ascii=False)
    assert "CANARY" not in told
    assert str(SECRET)[:6] not in told
    assert not any(ord(c) < 32 and c not in "\n\t" for c in strings_of(record))
    assert not any("\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069" for c in told)
    told.encode("utf-8")


def assert_nobody_called(listeners):
    tcp, udp, unix = listeners
    for end in (tcp, unix):
        with pytest.raises(BlockingIOError):
            end.accept()
    with pytest.raises(BlockingIOError):
        udp.recv(10)


def strings_of(record):
    def walk(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for item in value.values():
                yield from walk(item)
        elif isinstance(value, (list, tuple)):
            for item in value:
                yield from walk(item)

    return "".join(walk(dataclasses.asdict(record)))


def test_the_suite_is_as_large_as_it_should_be():
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS) >= 40


def test_sets_iterate_alike_in_every_worker(servers):
    source = "def f(): return [hash('a'), list({'a', 'b', 'c', 'd'})]"
    found = []
    for _ in range(2):
        with servers("auto").worker(answer(source)) as worker:
            found.append(worker.proxy("f")())
    assert found[0] == found[1]
