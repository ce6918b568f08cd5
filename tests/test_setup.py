"""Setting up: the lock, conda's view of it, half-built environments, old Pythons, ports, copies."""

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import environment  # noqa: E402
import lab_server  # noqa: E402
import locking  # noqa: E402


def pip_lines():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    return next(item["pip"] for item in listed if isinstance(item, dict))


def test_conda_installs_the_lock_and_both_packages():
    assert pip_lines() == ["-r requirements.conda.txt", "-e ./course", "-e ./autograder"]
    expected = locking.without_hashes(environment.LOCK.read_text(encoding="utf-8"))
    assert locking.CONDA_PINS.read_text(encoding="utf-8") == expected


def test_pins_keep_versions_and_markers_and_lose_hashes():
    lock = "a==1 ; python_full_version < '3.11' \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\n"
    assert locking.without_hashes(lock).splitlines()[1:] == ["a==1 ; python_full_version < '3.11'"]


def test_the_lock_satisfies_both_packages_and_names_no_address():
    text = environment.LOCK.read_text(encoding="utf-8")
    assert "://" not in text
    for package in ("nbgrader", "nbval", "jupytext", "ipywidgets", "plotly", "hatchling"):
        assert re.search(rf"^{package}==", text, re.M), package
    wanted = [line for line in text.splitlines() if line and not line.startswith(" ")]
    hashed = re.findall(r"^\S+==.*\\\n    --hash=sha256:", text, re.M)
    assert len(hashed) == len(wanted)


def test_the_block_of_one_package_carries_its_hashes():
    block = environment.locked_block("uv").splitlines()
    assert block[0].startswith("uv==")
    assert all(line.strip().startswith("--hash=sha256:") for line in block[1:])


def test_an_unlocked_package_is_named():
    with pytest.raises(environment.SetupError, match="no-such-package"):
        environment.locked_block("no-such-package")


def test_a_half_built_environment_is_not_ready(tmp_path):
    python = environment.python_of(tmp_path)
    python.parent.mkdir(parents=True)
    python.touch()
    assert not environment.is_ready(tmp_path, sys.executable)
    stamp = tmp_path / environment.STAMP_NAME
    stamp.write_text(environment.stamp_of(sys.executable), encoding="utf-8")
    assert environment.is_ready(tmp_path, sys.executable)
    assert not environment.is_ready(tmp_path, "/another/python")


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("Failed to establish a new connection: Name or service not known", "package index"),
        ("No module named venv", "python3-venv"),
        ("OSError: No space left on device", "the disk is full"),
        ("ERROR: something else", "something else"),
    ],
)
def test_a_failed_installation_says_why_in_one_sentence(output, words):
    log = environment.ROOT / "build" / "setup.log"
    assert words in environment._explain(["pip"], output, log)


def test_without_a_network_setup_says_so_and_leaves_no_half_built_environment(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/none")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/none")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "UV_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    with pytest.raises(environment.SetupError) as error:
        environment.ensure(tmp_path / "venv")
    assert "package index" in str(error.value)
    assert not environment.is_ready(tmp_path / "venv", sys.executable)


OLD = [
    path
    for minor in (6, 7, 8, 9)
    for path in sorted(Path("~/.pyenv/versions").expanduser().glob(f"3.{minor}.*/bin/python"))
]


@pytest.mark.skipif(not OLD, reason="no Python older than 3.10 on this machine")
@pytest.mark.parametrize("python", OLD, ids=lambda path: path.parts[-3])
def test_an_old_python_gets_one_sentence(python):
    done = subprocess.run(
        [str(python), str(ROOT / "make.py"), "lab"],
        check=False, capture_output=True, env={"PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 1
    words = done.stderr.decode()
    assert ">= 3.10" in words
    assert "Traceback" not in words


def test_an_unknown_task_is_refused_with_the_list():
    done = subprocess.run(
        [sys.executable, str(ROOT / "make.py"), "fly"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "fly" in done.stderr
    assert "lab" in done.stderr


def test_released_notebooks_are_copied_once_and_never_over_an_answer(tmp_path):
    released, work = tmp_path / "release" / "a", tmp_path / "learn" / "a"
    released.mkdir(parents=True)
    (released / "step1.ipynb").write_text("released", encoding="utf-8")
    assert "1" in lab_server.copy_released(released, work)[0]
    (work / "step1.ipynb").write_text("my answer", encoding="utf-8")
    (released / "step2.ipynb").write_text("released", encoding="utf-8")
    lab_server.copy_released(released, work)
    assert (work / "step1.ipynb").read_text(encoding="utf-8") == "my answer"
    assert (work / "step2.ipynb").exists()


def test_a_missing_release_is_named(tmp_path):
    assert "make release" in lab_server.copy_released(tmp_path / "release" / "a", tmp_path / "w")[0]


def test_a_taken_port_is_passed_over():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert lab_server.free_port(port) > port


def test_git_is_not_asked_to_keep_working_folders():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    for name in ("learn/x", "submitted/x", "gradebook.db", ".venv/x", "build/x"):
        done = subprocess.run(["git", "check-ignore", "-q", name], cwd=ROOT, check=False)
        assert done.returncode == 0, name
