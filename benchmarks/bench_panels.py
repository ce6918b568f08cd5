"""Panels in a real Chromium: from a key press to painted pixels, and what stays in memory.

    python -m benchmarks.bench_panels [--moves 30] [--memory 1000] [--out FILE.json]

Keys are pressed on a slider's handle in JupyterLab; the clock starts with the browser's keydown
event and stops after the frame in which the new picture was painted. A plain ``W.HTML`` behind an
``IntSlider`` is measured in the same run: what the front end and the kernel take for any picture.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "course" / "tests" / "browser"))
import lab  # noqa: E402

FUNCTIONS = (ROOT / "course" / "tests" / "panels" / "learner_functions.py").read_text("utf-8")
PANELS = {  # panel: the learner's function, the slider that is moved, the limit of p95 in ms
    "request_mix": ("right_mix", "阈值", 70),
    "chunk_boundaries": ("right_chunks", "chunk_size", 70),
    "iteration_timeline": ("right_plan", "每轮预算", 100),
    "pd_pools": ("right_split", "long_prompt", 100),
    "decision": ("right_decision", "max_handoff", 100),
}
PLAIN = """
import ipywidgets as W
slider = W.IntSlider(50, 0, 100, description='plain')
shown = W.HTML('<div class="pd-probe">0</div>')
def answer(change):
    shown.value = f'<div class="pd-probe">{change["new"]}</div>'
slider.observe(answer, 'value')
box = W.VBox([slider, shown]); box.add_class('pd-live'); box
"""
COMPUTE = """
import time, json
def moves(panel, count=30):
    moved = ('threshold', 'chunk_size', 'budget', 'long_prompt', 'max_handoff')
    control = next(c for c in panel.spec.controls() if c.name in moved)
    wall, cpu = [], []
    for i in range(count):
        panel.controls._quiet = True
        panel.controls.widgets[control.name].value = control.values[i % len(control.values)]
        panel.controls._quiet = False
        w, c = time.perf_counter(), time.process_time()
        panel.refresh()
        wall.append((time.perf_counter() - w) * 1e3); cpu.append((time.process_time() - c) * 1e3)
    return {'wall': wall, 'cpu': cpu}
"""
MEMORY = """
import psutil, gc
from ipywidgets.widgets import widget as _w
def resident():
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20, len(_w._instances)
def move_many(panel, count):
    for i in range(count):
        panel.controls.widgets['budget'].value = (512, 1024, 2048, 4096)[i % 4]
"""
WATCH = """(live) => {
  window.__took = [];
  let start = null;
  document.addEventListener('keydown', e => { start = e.timeStamp; }, true);
  new MutationObserver(() => {
    if (start === null) return;
    const began = start; start = null;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => window.__took.push(performance.now() - began);
      channel.port2.postMessage(0);
    });
  }).observe(live, {subtree: true, childList: true});
}"""
# The observer must see the picture only: the slider's own handle is not a child list change, but
# a status line may be, so it watches the widget that holds the SVG.
HOLDER = """(live) => (live.querySelector('svg.pd') || live.querySelector('.pd-probe'))
  .closest('.widget-html-content')"""


@contextmanager
def notebook(*cells: str) -> Iterator[tuple[Any, Any]]:
    """A page with the cells open but not run, and its panels' locator."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        lab.write_notebook(Path(place) / "bench.ipynb", *cells)
        with lab.serve(Path(place)) as address, lab.chromium(height=1500) as page:
            lab.open_notebook(page, address, "bench.ipynb")
            yield page, page.locator(".pd-live")


