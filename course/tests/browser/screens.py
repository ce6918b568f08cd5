"""Take every panel's picture in every state, light and dark, for people to look at.

As a script: ``python course/tests/browser/screens.py [folder]``; the browser tests call `shoot`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import lab

FUNCTIONS = Path(__file__).parents[1] / "panels" / "learner_functions.py"
PANELS = {
    "request_mix": ("right_mix", "natural_mix", "threshold=64, count=100, workload='reasoning'"),
    "chunk_boundaries": (
        "right_chunks", "lost_tail", "prefix=16384, suffix=131072, chunk_size=1"),
    "iteration_timeline": (
        "right_plan", "over_budget", "budget=1, cap=1, chats=100, prompt=131072, view='ms'"),
    "pd_pools": (
        "right_split", "careless_split", "prefill=4, decode=4, shared=4, count=100, rate=64"),
    "decision": (
        "right_decision", "throughput_only", "max_handoff=500, link='ethernet-25g', slo_ttft=50"),
}  # fmt: skip
STATES = ("unwritten", "right", "wrong", "extreme")
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


def notebook(folder: Path, name: str) -> str:
    """A notebook with one panel in its four states; its file name."""
    right, wrong, extreme = PANELS[name]
    cells = [
        FUNCTIONS.read_text(encoding="utf-8"),
        "from pdsched import panels",
        f"panels.{name}()",
        f"panels.{name}({right}, predict=False)",
        f"panels.{name}({wrong}, predict=False)",
        f"panels.{name}({right}, predict=False, {extreme})",
    ]
    lab.write_notebook(folder / f"{name}.ipynb", *cells)
    return f"{name}.ipynb"


def shoot(target: Path, theme: str, *, app: str = "lab") -> Iterator[Path]:
    """Screenshots of every panel in every state under one theme."""
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = Path(place)
        names = {name: notebook(folder, name) for name in PANELS}
        with lab.serve(folder, theme=THEMES[theme], app=app) as address:
            for name, file in names.items():
                with lab.chromium(height=2000) as page:
                    lab.open_notebook(page, address, file, app=app)
                    page.wait_for_function(
                        "() => document.querySelectorAll('.pd-live').length === 4", timeout=60_000
                    )
                    page.wait_for_timeout(600)
                    for number, state in enumerate(STATES):
                        panel = page.locator(".pd-live").nth(number)
                        panel.scroll_into_view_if_needed()
                        path = target / f"{name}-{state}-{theme}.png"
                        panel.screenshot(path=path)
                        yield path


if __name__ == "__main__":
    where = Path(sys.argv[1] if len(sys.argv) > 1 else "build/screenshots/panels")
    for each in THEMES:
        for picture in shoot(where, each):
            print(picture)
