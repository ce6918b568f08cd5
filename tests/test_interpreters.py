"""The same lock and the same tests on every supported Python that this machine has."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import environment  # noqa: E402

LIMIT_S = 400  # below the limit of one test: this one then says what hung
SUPPORTED = tuple((3, minor) for minor in range(10, 15))


def version_of(python):
    """(major, minor) of an interpreter, or None where it does not start."""
    try:
        done = subprocess.run(
            [str(python), "-c", "import sys, venv; print(*sys.version_info[:2])"],
            check=True, capture_output=True, text=True, timeout=20,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor = done.stdout.split()
    return int(major), int(minor)


def other_interpreters():
    """One interpreter for each supported version other than the running one."""
    roots = (os.environ.get("PYENV_ROOT"), "~/.pyenv", "~/.local/share/uv/python")
    folders = [Path(root).expanduser() for root in roots if root]
    installed = [p for folder in folders for p in sorted(folder.glob("**/bin/python3.[0-9]*"))]
    named = [shutil.which(f"python{major}.{minor}") for major, minor in SUPPORTED]
    found = {}
    for python in [*installed, *(Path(name) for name in named if name)]:
        if not re.fullmatch(r"python3\.\d+", python.name) or "shims" in python.parts:
            continue
        version = version_of(python)
        if version in SUPPORTED and version != sys.version_info[:2]:
            found.setdefault(version, python)
    return sorted(found.items())


OTHERS = other_interpreters()


@pytest.mark.slow
@pytest.mark.skipif(not OTHERS, reason="no other supported Python on this machine")
@pytest.mark.parametrize(
    "python", [path for _, path in OTHERS], ids=[f"{v[0]}.{v[1]}" for v, _ in OTHERS]
)
def test_the_core_works_on_this_python_too(python):
    major, minor = version_of(python)
    venv_python = environment.ensure(ROOT / "build" / f"venv-{major}.{minor}", str(python))
    # Into a file: a process that a test leaves behind would hold a pipe open and this test with it.
    log = ROOT / "build" / f"core-{major}.{minor}.log"
    with log.open("w", encoding="utf-8") as output:
        status = subprocess.run(
            [str(venv_python), "-m", "pytest", "-q", "-m", "core", "-p", "no:cacheprovider",
             "-p", "no:xdist", "--timeout", "120", "course/tests", "autograder/tests"],
            check=False, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output,
            stderr=subprocess.STDOUT, timeout=LIMIT_S,
        ).returncode  # fmt: skip
    printed = log.read_text(encoding="utf-8")
    assert status == 0, printed[-4000:]
    passed = re.search(r"(\d+) passed", printed)
    assert passed, printed[-500:]
    assert int(passed.group(1)) > 20
