"""Every graded cell, run in process: the reference passes it, the released stub fails it."""

import pytest


def grading(cell):
    return cell["metadata"].get("nbgrader", {})


def graded(cells):
    return [cell for cell in cells if grading(cell).get("grade")]


def namespace_of(cells):
    namespace = {}
    for cell in cells:
        if grading(cell).get("solution"):
            exec("".join(cell["source"]), namespace)
    return namespace


def failures(test_cells, namespace):
    """grade_id → exception of every test cell that fails, each in its own namespace."""
    failed = {}
    for cell in test_cells:
        try:
            exec("".join(cell["source"]), dict(namespace))
        except AssertionError as failure:
            failed[grading(cell)["grade_id"]] = failure
    return failed


def test_reference_passes_every_visible_and_hidden_test(source_notebooks):
    for cells in source_notebooks.values():
        assert failures(graded(cells), namespace_of(cells)) == {}


def test_reference_passes_every_released_test(source_notebooks, released_notebooks):
    for name, cells in released_notebooks.items():
        assert failures(graded(cells), namespace_of(source_notebooks[name])) == {}


@pytest.mark.parametrize("kind", ["source", "released"])
def test_stub_fails_every_graded_cell_as_unwritten(source_notebooks, released_notebooks, kind):
    notebooks = source_notebooks if kind == "source" else released_notebooks
    for name, cells in notebooks.items():
        failed = failures(graded(cells), namespace_of(released_notebooks[name]))

        assert set(failed) == {grading(cell)["grade_id"] for cell in graded(cells)}
        assert {failure.result.verdict for failure in failed.values()} == {"unwritten"}
