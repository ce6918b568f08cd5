"""A JupyterLab of its own and a Chromium that drives it, for tests and for the benchmark."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHROMIUM = os.environ.get("PDSCHED_BROWSER") or shutil.which("chromium") or "/usr/bin/chromium"
CHROMIUM_ARGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
ONLY_HERE = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
RUN_ALL = "window.jupyterapp.commands.execute('notebook:run-all-cells')"


def why_not() -> str:
    """Why no browser test can run here; empty if they can."""
    try:
        import jupyterlab  # noqa: F401
        import playwright  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed"
    return "" if Path(CHROMIUM).exists() else "no Chromium on this machine"


def write_notebook(path: Path, *cells: str) -> Path:
    """A notebook of code cells."""
    book = {
        "cells": [
            {"cell_type": "code", "id": f"c{number}", "metadata": {}, "execution_count": None,
             "outputs": [], "source": source}
            for number, source in enumerate(cells)
        ],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3",
                                    "language": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }  # fmt: skip
    path.write_text(json.dumps(book), encoding="utf-8")
    return path


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _settings(folder: Path, theme: str) -> None:
    target = folder / "@jupyterlab" / "apputils-extension"
    target.mkdir(parents=True)
    (target / "themes.jupyterlab-settings").write_text(json.dumps({"theme": theme}))
    news = {"fetchNews": "false", "checkForUpdates": False}
    (target / "notification.jupyterlab-settings").write_text(json.dumps(news))


@contextlib.contextmanager
def serve(folder: Path, *, theme: str = "JupyterLab Light", app: str = "lab") -> Iterator[str]:
    """The address of a JupyterLab (or ``notebook``) over ``folder``; stops with the block."""
    port = _free_port()
    settings = folder / ".settings"
    if not settings.exists():
        _settings(settings, theme)
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(folder / ".config"),
        "JUPYTER_RUNTIME_DIR": str(folder / ".runtime"),
        "IPYTHONDIR": str(folder / ".ipython"),
        "JUPYTER_PLATFORM_DIRS": "1",
    }
    klass = "LabApp" if app == "lab" else "JupyterNotebookApp"
    process = subprocess.Popen(
        [
            sys.executable, "-m", f"jupyter{app}" if app == "lab" else app, "--no-browser",
            f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=",
            "--ServerApp.disable_check_xsrf=True", "--allow-root",
            f"--ServerApp.root_dir={folder}", f"--{klass}.expose_app_in_browser=True",
            f"--LabApp.user_settings_dir={settings}",
        ],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/api", process)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait_for(address: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"Jupyter ended at once with status {process.returncode}")
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=2).close()
            return
        time.sleep(0.2)
    raise TimeoutError("Jupyter did not answer within 60 s")


@contextlib.contextmanager
def chromium(*, width: int = 1280, height: int = 1000, offline: bool = False) -> Iterator[Any]:
    """A browser page; ``offline`` knows no address but this machine's."""
    from playwright.sync_api import sync_playwright

    args = CHROMIUM_ARGS + ([ONLY_HERE] if offline else [])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=args)
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_default_timeout(40_000)
        try:
            yield page
        finally:
            browser.close()


def open_notebook(
    page: Any, address: str, name: str, *, app: str = "lab", run: bool = True
) -> None:
    """Open a notebook alone on the page, wait for its kernel, run all cells."""
    path = f"doc/tree/{name}" if app == "lab" else f"notebooks/{name}"
    page.goto(f"{address}/{path}")
    page.wait_for_function("() => window.jupyterapp && window.jupyterapp.shell.currentWidget")
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.sessionContext?.session?.kernel"
        "?.connectionStatus === 'connected'"
    )
    if run:
        page.evaluate(RUN_ALL)
