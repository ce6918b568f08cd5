"""Every notebook, opened in an environment with Colab's pinned packages and no checkout."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(ROOT / "tests"))

from test_interpreters import OTHERS  # noqa: E402

import bundle  # noqa: E402
import environment  # noqa: E402

PINS = ROOT / "tests" / "colab_pins.txt"
ASSIGNMENT = "prefill-decode-scheduling"
COLAB_PYTHONS = {(3, 12), (3, 13)}
INTERPRETERS = {version: path for version, path in OTHERS if version in COLAB_PYTHONS}
if sys.version_info[:2] in COLAB_PYTHONS:
    INTERPRETERS[sys.version_info[:2]] = Path(environment.INTERPRETER)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not INTERPRETERS, reason="Colab runs Python 3.12 or 3.13: neither is here"),
]

EXECUTE = """
import sys, nbformat
from nbclient import NotebookClient
for path in sys.argv[1:]:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3").execute()
    nbformat.write(notebook, path)
"""
HIDDEN = re.compile(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", re.S)


def uv(*arguments):
    subprocess.run([sys.executable, "-m", "uv", "pip", *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def colab():
    """An environment with Colab's pins, without pdsched, kept in build/ between runs."""
    version, interpreter = max(INTERPRETERS.items())
    stamp = hashlib.sha256(PINS.read_bytes() + str(interpreter).encode()).hexdigest()[:12]
    venv = ROOT / "build" / f"venv-colab-{version[0]}.{version[1]}-{stamp}"
    python = environment.python_of(venv)
    if not (venv / environment.STAMP_NAME).exists():
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([str(interpreter), "-m", "venv", str(venv)], check=True)
        uv("install", "-q", "--python", str(python), "--compile-bytecode", "-r", str(PINS))
        (venv / environment.STAMP_NAME).touch()
    uv("uninstall", "-q", "--python", str(python), "pdsched")
    return python


def installed(python):
    done = subprocess.run(
        [str(python), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return {entry["name"]: entry["version"] for entry in json.loads(done.stdout)}


def execute(python, notebooks):
    """Run notebooks in place; {name: [(cell, error name, error value)]}."""
    subprocess.run(
        [str(python), "-c", EXECUTE, *map(str, notebooks)],
        check=True, cwd=notebooks[0].parent, capture_output=True,
    )  # fmt: skip
    found = {}
    for path in notebooks:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        found[path.stem] = [
            (cell, output["ename"], output["evalue"])
            for cell in cells
            for output in cell.get("outputs", ())
            if output["output_type"] == "error"
        ]
    return found


def alone(folder, tmp_path):
    """The notebooks of ``folder`` in a place of their own, hidden tests taken out."""
    place = tmp_path / ASSIGNMENT
    place.mkdir()
    for path in sorted((ROOT / folder / ASSIGNMENT).glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            cell["source"] = HIDDEN.sub("", "".join(cell["source"]))
        (place / path.name).write_text(json.dumps(notebook), encoding="utf-8")
    return sorted(place.glob("*.ipynb"))


def test_released_notebooks_install_what_they_need_and_fail_only_where_unwritten(colab, tmp_path):
    notebooks = alone("release", tmp_path)
    bundle.build_wheel(Path(sys.executable), notebooks[0].parent)
    before = installed(colab)
    assert "pdsched" not in before
    errors = execute(colab, notebooks)
    after = installed(colab)
    assert after.pop("pdsched")
    assert after == before
    assert len(errors) == 4
    for name, found in errors.items():
        assert found, name
        for cell, error, value in found:
            assert cell["metadata"].get("nbgrader", {}).get("grade"), (name, error, value)
            assert error in {"NotImplementedError", "CheckFailure"}, (name, error, value)


def test_source_notebooks_run_without_an_error(colab, tmp_path):
    notebooks = alone("source", tmp_path)
    bundle.build_wheel(Path(sys.executable), notebooks[0].parent)
    errors = execute(colab, notebooks)
    assert {name: [error[1:] for error in found] for name, found in errors.items()} == {
        path.stem: [] for path in notebooks
    }


def test_learners_check_their_notebook_there_with_what_the_grader_uses(colab, tmp_path):
    """`pdgrade check` needs no nbgrader, which cannot be installed into Colab."""
    (notebook,) = (path for path in alone("release", tmp_path) if path.stem.startswith("step1"))
    wheels = [
        bundle.build_wheel(Path(sys.executable), tmp_path / "wheels", package)
        for package in ("course", "autograder")
    ]
    before = installed(colab)
    uv("install", "-q", "--python", str(colab), "-c", str(PINS), *map(str, wheels))
    try:
        assert before.items() <= installed(colab).items()
        done = subprocess.run(
            [str(colab.parent / "pdgrade"), "check", str(notebook)],
            check=False, capture_output=True, text=True, encoding="utf-8", cwd=tmp_path,
        )  # fmt: skip
    finally:
        uv("uninstall", "-q", "--python", str(colab), "pdgrade")
    assert done.returncode == 1, done.stderr
    assert "尚未编写" in done.stdout
    assert "step1_request_pressure" in done.stdout