def percentile(values: list[float], share: float) -> float:
    """The value at ``share`` of the sorted values (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def key_presses(page: Any, panel: Any, label: str, moves: int) -> list[float]:
    """Milliseconds from each key press to painted pixels."""
    panel.scroll_into_view_if_needed()
    panel.evaluate_handle(HOLDER).evaluate(WATCH)
    handle = panel.locator(".widget-slider", has_text=label).locator(".noUi-handle")
    handle.focus()
    keys = ["ArrowLeft"] * 2 + ["ArrowRight", "ArrowLeft"] * moves
    for number, key in enumerate(keys[: moves + 2]):
        page.keyboard.press(key)
        page.wait_for_function("n => window.__took.length >= n", arg=number + 1, timeout=20_000)
        page.wait_for_timeout(120)
    return list(page.evaluate("window.__took"))[2:]


def latency(moves: int) -> dict[str, dict[str, float]]:
    """Every panel and the plain probe, each in a notebook of its own."""
    found = {}
    cases = {"plain W.HTML": (PLAIN, "plain", 0)}
    for name, (function, label, limit) in PANELS.items():
        cell = f"from pdsched import panels\npanels.{name}({function}, predict=False)"
        cases[name] = (cell, label, limit)
    for name, (cell, label, limit) in cases.items():
        with notebook(FUNCTIONS, cell) as (page, panels):
            panels.first.locator("svg.pd, .pd-probe").first.wait_for()
            page.wait_for_timeout(800)
            took = key_presses(page, panels.first, label, moves)
        found[name] = {
            "median_ms": round(statistics.median(took), 1),
            "p95_ms": round(percentile(took, 0.95), 1),
            "limit_ms": limit,
        }
        print(f"{name:20} {found[name]}", flush=True)
    return found


def output_of(page: Any, number: int) -> Any:
    """The JSON a code cell printed."""
    cell = page.locator(".jp-CodeCell").nth(number)
    words = cell.locator(".jp-OutputArea-output pre").filter(has_text=re.compile(r"\S")).first
    words.wait_for(timeout=300_000)
    return json.loads(words.inner_text())


def kernel_side(memory: int) -> dict[str, Any]:
    """Compute times in the kernel, and memory over many moves with the page attached."""
    shown = [f"panels.{name}({function}, predict=False)" for name, (function, _, _) in
             PANELS.items()]  # fmt: skip
    ask = "print(json.dumps({p.spec.key: moves(p) for p in registry.panels()}))"
    timeline = "panel = [p for p in registry.panels() if p.spec.key == 'iteration_timeline'][0]"
    many = (
        f"{timeline}\nmove_many(panel, 100); before = resident(); move_many(panel, {memory})\n"
        "print(json.dumps([before, resident()]))"
    )
    first = "from pdsched import panels\nfrom pdsched.panels import registry"
    cells = [FUNCTIONS, first, COMPUTE, MEMORY, *shown, ask, many]
    with notebook(*cells) as (page, _):
        computed = output_of(page, 4 + len(shown))
        before, after = output_of(page, 5 + len(shown))
    compute = {
        name: {f"{kind}_{label}_ms": round(value, 1) for kind in ("wall", "cpu") for label, value in
               (("median", statistics.median(took[kind])), ("p95", percentile(took[kind], 0.95)))}
        for name, took in computed.items()
    }  # fmt: skip
    return {
        "compute": compute,
        "memory": {
            "moves": memory,
            "rss_mb": [round(before[0], 1), round(after[0], 1)],
            "widgets": [before[1], after[1]],
        },
    }


def first_panel() -> float:
    """Seconds from running a panel's cell in a fresh kernel to its picture, imports included."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        cell = "from pdsched import panels\npanels.request_mix()"
        lab.write_notebook(Path(place) / "first.ipynb", cell)
        with lab.serve(Path(place)) as address, lab.chromium() as page:
            lab.open_notebook(page, address, "first.ipynb", run=False)
            page.wait_for_timeout(1500)
            took = page.evaluate(
                f"""async () => {{
                  const began = performance.now();
                  {lab.RUN_ALL};
                  while (!document.querySelector('svg.pd'))
                    await new Promise(requestAnimationFrame);
                  await new Promise(requestAnimationFrame);
                  return performance.now() - began;
                }}"""
            )
    return round(float(took) / 1000, 2)


def main() -> None:
    """Measure and print; write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=30)
    parser.add_argument("--memory", type=int, default=1000)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    if lab.why_not():
        sys.exit(f"bench_panels: {lab.why_not()}")
    result: dict[str, Any] = {
        "machine": f"{platform.platform()}, {os.cpu_count()} CPUs, Python "
        f"{platform.python_version()}, load {os.getloadavg()[0]:.1f}",
        "first_panel_s": first_panel(),
    }
    print(result, flush=True)
    result.update(kernel_side(chosen.memory))
    print(json.dumps({"compute": result["compute"], "memory": result["memory"]}, indent=1))
    result["key_to_pixels"] = latency(chosen.moves)
    if chosen.out:
        chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
