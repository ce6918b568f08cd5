"""The project's virtual environment: built from requirements.lock, checked by a stamp."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
LOCK: Final = ROOT / "requirements.lock"
PACKAGES: Final = (ROOT / "course", ROOT / "autograder")
STAMP_NAME: Final = ".complete"
# Called from inside an activated environment, build on what that one was built on.
INTERPRETER: Final = os.path.realpath(getattr(sys, "_base_executable", sys.executable))


class SetupError(Exception):
    """The environment could not be built; the text says why and what to do."""


def python_of(venv: Path) -> Path:
    """The interpreter inside a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def stamp_of(interpreter: str) -> str:
    """What an up-to-date environment was built from: the lock, the packages, the interpreter."""
    digest = hashlib.sha256(interpreter.encode())
    for path in (LOCK, *(package / "pyproject.toml" for package in PACKAGES)):
        digest.update(path.read_bytes())
    # Editable installs name their folder, so a moved checkout must be set up again.
    digest.update(str(ROOT).encode())
    return digest.hexdigest()


def is_ready(venv: Path, interpreter: str) -> bool:
    """Whether ``venv`` was completely built from what is on disk now."""
    stamp = venv / STAMP_NAME
    return (
        python_of(venv).exists()
        and stamp.exists()
        and stamp.read_text(encoding="utf-8").strip() == stamp_of(interpreter)
    )


def ensure(venv: Path = ROOT / ".venv", interpreter: str = INTERPRETER) -> Path:
    """Build ``venv`` from the lock file unless it is already complete.

    A half-built environment (no stamp) is thrown away and built anew. uv does it in seconds;
    where uv cannot (an index that only pip is configured for, an unusual platform) pip does.

    Returns:
        The environment's interpreter.

    Raises:
        SetupError: the installation failed; the log is kept in build/setup.log.
    """
    if is_ready(venv, interpreter):
        return python_of(venv)
    print(f"正在安装课程环境 | setting up {venv.name} (once) ...", flush=True)
    try:
        _build(venv, interpreter, with_uv=True)
    except SetupError:
        _build(venv, interpreter, with_uv=False)
    (venv / STAMP_NAME).write_text(stamp_of(interpreter), encoding="utf-8")
    return python_of(venv)


def _build(venv: Path, interpreter: str, *, with_uv: bool) -> None:
    if venv.exists():
        shutil.rmtree(venv)
    _run_logged([interpreter, "-m", "venv", str(venv)])
    python = str(python_of(venv))
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install = pip
    if with_uv:
        # The lock names uv too, so this step is as fixed as all others.
        only_uv = ROOT / "build" / "uv.lock"
        only_uv.write_text(locked_block("uv"), encoding="utf-8")
        _run_logged([*pip, "--require-hashes", "-r", str(only_uv)])
        install = [python, "-m", "uv", "pip", "install", "--quiet", "--python", python]
        install += ["--compile-bytecode"]
    _run_logged([*install, "--require-hashes", "-r", str(LOCK)])
    # --no-build-isolation: the lock holds the build backend, nothing is fetched a second time.
    editable = [argument for package in PACKAGES for argument in ("-e", str(package))]
    _run_logged([*install, "--no-deps", "--no-build-isolation", *editable])


def locked_block(name: str) -> str:
    """The lines of requirements.lock that fix one package, for every Python it names.

    Raises:
        SetupError: the lock does not name it.
    """
    found: list[str] = []
    inside = False
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        if not line.startswith(" "):
            inside = line.startswith(f"{name}==")
        if inside:
            found.append(line)
    if not found:
        raise SetupError(f"requirements.lock does not name {name}: run make lock")
    return "\n".join(found) + "\n"


def _index_settings(venv_python: Path) -> dict[str, str]:
    """What pip is told about package indexes, in uv's words: mirrors are set in pip's files."""
    if not venv_python.exists():
        return {}
    shown = subprocess.run(
        [str(venv_python), "-m", "pip", "config", "list"],
        check=False, capture_output=True, text=True, encoding="utf-8", errors="replace",
    ).stdout  # fmt: skip
    settings = dict(line.split("=", 1) for line in shown.splitlines() if "=" in line)
    index = next((value for key, value in settings.items() if key.endswith(".index-url")), "")
    index = os.environ.get("PIP_INDEX_URL", index.strip("'"))
    return {"UV_DEFAULT_INDEX": index} if index and "UV_DEFAULT_INDEX" not in os.environ else {}


def _run_logged(command: list[str]) -> None:
    log = ROOT / "build" / "setup.log"
    log.parent.mkdir(exist_ok=True)
    # The lock is the only truth: a stray PYTHONPATH or user site would hide what is missing.
    env = {**os.environ, "PYTHONNOUSERSITE": "1"}
    env.pop("PYTHONPATH", None)
    if "uv" in command:
        env |= _index_settings(Path(command[0]))
    done = subprocess.run(
        command, check=False, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace",
    )  # fmt: skip
    log.write_text(" ".join(command) + "\n" + done.stdout, encoding="utf-8")
    if done.returncode:
        raise SetupError(_explain(command, done.stdout, log))


def _explain(command: list[str], output: str, log: Path) -> str:
    lowered = output.lower()
    offline = ("connection", "resolve", "network", "timed out", "unreachable", "dns", "proxy")
    if "no module named venv" in lowered or "ensurepip is not" in lowered:
        reason = (
            "这个 Python 没有 venv 模块（Debian/Ubuntu：apt install python3-venv）"
            " | this Python has no venv module (Debian/Ubuntu: apt install python3-venv)"
        )
    elif any(word in lowered for word in offline):
        reason = (
            "连不上软件包索引，请检查网络或 pip 的镜像设置后重试"
            " | no connection to the package index: check the network or pip's index setting"
        )
    elif "no matching distribution found for" in lowered:
        # pip ends like this both without a network and with a mirror that lags behind.
        wanted = lowered.rsplit("no matching distribution found for", 1)[1].split()[0]
        reason = (
            f"软件包索引里找不到 {wanted}：没有网络，或镜像没有同步到这个版本"
            f" | {wanted} is not on the package index: no network, or a mirror that lags behind"
        )
    elif "no space left" in lowered:
        reason = "磁盘已满 | the disk is full"
    else:
        last = output.strip().splitlines()[-1] if output.strip() else "no output"
        reason = f"安装失败 | installation failed: {last[:300]}"
    return f"{reason}\n  ({Path(command[0]).name}; 日志 | log: {log.relative_to(ROOT)})"
