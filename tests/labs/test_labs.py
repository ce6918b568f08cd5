"""The three labs run from top to bottom as a learner opens them, with and without own functions."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "prefill-decode-scheduling"


def run_lab(name, tmp_path, steps_from):
    """Run a released lab beside the Steps of ``source`` (written) or ``release`` (stubs)."""
    shutil.copytree(ROOT / "release" / "labs", tmp_path / "labs")
    shutil.copytree(
        ROOT / steps_from / ASSIGNMENT, tmp_path / ASSIGNMENT, ignore=shutil.ignore_patterns("*.py")
    )
    notebook = nbformat.read(tmp_path / "labs" / f"{name}.ipynb", as_version=4)
    NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(tmp_path / "labs")}}
    ).execute()
    return "\n".join(_texts(notebook))


def _texts(notebook):
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            yield output.get("text", "")
            data = output.get("data", {})
            yield "".join(data.get("text/markdown", "")) or "".join(data.get("text/plain", ""))


def test_lab6_measures_with_the_learners_own_function(tmp_path):
    shown = run_lab("lab6_real_engine", tmp_path, "source")
    assert "每一轮都由你写的 plan_iteration_budget 安排" in shown
    assert "token 相同： True" in shown
    assert shown.count("证据等级：实测") >= 3
    assert "keep_split" in shown
