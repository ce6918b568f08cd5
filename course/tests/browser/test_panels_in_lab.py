"""Panels in a real JupyterLab: keys in, picture out, compared with the learner's own function."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "panels"))
import lab
import learner_functions as learner

SOURCE = Path(learner.__file__).read_text(encoding="utf-8")
SHOW = "from pdsched import panels\npanels.{}"


def opened(page, address, folder, name, *cells, panels=1):
    lab.write_notebook(folder / f"{name}.ipynb", *cells)
    lab.open_notebook(page, address, f"{name}.ipynb")
    page.wait_for_function(f"() => document.querySelectorAll('.pd-live').length === {panels}")
    return page.locator(".pd-live").first


def handle(panel, label):
    return panel.locator(".widget-slider", has_text=label).locator(".noUi-handle")


def numbers(panel):
    return panel.locator(".pd-strip b").all_inner_texts()


def state(panel):
    return panel.locator(".pd-state").get_attribute("data-state")


def becomes(panel, wanted, timeout_ms=20_000):
    panel.locator(f".pd-state[data-state={wanted}]").wait_for(timeout=timeout_ms)


def squares(panel, role):
    """Token squares of a role in the chunk rows: the rectangles of its path."""
    paths = panel.locator(f"[data-plot=chunks] path.m[data-role={role}]")
    return sum(path.get_attribute("d").count("M") for path in paths.all())


def test_arrow_keys_move_chunk_size_and_the_picture_follows_the_function(page, address, folder):
    panel = opened(
        page,
        address,
        folder,
        "keys",
        SOURCE,
        SHOW.format("chunk_boundaries(right_chunks, predict=False)"),
    )
    becomes(panel, "right")
    handle(panel, "chunk_size").focus()
    for size in (8, 16, 32):
        page.keyboard.press("ArrowRight")
        chunks = learner.right_chunks(list(range(8, 56)), size)
        page.wait_for_function(
            "n => document.querySelector('.pd-strip b')?.innerText === n", arg=str(len(chunks))
        )
        assert numbers(panel)[1] == f"{len(chunks[-1])} token"
        if size <= 24:
            drawn = squares(panel, "prefill") + squares(panel, "prefill_alt")
            assert drawn == sum(map(len, chunks)) == 48


def test_redefining_the_function_in_a_cell_redraws_the_panel_above(page, address, folder):
    wrong = SOURCE + "\nbuild_chunked_prefill_plan = lost_tail"
    right = "build_chunked_prefill_plan = right_chunks"
    lab.write_notebook(
        folder / "again.ipynb", SHOW.format("chunk_boundaries(predict=False)"), wrong, right
    )
    page.goto(f"{address}/doc/tree/again.ipynb")
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
        "?.connectionStatus === 'connected'"
    )

    def run_next():
        page.evaluate("window.jupyterapp.commands.execute('notebook:run-cell-and-select-next')")

    run_next()
    panel = page.locator(".pd-live").first
    becomes(panel, "unwritten")
    assert "TODO 2" in panel.inner_text()
    run_next()
    becomes(panel, "wrong")
    assert panel.locator("path[data-role=error]").count() > 0
    run_next()
    becomes(panel, "right")
    assert numbers(panel)[0] == "10"


def test_a_hanging_function_is_named_and_the_panel_answers_the_next_move(page, address, folder):
    cell = """
def build_chunked_prefill_plan(tokens, chunk_size):
    while chunk_size == 8:
        pass
    return right_chunks(tokens, chunk_size)
