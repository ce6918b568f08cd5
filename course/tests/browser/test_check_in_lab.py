"""``check`` in a real JupyterLab: readable in both themes, drawn, known to a new kernel."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import lab

TARGET = Path(__file__).parents[3] / "build" / "screenshots" / "feedback"
WRONG = """
def plan_iteration_budget(prefill_suffixes, decode_request_ids, max_num_batched_tokens,
                          max_prefill_chunk_tokens, policy="balanced", decode_reserve_tokens=1):
    return {"decode_request_ids": list(decode_request_ids), "prefill_chunks": []}
"""
CHECK = "from pdsched.feedback import check, hint, progress\ncheck(3)"
# Contrast of the text of an element against the first opaque background behind it (WCAG 2).
CONTRAST = """(element) => {
  const parse = (c) => c.match(/[0-9.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let behind = element;
  let colour = parse(getComputedStyle(behind).backgroundColor);
  while (colour.length === 4 && colour[3] < 1 && behind.parentElement) {
    behind = behind.parentElement;
    colour = parse(getComputedStyle(behind).backgroundColor);
  }
  const pair = [light(parse(getComputedStyle(element).color)), light(colour)].sort((a, b) => b - a);
  return (pair[0] + 0.05) / (pair[1] + 0.05);
}"""


@pytest.fixture(scope="module")
def address(folder):
    patch = pytest.MonkeyPatch()
    patch.setenv("PDSCHED_HOME", str(folder / ".progress"))
    with lab.serve(folder) as where:
        yield where
    patch.undo()


def test_a_failed_check_is_readable_in_light_and_dark(page, address, folder):
    lab.write_notebook(folder / "failed.ipynb", WRONG, CHECK, "hint(3)")
    lab.open_notebook(page, address, "failed.ipynb")
    card = page.locator(".pdsched-check").first
    card.wait_for()
    assert card.locator("svg").count() == 1
    assert "max_num_batched_tokens" in card.locator("svg").text_content()
    TARGET.mkdir(parents=True, exist_ok=True)
    for theme in ("Light", "Dark"):
        page.evaluate(
            "(theme) => window.jupyterapp.commands.execute('apputils:change-theme', {theme})",
            f"JupyterLab {theme}",
        )
        page.wait_for_function(
            "(light) => document.body.dataset.jpThemeLight === light",
            arg=str(theme == "Light").lower(),
        )
        for part in ("strong", "td", "summary", "td span", "div > span"):
            for element in card.locator(part).all():
                assert element.evaluate(CONTRAST) >= 4.5, (theme, part, element.inner_text())
        card.screenshot(path=str(TARGET / f"check3-{theme.lower()}.png"))
    assert page.locator(".pdsched-hint").is_visible()


def test_a_new_kernel_remembers_the_progress(page, address, folder):
    lab.write_notebook(folder / "first.ipynb", WRONG, CHECK)
    lab.open_notebook(page, address, "first.ipynb")
    page.locator(".pdsched-check").first.wait_for()
    lab.write_notebook(folder / "second.ipynb", "from pdsched.feedback import progress\nprogress()")
    lab.open_notebook(page, address, "second.ipynb")
    chips = page.locator(".jp-OutputArea-output", has_text="TODO 3").first
    chips.wait_for()
    assert "TODO 3 ◐" in chips.inner_text()
