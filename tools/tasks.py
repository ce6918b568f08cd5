"""What ``make`` can do: set up the environment, then run one task in it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import bundle
import environment
import jupyterlite_site
import lab_server
import locking
from environment import ROOT

Task = Callable[[Path, list[str]], int]


def run(python: Path, *command: str) -> int:
    """Run ``python -m …`` in the repository root, the environment first on PATH."""
    env = dict(os.environ)
    env["PATH"] = str(python.parent) + os.pathsep + env.get("PATH", "")
    env["VIRTUAL_ENV"] = str(python.parent.parent)
    env.pop("PYTHONPATH", None)
    return subprocess.run([str(python), "-m", *command], cwd=ROOT, env=env, check=False).returncode


def in_turn(*steps: Callable[[], int]) -> int:
    """Run steps until one fails; its status, or 0."""
    for step in steps:
        if status := step():
            return status
    return 0


def check(python: Path, arguments: list[str]) -> int:
    """Lint, format and strict types."""
    del arguments
    return in_turn(
        # ruff's cache misses that the order of imports depends on which files exist.
        lambda: run(python, "ruff", "check", "--no-cache", "."),
        lambda: run(python, "ruff", "format", "--no-cache", "--check", "."),
        lambda: run(python, "mypy"),
    )


def test(python: Path, arguments: list[str]) -> int:
    """Everything that proves the project; with arguments, only those pytest is given."""
    if arguments:
        return run(python, "pytest", *arguments)
    workers = str(min(4, os.cpu_count() or 1))
    return in_turn(
        lambda: check(python, []),
        # In our order, which begins with the slow files, not by the number of tests in a file.
        lambda: run(
            python, "pytest", "-q", "-n", workers, "--dist", "loadfile", "--no-loadscope-reorder"
        ),
    )


def bench(python: Path, arguments: list[str]) -> int:
    """Every benchmark, one after another: two at once would disturb each other."""
    chosen = arguments or sorted(path.stem for path in (ROOT / "benchmarks").glob("bench_*.py"))
    statuses = []
    for name in chosen:
        print(f"\n== {name}", flush=True)
        statuses.append(run(python, f"benchmarks.{name}"))
    return max(statuses, default=0)


def module(*command: str) -> Task:
    """A task that is one module of the environment, further arguments appended."""
    return lambda python, arguments: run(python, *command, *arguments)


TASKS: Final[dict[str, tuple[Task, str]]] = {
    "lab": (lab_server.open_lab, "打开 JupyterLab | open JupyterLab at the first notebook"),
    "test": (test, "全部测试 | lint, types and all tests (arguments go to pytest)"),
    "release": (module("pdgrade", "release"), "生成学生版 | regenerate release/ from source/"),
    "bundle": (bundle.bundle, "上传云端的压缩包 | zip of notebooks and wheel for a cloud"),
    "lite": (jupyterlite_site.lite, "浏览器里的课程 | a JupyterLite site, Python in the browser"),
    "grade": (module("pdgrade", "grade"), "批改 submitted/ | grade what is in submitted/"),
    "bench": (bench, "基准 | run the benchmarks"),
    "setup": (lambda _python, _arguments: 0, "只装环境 | only set up the environment"),
    "check": (check, "静态检查 | lint, format and types"),
    "sync": (module("pdgrade.sync"), "同步 .py 与 .ipynb | source .py -> .ipynb, executed"),
    "mutants": (module("pdgrade.mutants"), "变异测试 | mutation run over the hidden tests"),
    "validation": (
        module("pdsched", "validate", "--document", "docs/validation.md"),
        "重算 docs/validation.md | regenerate it",
    ),
    "lock": (locking.lock, "重新解析锁文件 | resolve requirements.lock again"),
}


def main(arguments: Sequence[str]) -> int:
    """Set up the environment and run the task named first; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="make.py",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="\n".join(f"{name:11} {words}" for name, (_, words) in TASKS.items()),
    )
    parser.add_argument("task", choices=TASKS, metavar="TASK")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="passed on to the task")
    chosen = parser.parse_args(arguments)
    try:
        python = environment.ensure()
        return TASKS[chosen.task][0](python, chosen.arguments)
    except (environment.SetupError, OSError) as error:
        print(f"make {chosen.task}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