"""
    panel = opened(
        page, address, folder, "hang", SOURCE, cell, SHOW.format("chunk_boundaries(predict=False)")
    )
    becomes(panel, "right")
    handle(panel, "chunk_size").focus()
    page.keyboard.press("ArrowRight")
    becomes(panel, "hung", timeout_ms=5000)
    assert "build_chunked_prefill_plan" in panel.locator(".pd-state").inner_text()
    page.keyboard.press("ArrowRight")
    becomes(panel, "right")


def test_predict_by_keyboard_alone_then_the_outcome_is_set_against_it(page, address, folder):
    panel = opened(
        page, address, folder, "predict", SOURCE, SHOW.format("chunk_boundaries(right_chunks)")
    )
    becomes(panel, "predict")
    assert panel.locator(".pd-strip").count() == 0
    field = panel.locator(".pd-guess input")
    field.focus()
    field.fill("9")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    becomes(panel, "right")
    verdict = panel.locator("[data-prediction]").inner_text()
    assert "9" in verdict
    assert "10" in verdict
    assert "✗" in verdict
    assert panel.locator("path[data-role=prediction]").count() == 1


def test_focus_on_an_iteration_says_why(page, address, folder):
    panel = opened(
        page, address, folder, "why", SOURCE,
        SHOW.format("iteration_timeline(right_plan, predict=False, seats=8)"),
    )  # fmt: skip
    becomes(panel, "right")
    column = panel.locator("[data-plot=tokens] .col").nth(5)
    column.focus()
    words = column.locator("text")
    assert words.evaluate("e => getComputedStyle(e).visibility") == "visible"
    assert "max_num_seqs = 8" in words.inner_html()
    assert column.get_attribute("aria-label") == words.text_content()


def test_steps_and_milliseconds_show_the_same_schedule(page, address, folder):
    panel = opened(
        page, address, folder, "axis", SOURCE,
        SHOW.format("iteration_timeline(right_plan, predict=False)"),
    )  # fmt: skip
    becomes(panel, "right")
    before = numbers(panel)
    assert panel.locator("[data-plot=stalls] path[data-role=stall]").count() == 0
    panel.get_by_role("button", name="毫秒").click()
    panel.locator("[data-plot=stalls] path[data-role=stall]").first.wait_for()
    assert numbers(panel) == before


def test_the_next_button_walks_through_the_iterations(page, address, folder):
    panel = opened(
        page, address, folder, "walk", SOURCE,
        SHOW.format("iteration_timeline(right_plan, predict=False)"),
    )  # fmt: skip
    becomes(panel, "right")
    for number in (1, 2, 3):
        panel.get_by_role("button", name=re.compile("下一轮")).click()
        panel.get_by_text(f"▸ 第 {number} 轮").wait_for()
    assert panel.locator("[data-selected]").count() == 1


ALL = {
    "request_mix": "right_mix",
    "chunk_boundaries": "right_chunks",
    "iteration_timeline": "right_plan",
    "pd_pools": "right_split",
    "decision": "right_decision",
}


@pytest.fixture(scope="module")
def all_panels(folder):
    cells = [f"panels.{name}({function}, predict=False)" for name, function in ALL.items()]
    lab.write_notebook(folder / "all.ipynb", SOURCE, "from pdsched import panels", *cells)
    return "all.ipynb"


OUTSIDE = """() => [...document.querySelectorAll('svg.pd')].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(t => {
    if (getComputedStyle(t).visibility === 'hidden') return false;
    const b = t.getBoundingClientRect();
    return b.left < box.left - 1 || b.right > box.right + 1 ||
           b.top < box.top - 1 || b.bottom > box.bottom + 1;
  }).map(t => svg.dataset.scene + ': ' + t.textContent);
})"""


def test_every_label_is_whole_at_1280_pixels(page, address, all_panels):
    lab.open_notebook(page, address, all_panels)
    page.wait_for_function("() => document.querySelectorAll('svg.pd').length === 5")
    page.wait_for_timeout(300)
    assert page.evaluate(OUTSIDE) == []


def test_every_picture_has_a_name_and_a_description_for_a_screen_reader(page, address, all_panels):
    lab.open_notebook(page, address, all_panels)
    page.wait_for_function("() => document.querySelectorAll('svg.pd').length === 5")
    for name in ALL:
        svg = page.locator(f"svg[data-scene={name}]")
        assert svg.get_attribute("role") == "img"
        ids = svg.get_attribute("aria-labelledby").split()
        assert all(page.locator(f"[id='{each}']").text_content().strip() for each in ids)


def test_notebook_7_shows_and_updates_a_panel(page, folder):
    cell = SHOW.format("chunk_boundaries(right_chunks, predict=False)")
    lab.write_notebook(folder / "seven.ipynb", SOURCE, cell)
    with lab.serve(folder, app="notebook") as where:
        lab.open_notebook(page, where, "seven.ipynb", app="notebook")
        panel = page.locator(".pd-live").first
        becomes(panel, "right")
        row = panel.locator(".widget-hbox", has=page.locator(".widget-slider")).filter(
            has_text="chunk_size"
        )
        row.locator("input[type=number]").last.focus()
        page.keyboard.press("ArrowUp")
        page.wait_for_function("() => document.querySelector('.pd-strip b')?.innerText === '6'")
