"""Submissions per minute: `pdgrade grade` against plain `nbgrader autograde`, in one run.

    python -m benchmarks.bench_grading [--submissions 40] [--jobs 2] [--skip-plain]
    python -m benchmarks.bench_grading --class-size 1000 --hostile 0.1 --skip-plain

The same honest submissions of all four notebooks are graded by both, start-up included, on the
same machine, one after the other. With --class-size a whole class is graded, of which a share may
be broken or hostile: every score is compared with what it must be, the memory of the parent is read
from /proc along the way, and what is left behind is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import cache
from pathlib import Path

from pdgrade.assignment import load
from pdgrade.course import open_course
from pdgrade.grading import store
from pdgrade.grading.batch import BatchOptions, grade_class
from pdgrade.release import own_programs_on_path

ROOT = Path(__file__).parents[1]
NAME = "prefill-decode-scheduling"

#: Hostile or broken: what replaces an answer, or the whole file.
HOSTILE = {
    "endless loop": "while True:\n        pass",
    "endless output": "while True:\n        print('x' * 1000)",
    "memory": "x = [bytearray(1 << 24) for _ in range(10000)]",
    "exits": "import os\n    os._exit(0)",
    "crash": "import ctypes\n    ctypes.string_at(0)",
    "forks": "import os\n    while True:\n        os.fork()",
    "reads": "open('/etc/shadow').read()",
    "raises": "raise KeyError('x')",
}
BROKEN = {"html": b"<!DOCTYPE html>", "empty": b"", "truncated": b'{"cells": [{"cell_type": "co'}


def answers() -> dict[str, dict[str, object]]:
    """The four notebooks with the reference answers, as a learner would hand them in."""
    documents = {}
    for path in sorted((ROOT / "source" / NAME).glob("step*.ipynb")):
        document = json.loads(path.read_text(encoding="utf-8"))
        for cell in document["cells"]:
            text = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            text = re.sub(r"### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS", "", text, flags=re.S)
            cell["source"] = re.sub(r"^ *### (BEGIN|END) SOLUTION\n?", "", text, flags=re.M)
        documents[path.name] = document
    return documents


def hand_in(root: Path, count: int, hostile: float) -> dict[str, str]:
    """Write a class; returns of what kind each submission is."""
    chance = random.Random(1)
    documents = answers()
    kinds: dict[str, str] = {}
    for i in range(count):
        folder = root / "submitted" / f"student{i:04}" / NAME
        folder.mkdir(parents=True)
        for name, document in documents.items():
            text = json.dumps(document, ensure_ascii=False)
            (folder / name).write_text(text.replace("学习者", f"学习者{i}"), encoding="utf-8")
        kind = "honest"
        if i < round(count * hostile):
            kind = chance.choice([*HOSTILE, *BROKEN])
            spoil(folder, kind)
        kinds[folder.parent.name] = kind
    return kinds


def spoil(folder: Path, kind: str) -> None:
    """Make one question hostile, or one file unreadable."""
    path = folder / "step2_chunked_prefill.ipynb"
    if kind in BROKEN:
        path.write_bytes(BROKEN[kind])
        return
    document = json.loads(path.read_text(encoding="utf-8"))
    body = f"def build_chunked_prefill_plan(suffix_tokens, chunk_size):\n    {HOSTILE[kind]}\n"
    for cell in document["cells"]:
        if "todo2_build" in cell["metadata"].get("nbgrader", {}).get("grade_id", ""):
            cell["source"] = body
    path.write_text(json.dumps(document), encoding="utf-8")


def course(folder: Path) -> Path:
    """A course directory with this repository's source and configuration."""
    shutil.copytree(ROOT / "source", folder / "source")
    shutil.copy(ROOT / "nbgrader_config.py", folder)
    return folder


def cpu_s() -> float:
    """CPU seconds of all ended children: says more than the clock on a machine that is shared."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def plain_seconds(root: Path) -> tuple[float, float]:
    """Wall and CPU time of nbgrader's own autograde over the class, registering excluded."""
    environment = os.environ | {"PDGRADE_NBGRADER": "off", "JUPYTER_PLATFORM_DIRS": "1"}
    command = [sys.executable, "-m", "nbgrader"]
    with own_programs_on_path():
        environment["PATH"] = os.environ["PATH"]
        for arguments in (["generate_assignment", NAME, "--force"], ["autograde", NAME]):
            started, used = time.perf_counter(), cpu_s()
            subprocess.run(
                [*command, *arguments], cwd=root, env=environment, check=True, capture_output=True
            )
    return time.perf_counter() - started, cpu_s() - used


