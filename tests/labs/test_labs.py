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


def test_lab5_compares_with_the_learners_functions(tmp_path):
    shown = run_lab("lab5_serving_benchmark", tmp_path, "source")
    assert "每一轮都由你写的 plan_iteration_budget 安排" in shown
    assert "每一格由你写的 evaluate_pd_decision 判定" in shown
    assert "你的 decode_first" in shown
    assert "排行榜" in shown
    assert (tmp_path / "labs" / "leaderboard.json").exists()


def test_lab5_runs_without_any_function_and_says_what_stands_in(tmp_path):
    shown = run_lab("lab5_serving_benchmark", tmp_path, "release")
    assert "内置策略 vllm_v1 代替" in shown
    assert "只看 goodput 是否提高" in shown
    assert "先写完 TODO 3" in shown


def test_lab7_proves_client_server_and_overlay_without_a_gpu(tmp_path):
    shown = run_lab("lab7_gpu_backend", tmp_path, "source")
    assert "实测与模拟" in shown
    assert "中途断开" in shown
    assert (tmp_path / "labs" / "lab7_evidence.json").exists()
