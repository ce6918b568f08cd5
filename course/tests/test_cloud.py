"""The first cell of a notebook: silent at home, an installer elsewhere, one published location."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pdsched import cloud
from pdsched.cloud.bootstrap import prepare_pdsched

pytestmark = pytest.mark.core


def test_setup_cell_is_silent_where_pdsched_is_installed():
    done = subprocess.run(
        [sys.executable, "-c", cloud.setup_cell()], check=True, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_everything_follows_the_published_location():
    fork = replace(cloud.PUBLISHED, repository="me/fork", revision="v2")
    cell, links = cloud.setup_cell(fork), cloud.badges("step1_request_pressure", fork)
    assert 'PACKAGE = "pdsched @ git+https://github.com/me/fork@v2#subdirectory=course"' in cell
    notebook = "me/fork/blob/v2/release/prefill-decode-scheduling/step1_request_pressure.ipynb"
    assert f"https://colab.research.google.com/github/{notebook}" in links
    assert f"https://gallery.pai-ml.com/#/import/https://github.com/{notebook}" in links
    assert cloud.MODELSCOPE_NOTEBOOKS in links
    assert cloud.PUBLISHED.repository not in cell + links


def test_a_failed_installation_tells_the_two_ways_out(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    failed = subprocess.CompletedProcess([], 1, stdout="", stderr="ERROR: no route to host\n")
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: failed)
    with pytest.raises(ModuleNotFoundError, match=r"pdsched-\*\.whl.*no route to host"):
        prepare_pdsched("pdsched @ git+https://example.invalid/x")


def test_a_wheel_beside_the_notebook_is_used_and_installed_versions_are_pinned(
    monkeypatch, tmp_path, capsys
):
    (tmp_path / "pdsched-0.0.1-py3-none-any.whl").touch()
    monkeypatch.chdir(tmp_path)
    found = iter([None, True])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: next(found))
    seen = {}

    def run(command, **kwargs):
        seen["source"] = command[-1]
        seen["pins"] = Path(command[-2]).read_text(encoding="utf-8").splitlines()
        return subprocess.CompletedProcess(command, 0, stdout="", stderr="")

    monkeypatch.setattr(subprocess, "run", run)
    prepare_pdsched("pdsched @ git+https://example.invalid/x")
    assert seen["source"].endswith("pdsched-0.0.1-py3-none-any.whl")
    assert f"pytest=={pytest.__version__}" in seen["pins"]
    assert "pdsched-0.0.1" in capsys.readouterr().out
