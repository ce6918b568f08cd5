"""Panels in JupyterLite: Python runs in the browser (Pyodide), and nothing reaches the network.

The site is built from what ``python make.py lite --fetch`` has brought; without it these skip.
"""

import re
import shutil
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))
sys.path.insert(0, str(Path(__file__).parents[1] / "panels"))
sys.path.insert(0, str(Path(__file__).parent))
import lab
import learner_functions as learner

import jupyterlite_site as lite

SOURCE = Path(learner.__file__).read_text(encoding="utf-8")
ROOT = Path(__file__).parents[3]
RELEASED = ROOT / "release" / "prefill-decode-scheduling"
STEPS = sorted(path.stem for path in RELEASED.glob("*.ipynb"))
TARGET = ROOT / "build" / "screenshots" / "jupyterlite"
# Panel, the learner's function, the slider that is moved.
PANELS = {
    "request_mix": ("right_mix", "阈值"),
    "chunk_boundaries": ("right_chunks", "chunk_size"),
    "iteration_timeline": ("right_plan", "每轮预算"),
    "pd_pools": ("right_split", "long_prompt"),
    "decision": ("right_decision", "max_handoff"),
}
STOPPED = """
import time
def summarize_request_mix(requests, long_prompt_threshold):
    while long_prompt_threshold == 3072:
        try:
            sum(range(9))
        except:
            continue
    return right_mix(requests, long_prompt_threshold)
def build_chunked_prefill_plan(suffix_tokens, chunk_size):
    time.sleep(3)
    return right_chunks(suffix_tokens, chunk_size)
"""
PLACE = """
import sys, signal, threading
from pdsched import environment
print(sys.platform, environment.host(), hasattr(signal, 'setitimer'))
try:
    threading.Thread(target=print).start()
except RuntimeError as error:
    print(error)
"""
# Run All stops at the first question that has no answer yet; a learner runs cell by cell.
EACH_CELL = """async () => {
  const app = window.jupyterapp, book = app.shell.currentWidget.content, outputs = [];
  for (let i = 0; i < book.widgets.length; i++) {
    if (book.widgets[i].model.type !== 'code') continue;
    book.activeCellIndex = i;
    await app.commands.execute('notebook:run-cell').catch(() => null);
    outputs.push(...book.widgets[i].model.outputs.toJSON());
  }
  return outputs;
}"""

pytestmark = pytest.mark.skipif(
    not lite.is_fetched(lite.KIT), reason="no JupyterLite here: python make.py lite --fetch"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a site with the released notebooks and three of our own."""
    books = tmp_path_factory.mktemp("books")
    for step in STEPS:
        shutil.copy(RELEASED / f"{step}.ipynb", books)
    shown = [f"panels.{name}({right}, predict=False)" for name, (right, _) in PANELS.items()]
    start = "from pdsched import panels"
    lab.write_notebook(books / "all.ipynb", SOURCE, start, *shown)
    stopped = ["panels.request_mix(predict=False)", "panels.chunk_boundaries(predict=False)"]
    lab.write_notebook(books / "stopped.ipynb", SOURCE, STOPPED, start, *stopped)
    lab.write_notebook(books / "place.ipynb", PLACE)
    folder = tmp_path_factory.mktemp("lite") / "site"
    lite.build(Path(sys.executable), lite.KIT, folder, books)
    server = lite.serve(folder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def page():
    with lab.chromium(height=1600, offline=True) as opened:
        opened.set_default_timeout(90_000)
        yield opened


def opened(page, site, name, *, run=True):
    """Open a notebook of the site; returns a list that fills with addresses outside of it."""
    outside = []

    def note(request):
        if not request.url.startswith((site, "data:", "blob:")):
            outside.append(request.url)

    page.context.on("request", note)
    page.goto(f"{site}/lab/index.html?path={name}.ipynb")
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
        "?.connectionStatus === 'connected'"
    )
    if run:
        page.evaluate(lab.RUN_ALL)
    return outside


def press_right(panel, label):
    handle = panel.locator(".widget-slider", has_text=label).locator(".noUi-handle")
    handle.focus()
    handle.press("ArrowRight")


def state(panel):
    return panel.locator(".pd-state").get_attribute("data-state")


def panel_of(page, name):
    return page.locator(".pd-live", has=page.locator(f"svg[data-scene={name}]"))


def test_a_folder_with_something_else_in_it_is_not_replaced_by_a_site(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(OSError, match="something else"):
        lite.build(Path(sys.executable), lite.KIT, tmp_path, RELEASED)
    assert (tmp_path / "thesis.txt").exists()


def test_every_panel_answers_by_the_learners_function_without_a_network(page, site):
    outside = opened(page, site, "all")
    page.wait_for_function(f"() => document.querySelectorAll('svg.pd').length === {len(PANELS)}")
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, (_, label) in PANELS.items():
        panel = panel_of(page, name)
        assert state(panel) == "right"
        before = panel.locator("svg.pd").inner_html()
        press_right(panel, label)
        page.wait_for_function(
            "([svg, was]) => document.querySelector(svg).innerHTML !== was",
            arg=[f"svg[data-scene={name}]", before],
        )
        assert state(panel) == "right"
        panel.screenshot(path=TARGET / f"{name}.png")
    chunks = learner.right_chunks(list(range(8, 56)), 8)
    shown = panel_of(page, "chunk_boundaries").locator(".pd-strip b").all_inner_texts()
    assert shown[:2] == [str(len(chunks)), f"{len(chunks[-1])} token"]
    assert outside == []


def test_an_endless_function_is_stopped_and_the_panel_answers_the_next_move(page, site):
    opened(page, site, "stopped")
    panel = page.locator(".pd-live").first
    panel.locator(".pd-state[data-state=right]").wait_for()
    press_right(panel, "阈值")
    panel.locator(".pd-state[data-state=hung]").wait_for()
    assert "summarize_request_mix" in panel.locator(".pd-state").inner_text()
    press_right(panel, "阈值")
    panel.locator(".pd-state[data-state=right]").wait_for()


def test_a_sleeping_function_is_named_when_it_wakes(page, site):
    opened(page, site, "stopped")
    page.locator(".pd-live").nth(1).locator(".pd-state[data-state=hung]").wait_for()


def test_there_is_neither_a_timer_nor_a_second_thread(page, site):
    """What the guard is written for; with either of them it could stop a sleeping function too."""
    opened(page, site, "place")
    said = page.locator(".jp-OutputArea-output pre").first
    said.wait_for()
    assert said.inner_text().splitlines() == [
        "emscripten jupyterlite False", "can't start new thread",
    ]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_every_cell_of_a_released_step_runs_and_only_asks_for_answers(page, site, step):
    outside = opened(page, site, step, run=False)
    outputs = page.evaluate(EACH_CELL)
    raised = {re.findall(r"\w+", each["ename"])[-1] for each in outputs if "ename" in each}
    assert raised == {"CheckFailure"}
    assert any("pdsched-check" in str(each) for each in outputs)
    page.locator(".pd-live .pd-state[data-state=predict]").first.wait_for()
    assert outside == []
