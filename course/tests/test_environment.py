"""Which machine this is, and how a panel shows itself on it."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from pdsched import environment


class Shell(SimpleNamespace):
    """An IPython shell as far as the doctor looks."""

    def __init__(self, **names):
        super().__init__(kernel=object(), user_ns=names, execution_count=1)


@pytest.fixture(autouse=True)
def _bare(monkeypatch):
    for name in ("JPY_SESSION_NAME", "JPY_PARENT_PID", "JUPYTERHUB_USER", "VSCODE_PID",
                 "PDSCHED_RENDERER", "MODELSCOPE_CACHE"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)


def test_without_a_kernel_it_is_a_terminal_and_pictures_are_static(monkeypatch):
    monkeypatch.setattr(environment, "shell", lambda: None)
    assert environment.host() == "terminal"
    assert environment.renderer() == "static"


@pytest.mark.parametrize(
    ("variable", "names", "expected"),
    [
        ("JPY_SESSION_NAME", {}, "jupyter"),
        ("MODELSCOPE_CACHE", {}, "modelscope"),
        ("VSCODE_PID", {}, "vscode"),
        ("", {"__vsc_ipynb_file__": "a.ipynb"}, "vscode"),
        ("", {}, "headless"),
    ],
)
def test_a_kernel_knows_its_front_end(monkeypatch, variable, names, expected):
    monkeypatch.setattr(environment, "shell", lambda: Shell(**names))
    if variable:
        monkeypatch.setenv(variable, "1")
    assert environment.host() == expected
    assert environment.renderer() == "widget"


def test_colab_and_jupyterlite_are_recognised(monkeypatch):
    monkeypatch.setattr(environment, "shell", Shell)
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    assert environment.host() == "colab"
    monkeypatch.delitem(sys.modules, "google.colab")
    monkeypatch.setattr(sys, "platform", "emscripten")
    assert environment.host() == "jupyterlite"


def test_the_renderer_can_be_forced(monkeypatch):
    monkeypatch.setattr(environment, "shell", Shell)
    monkeypatch.setenv("PDSCHED_RENDERER", "static")
    assert environment.renderer() == "static"


def test_the_doctor_says_what_is_missing_and_what_to_do(monkeypatch):
    def version(name):
        if name == "plotly":
            raise environment.metadata.PackageNotFoundError(name)
        return "7.6.0"

    monkeypatch.setattr(environment.metadata, "version", version)
    report = environment.doctor()
    assert not report.ok
    assert "pip install 'plotly>=5.24.0'" in str(report)
    assert "pip install 'ipywidgets>=7.7.1'" in str(report)
    assert "<table>" in report._repr_html_()


def test_the_doctor_is_content_with_this_machine():
    report = environment.doctor()
    assert report.ok
    assert "ipywidgets" in str(report)