def isolated_seconds(root: Path, jobs: int) -> tuple[float, float]:
    """Wall and CPU time of the whole `pdgrade grade` command, registering excluded."""
    command = [sys.executable, "-m", "pdgrade", "grade"]
    started, used = time.perf_counter(), cpu_s()
    subprocess.run([*command, "--jobs", str(jobs)], cwd=root, check=False, capture_output=True)
    return time.perf_counter() - started, cpu_s() - used


def memory_mib() -> float:
    """Resident memory of this process."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024  # type: ignore[union-attr]


def whole_class(root: Path, jobs: int, kinds: dict[str, str]) -> None:
    """Grade in this process, watch its memory, and compare every score."""
    found = open_course(root)
    memory: list[float] = []
    count, before = len(kinds), traces()

    options = BatchOptions(jobs=jobs)
    summary = grade_class(found, found.assignment(), options, lambda _: memory.append(memory_mib()))
    marks = [memory[min(len(memory) - 1, int(len(memory) * share))] for share in (0.1, 0.5, 1.0)]
    print(f"class of {count}: {summary.wall_s:.1f} s, {60 * count / summary.wall_s:.0f} per minute")
    print(f"statuses: {dict(summary.count())}; stopped: {summary.stopped or 'no'}")
    print("parent memory at 10, 50, 100 %: " + ", ".join(f"{mib:.0f} MiB" for mib in marks))
    scores = [(line.points, due(line.max_points, kinds[line.student])) for line in summary.lines]
    print(f"right scores: {sum(got == must for got, must in scores)} of {count}", end="; ")
    print(f"unearned points: {sum(max(0.0, got - must) for got, must in scores):g}")
    print(f"median per honest submission: {median_ms(root):.0f} ms")
    print(f"left behind (processes, temporary folders): {sorted(traces() - before) or 'nothing'}")


@cache
def due(full: float, kind: str) -> float:
    """What a submission must earn: a broken file costs its notebook, an answer its question."""
    if kind == "honest":
        return full
    notebook = next(n for n in load(ROOT / "source" / NAME).notebooks if "step2" in n.name)
    lost = [q for q in notebook.questions if kind in BROKEN or "todo2" in q.name]
    return full - sum(test.points for question in lost for test in question.tests)


def traces() -> set[str]:
    """Grading processes and workers that run now, and folders that they were given."""
    folders = [*Path("/dev/shm").glob("pdgrade-*"), *Path(tempfile.gettempdir()).glob("pdgrade-*")]
    running = [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if re.search(r"pdgrade_worker|pdgrade\.grading", _content(path))
    ]
    return {*map(str, folders), *running}


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended
        return ""


def median_ms(root: Path) -> float:
    """Median time that a grading process spent on an honest submission."""
    records = store.load_all(root / "records" / NAME)
    return statistics.median(r.wall_ms for r in records if r.points == r.max_points)


def compare(folder: Path, submissions: int, jobs: int, skip_plain: bool) -> None:
    """The same submissions by both; prints the ratio."""
    ours, theirs = course(folder / "ours"), course(folder / "theirs")
    for root in (ours, theirs):
        hand_in(root, submissions, 0.0)
    with own_programs_on_path():
        environment = os.environ | {"PDGRADE_NBGRADER": "off"}
        command = [sys.executable, "-m", "nbgrader", "generate_assignment", NAME]
        subprocess.run(command, cwd=ours, env=environment, check=True, capture_output=True)
    fast, fast_cpu = isolated_seconds(ours, jobs)
    tell(f"pdgrade grade, {jobs} jobs", submissions, fast, fast_cpu)
    print(f"median per honest submission: {median_ms(ours):.0f} ms")
    if not skip_plain:
        slow, slow_cpu = plain_seconds(theirs)
        tell("nbgrader autograde", submissions, slow, slow_cpu)
        print(f"ratio: {slow / fast:.1f}x by the clock, {slow_cpu / fast_cpu:.1f}x in CPU time")


def tell(what: str, submissions: int, wall: float, cpu: float) -> None:
    """One line of the comparison."""
    rate = 60 * submissions / wall
    print(f"{what}: {wall:.1f} s, {rate:.1f} per minute; CPU {cpu / submissions:.2f} s each")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--submissions", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--class-size", type=int, default=0)
    parser.add_argument("--hostile", type=float, default=0.0)
    parser.add_argument("--skip-plain", action="store_true")
    options = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} CPUs, Python {platform.python_version()}")
    print(f"load average at the start: {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="throughput-") as folder:
        Path(folder).chmod(0o755)
        if options.class_size:
            root = course(Path(folder) / "class")
            kinds = hand_in(root, options.class_size, options.hostile)
            print(dict(Counter(kinds.values())))
            whole_class(root, options.jobs, kinds)
        else:
            compare(Path(folder), options.submissions, options.jobs, options.skip_plain)


if __name__ == "__main__":
    main()
