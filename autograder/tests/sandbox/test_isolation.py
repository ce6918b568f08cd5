"""The ladder: what each rung holds here, as root and as a plain user; failing closed."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest
from questions import QUESTION, SOLUTION, answer

from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.sandbox import RUNGS, Isolation, IsolationError, candidates, masked_paths, read_paths
from pdgrade.worker import seccomp

REPOSITORY = Path(__file__).parents[3]
NOBODY = 65_534


def grades(**options):
    with ForkServer(**options) as server:
        return server.isolation, grade_question(QUESTION, answer(SOLUTION), server, 1).points


@pytest.mark.parametrize("rung", RUNGS)
def test_every_rung_that_is_here_grades_honestly(rung):
    try:
        isolation, points = grades(isolation=rung, require=rung)
    except IsolationError as error:
        pytest.skip(str(error)[:300])
    assert isolation.rung == rung
    assert points == 5.0


def test_the_strongest_rung_is_taken_and_reported():
    isolation, points = grades()
    assert isolation == next(iter(candidates("namespaces"))) or isolation.rung != "namespaces"
    assert str(isolation).endswith("rlimits")
    assert points == 5.0


@pytest.mark.parametrize("required", RUNGS[:-1])
def test_a_required_rung_that_is_not_there_fails_closed(required):
    with pytest.raises(IsolationError, match=f"'{required}' is required"):
        ForkServer(isolation="rlimits", require=required)


def test_a_readable_secret_fails_closed_where_only_modes_protect_it(tmp_path):
    with ForkServer(isolation="rlimits", protected=[tmp_path]) as server:
        assert server.exposed == (str(tmp_path),)
    with ForkServer(protected=[tmp_path]) as server:
        assert server.exposed == () or server.isolation.rung in ("uid", "rlimits")


@pytest.mark.parametrize(
    ("layers", "rung", "gaps"),
    [
        ({"namespaces", "landlock", "seccomp", "uid"}, "namespaces", ()),
        ({"namespaces"}, "namespaces", ()),
        ({"landlock", "seccomp"}, "landlock", ()),
        ({"landlock"}, "rlimits", ("network", "signals", "processes")),
        ({"uid", "landlock"}, "uid", ("network",)),
        ({"uid"}, "uid", ("network",)),
        (set(), "rlimits", ("files", "network", "signals", "processes")),
    ],
)
def test_a_rung_counts_only_when_complete(layers, rung, gaps):
    isolation = Isolation(**dict.fromkeys(layers, True))
    assert isolation.rung == rung
    if sys.platform == "linux":
        assert isolation.open_to_learners == gaps


def test_workers_may_read_python_and_the_course_but_not_the_grader(tmp_path):
    shown = read_paths()
    assert any(sysconfig.get_path("stdlib").startswith(path) for path in shown)
    own = str(Path(grade_question.__code__.co_filename).parent)
    inside = any(own.startswith(path + "/") for path in shown)
    assert (own in masked_paths([tmp_path])) == inside


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_names_its_process_and_refuses_by_default(machine):
    code = seccomp.program(machine, 4242)
    assert len(code) % 8 == 0
    assert len(code) // 8 < 4096
    assert (4242).to_bytes(4, "little") in code
    assert code[-8:] == seccomp._op(0x06, 0x00050001)  # return EPERM


def shared_python():
    """A Python of this version that any user can run, and the folders it needs."""
    candidates = [sys.executable, "/usr/bin/python3", f"/usr/bin/python3.{sys.version_info[1]}"]
    for path in filter(os.path.exists, candidates):
        place = Path(path).resolve()
        reachable = all(parent.stat().st_mode & 0o001 for parent in (place, *place.parents))
        found = subprocess.run(
            [path, "-c", "import sys; print(*sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        if reachable and found.stdout.split() == [str(n) for n in sys.version_info[:2]]:
            return str(place)
    return ""


PROGRAM = """
import json, sys
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.sandbox import RUNGS, IsolationError
from questions import QUESTION, SOLUTION, answer

found = {}
for rung in RUNGS:
    try:
        with ForkServer(isolation=rung, require=rung) as server:
            points = grade_question(QUESTION, answer(SOLUTION), server, 1).points
            found[rung] = [str(server.isolation), points]
    except IsolationError as error:
        found[rung] = [str(error), 0.0]
print(json.dumps(found))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="users and namespaces of Linux")
@pytest.mark.parametrize("user", ["root", "plain"])
def test_the_ladder_as_another_user_sees_it(user, tmp_path):
    python = shared_python()
    if not python:
        pytest.skip("no Python of this version that every user may run")
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    folders = [REPOSITORY / "course", REPOSITORY / "autograder", REPOSITORY / "autograder/tests"]
    if not all(p.stat().st_mode & 0o001 for p in (REPOSITORY, *REPOSITORY.parents)):
        pytest.skip("the repository lies in a private folder")
    paths = [*map(str, folders), *(p for p in sys.path if p.endswith("-packages"))]
    became = [] if user == "root" else [shutil.which("setpriv"), f"--reuid={NOBODY}"]
    became += [] if user == "root" else [f"--regid={NOBODY}", "--clear-groups"]
    done = subprocess.run(
        [*became, python, "-B", "-c", textwrap.dedent(PROGRAM)],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(paths), "PATH": os.environ["PATH"]},
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["rlimits"] == ["rlimits", 5.0]
    for rung, (isolation, points) in found.items():
        assert points == 5.0 or "required" in isolation, rung
    if user == "root" and found["uid"][1]:
        assert found["uid"][0] == "uid+rlimits"
    if user == "plain":
        assert found["uid"][1] == 0.0  # only root can become somebody else


@pytest.mark.parametrize("rung", ["namespaces", "landlock"])
def test_a_protected_package_among_the_installed_ones_is_hidden_and_the_rest_is_not(rung):
    # As the grader itself is when it was installed, not linked.
    import hypothesis

    package = Path(hypothesis.__file__).parent
    source = """
        import importlib
        def size_of(path): return len(open(path).read())
        def file_of(name): return importlib.import_module(name).__file__
    """
    try:
        server = ForkServer(isolation=rung, require=rung, protected=[package])
    except IsolationError as error:
        pytest.skip(str(error)[:300])
    with server, server.worker(answer(source)) as worker:
        with pytest.raises(OSError, match="hypothesis"):
            worker.proxy("size_of")(str(package / "__init__.py"))
        with contextlib.suppress(ImportError, PermissionError):
            assert worker.proxy("file_of")("hypothesis") is None  # an empty folder
        assert worker.proxy("file_of")("sqlalchemy").endswith("__init__.py")


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_other_systems_have_limits_only_and_say_what_stays_open(system, monkeypatch):
    monkeypatch.setattr(sys, "platform", system)
    (only,) = candidates("namespaces")
    assert only.layers == ("rlimits",)
    assert only.open_to_learners == ("files", "network", "signals", "processes", "memory")


def test_without_fork_nothing_is_run(monkeypatch):
    monkeypatch.delattr(os, "fork")
    with pytest.raises(IsolationError, match="WSL"):
        ForkServer()
