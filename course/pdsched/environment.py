"""What this machine is and what can be shown on it: `doctor`, and the renderer the panels use."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from html import escape
from importlib import metadata
from typing import Any, Final, Literal

from pdsched.messages import environment as _environment_messages  # noqa: F401
from pdsched.messages import text

Host = Literal["colab", "modelscope", "jupyterlite", "vscode", "jupyter", "headless", "terminal"]
Renderer = Literal["widget", "static"]

OLDEST: Final = {"ipywidgets": (7, 7, 1), "plotly": (5, 24, 0)}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor: what, what was found, and what to do if it is not ``ok``."""

    what: str
    found: str
    ok: bool = True
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything `doctor` found."""

    host: Host
    renderer: Renderer
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Nothing needs doing."""
        return all(finding.ok for finding in self.findings)

    def __str__(self) -> str:
        rows = []
        for finding in self.findings:
            mark = "✓" if finding.ok else "✗"
            advice = f" → {finding.advice}" if finding.advice else ""
            rows.append(f"{mark} {finding.what}: {finding.found}{advice}")
        return "\n".join(rows)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{'✓' if each.ok else '✗'}</td><td>{escape(each.what)}</td>"
            f"<td>{escape(each.found)}</td><td>{escape(each.advice)}</td></tr>"
            for each in self.findings
        )
        return f"<table>{rows}</table>"


def shell() -> Any:
    """The running IPython shell, None outside IPython."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    return get_ipython()


def cell_id() -> str | None:
    """The front end's id of the cell being run, None where it sends none."""
    kernel = getattr(shell(), "kernel", None)
    try:
        parent = kernel.get_parent("shell") if kernel is not None else {}
    except Exception:
        return None
    found = (parent or {}).get("metadata", {}).get("cellId")
    return found if isinstance(found, str) else None


def host() -> Host:
    """Which notebook front end (or none) this process serves."""
    running = shell()
    if "google.colab" in sys.modules:
        return "colab"
    if sys.platform == "emscripten":
        return "jupyterlite"
    if running is None or not hasattr(running, "kernel"):
        return "terminal"
    if any(name.startswith("MODELSCOPE") for name in os.environ):
        return "modelscope"
    if "VSCODE_PID" in os.environ or "__vsc_ipynb_file__" in running.user_ns:
        return "vscode"
    served = ("JPY_SESSION_NAME", "JPY_PARENT_PID", "JUPYTERHUB_USER")
    return "jupyter" if any(name in os.environ for name in served) else "headless"


def renderer() -> Renderer:
    """How a panel shows itself: ``PDSCHED_RENDERER`` if set, else widgets where a kernel runs."""
    chosen = os.environ.get("PDSCHED_RENDERER", "")
    if chosen in ("widget", "static"):
        return "widget" if chosen == "widget" else "static"
    return "static" if host() == "terminal" else "widget"


def doctor() -> Report:
    """Look at this machine; never raises, changes nothing."""
    place = host()
    findings = [
        Finding(text("environment.host"), text(f"environment.host.{place}")),
        Finding("Python", platform.python_version(), sys.version_info >= (3, 10),
                "" if sys.version_info >= (3, 10) else text("environment.old_python")),
        *(_package(name, oldest) for name, oldest in OLDEST.items()),
        Finding(text("environment.renderer"), text(f"environment.renderer.{renderer()}")),
        _browser(),
    ]  # fmt: skip
    return Report(place, renderer(), tuple(findings))


def _package(name: str, oldest: tuple[int, ...]) -> Finding:
    wanted = ".".join(map(str, oldest))
    try:
        found = metadata.version(name)
    except metadata.PackageNotFoundError:
        advice = text("environment.install", package=f"{name}>={wanted}")
        return Finding(name, text("environment.missing"), False, advice)
    numbers = tuple(int(part) for part in found.split(".")[:3] if part.isdigit())
    if numbers < oldest:
        advice = text("environment.install", package=f"{name}>={wanted}")
        return Finding(name, found, False, advice)
    return Finding(name, found)


def _browser() -> Finding:
    from pdsched.figures.export import browser

    found = browser()
    if found is None:
        return Finding("PNG", text("environment.no_png"), True, text("environment.no_png_advice"))
    return Finding("PNG", found)
