"""Panels in a kernel without a front end, as nbclient and nbval run notebooks."""

from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

FUNCTIONS = (Path(__file__).parent / "learner_functions.py").read_text(encoding="utf-8")
WIDGET = "application/vnd.jupyter.widget-view+json"
CELLS = (
    FUNCTIONS,
    "from pdsched import panels\nfrom pdsched.panels import registry",
    "panels.request_mix(right_mix)",
    "panels.chunk_boundaries(predict=False)",
    "panels.iteration_timeline(over_budget, predict=False)",
    "panels.pd_pools(right_split, predict=False)",
    "panels.decision(right_decision, predict=False)",
    "build_chunked_prefill_plan = right_chunks",
    "[panel.last.state for panel in registry.panels()]",
    "panels.show('chunk_boundaries', suffix=13, chunk_size=5)",
)


@pytest.fixture(scope="module")
def outputs():
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3").execute()
    return [cell.outputs for cell in book.cells]


@pytest.mark.slow
def test_every_panel_displays_as_a_widget_with_words_beside_it(outputs):
    for shown in outputs[2:7]:
        (output,) = shown
        assert WIDGET in output["data"]
        assert len(output["data"]["text/plain"]) > 20


@pytest.mark.slow
def test_a_later_cell_brings_the_unwritten_panel_alive(outputs):
    states = outputs[8][0]["data"]["text/plain"]
    assert states == "['unwritten', 'right', 'wrong', 'right', 'right']"


@pytest.mark.slow
def test_the_static_twin_is_an_svg_with_its_words(outputs):
    data = outputs[9][0]["data"]
    assert data["image/svg+xml"].startswith("<svg")
    assert "3 块" in data["text/plain"]
