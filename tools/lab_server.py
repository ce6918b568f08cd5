"""``make lab``: JupyterLab on 127.0.0.1 at the course's first notebook."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
ASSIGNMENT: Final = "prefill-decode-scheduling"
LABS: Final = "labs"
FIRST_NOTEBOOK: Final = "step1_request_pressure.ipynb"
# A learner's own copies: release/ stays as generated, and a pull never meets their answers.
WORK: Final = ROOT / "learn"
DEFAULT_PORT: Final = 8888
# The server and forgotten kernels stop by themselves.
IDLE_SECONDS: Final = 4 * 3600


def open_lab(python: Path, arguments: list[str]) -> int:
    """Start JupyterLab and wait for it; returns its exit status.

    Args:
        python: interpreter of the project's environment.
        arguments: further JupyterLab options, such as ``--no-browser``.
    """
    for folder in (ASSIGNMENT, LABS):
        for line in copy_released(ROOT / "release" / folder, WORK / folder):
            print(line, flush=True)
    _set_defaults(python.parent.parent)
    port = free_port(DEFAULT_PORT)
    if port != DEFAULT_PORT:
        print(
            f"端口 {DEFAULT_PORT} 已被占用（可能另有一个 JupyterLab），改用 {port}"
            f" | port {DEFAULT_PORT} is taken (another JupyterLab?), using {port}",
            flush=True,
        )
    token = secrets.token_hex(16)
    notebook = (WORK / ASSIGNMENT / FIRST_NOTEBOOK).relative_to(ROOT).as_posix()
    url = f"http://127.0.0.1:{port}/lab/tree/{notebook}?token={token}"
    browser = "--no-browser" not in arguments and has_browser()
    waiter = threading.Thread(target=_announce, args=(port, url, browser), daemon=True)
    waiter.start()
    command = [
        str(python), "-m", "jupyterlab", "--no-browser",
        "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={ROOT}",
        f"--ServerApp.shutdown_no_activity_timeout={IDLE_SECONDS}",
        f"--MappingKernelManager.cull_idle_timeout={IDLE_SECONDS}",
        "--log-level=WARN",
        *(["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
        *(argument for argument in arguments if argument != "--no-browser"),
    ]  # fmt: skip
    # The token travels in the environment: a command line is readable by every local user.
    server = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "JUPYTER_TOKEN": token})
    # Ending this command ends the server too, which in turn stops its kernels.
    signal.signal(signal.SIGTERM, lambda _signal, _frame: server.terminate())
    try:
        return server.wait()
    except KeyboardInterrupt:
        server.terminate()
        return server.wait()


def copy_released(released: Path, work: Path) -> list[str]:
    """Copy released files that the learner does not have yet; never overwrite one.

    Returns:
        A sentence for each thing a person should know (what was copied, what is missing).
    """
    if not released.is_dir():
        name = f"release/{released.name}"
        return [f"找不到 {name}，先运行 make release | {name} is missing: run make release first"]
    work.mkdir(parents=True, exist_ok=True)
    copied = 0
    for source in sorted(path for path in released.rglob("*") if path.is_file()):
        target = work / source.relative_to(released)
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            copied += 1
    place = work.relative_to(ROOT) if work.is_relative_to(ROOT) else work
    if copied:
        return [f"已把 {copied} 个文件放进 {place}/ | put {copied} files into {place}/"]
    return [f"继续你在 {place}/ 的进度 | going on with your work in {place}/"]


def free_port(wanted: int, tries: int = 50) -> int:
    """``wanted`` or the next port that nothing on 127.0.0.1 listens on.

    Raises:
        OSError: none of ``tries`` ports is free.
    """
    for port in range(wanted, wanted + tries):
        with socket.socket() as probe:
            # A server that just stopped leaves its port in TIME_WAIT: that one is free.
            if os.name != "nt":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise OSError(f"no free port from {wanted} to {wanted + tries - 1} on 127.0.0.1")


def has_browser() -> bool:
    """Whether a graphical browser can be opened from here."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _set_defaults(venv: Path) -> None:
    """Nothing is asked of the network, and no question about news covers the first page."""
    settings = venv / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    quiet = {
        "@jupyterlab/apputils-extension:notification": {
            "fetchNews": "false",
            "checkForUpdates": False,
        }
    }
    (settings / "overrides.json").write_text(json.dumps(quiet), encoding="utf-8")


def _announce(port: int, url: str, browser: bool) -> None:
    """Say where the notebook is, once the server answers, and open it there."""
    for _ in range(600):
        with socket.socket() as probe:
            probe.settimeout(0.5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    else:
        return
    print(f"\n课程已就绪 | ready: {url}\n(Ctrl+C 停止 | stops it)\n", flush=True)
    if browser:
        webbrowser.open(url)
