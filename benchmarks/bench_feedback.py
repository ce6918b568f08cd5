"""How long a learner waits for ``check`` and a grader for the hidden tests.

``python benchmarks/bench_feedback.py``: medians of the run, on this machine, of

* the first ``check`` of a fresh process (with its imports) and later ones, for a right answer, an
  unwritten one and every typical wrong answer of the bank, report drawn as HTML each time;
* one property and all 23 on a right answer in process.

The promise is 300 ms for a check.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

BANK = Path(__file__).parents[1] / "autograder" / "tests" / "bank"
FIRST = """
import time; start = time.perf_counter()
from pdsched.feedback import check
def f(*a, **k): return {}
check(3, f)._repr_html_()
print(time.perf_counter() - start)
"""


def milliseconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def function_of(source: str, todo: int) -> Callable[..., Any]:
    from pdsched.contracts import contract

    namespace: dict[str, Any] = {}
    exec(compile(source, f"<todo{todo}>", "exec"), namespace)
    return namespace[contract(todo).function]


def wrong_functions(todo: int) -> list[Callable[..., Any]]:
    plain = (BANK / f"todo{todo}" / "correct" / "plain.py").read_text(encoding="utf-8")
    found = []
    for case in runpy.run_path(str(BANK / f"todo{todo}" / "wrong.py"))["WRONG"]:
        source = plain
        for old, new in case["edits"]:
            source = source.replace(old, new)
        found.append(function_of(source, todo))
    return found


def unwritten(*_args: object, **_kwargs: object) -> None:
    raise NotImplementedError


def main() -> None:
    from pdgrade.hidden import PROPERTIES, keeps
    from pdsched.feedback import check

    first = [
        float(subprocess.run([sys.executable, "-c", FIRST], capture_output=True, check=True).stdout)
        for _ in range(5)
    ]
    print(f"first check of a process, imports included: {median(first) * 1000:.0f} ms")
    print("| TODO | right ms | unwritten ms | wrong, median ms | wrong, slowest ms |")
    print("|---|--:|--:|--:|--:|")
    rights = {}
    for todo in range(1, 6):
        plain = (BANK / f"todo{todo}" / "correct" / "plain.py").read_text(encoding="utf-8")
        rights[todo] = right = function_of(plain, todo)

        def timed(function: Callable[..., Any], todo: int = todo) -> float:
            runs = [milliseconds(lambda: check(todo, function)._repr_html_()) for _ in range(5)]
            return median(runs)

        wrong = [timed(function) for function in wrong_functions(todo)]
        print(
            f"| {todo} | {timed(right):.1f} | {timed(unwritten):.1f} | {median(wrong):.1f} "
            f"| {max(wrong):.1f} |"
        )
    todos = [name for name in PROPERTIES if name.startswith("todo")]

    def timed_property(name: str) -> float:
        right = rights[int(name[4])]
        return median(milliseconds(lambda: keeps(name, right, 1)) for _ in range(5))

    each = [timed_property(name) for name in todos]
    print(f"{len(todos)} hidden properties in process: {sum(each):.0f} ms, slowest {max(each):.0f}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ["PDSCHED_HOME"] = home
        main()
