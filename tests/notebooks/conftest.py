"""What the notebook tests share: the course's cells and the reference functions in them."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "prefill-decode-scheduling"


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source_of(cell):
    return "".join(cell["source"])


def is_solution(cell):
    return cell["metadata"].get("nbgrader", {}).get("solution", False)


def is_test(cell):
    return cell["metadata"].get("nbgrader", {}).get("grade", False)


@pytest.fixture(scope="session")
def course_root():
    return ROOT


@pytest.fixture(scope="session")
def source_notebooks():
    """Name of a notebook → its cells, as the instructor wrote them."""
    paths = sorted((ROOT / "source" / ASSIGNMENT).glob("*.ipynb"))
    return {path.stem: cells_of(path) for path in paths}


@pytest.fixture(scope="session")
def released_notebooks():
    """Name of a notebook → its cells, as learners open it."""
    paths = sorted((ROOT / "release" / ASSIGNMENT).glob("*.ipynb"))
    return {path.stem: cells_of(path) for path in paths}


@pytest.fixture(scope="session")
def solutions(source_notebooks):
    """Namespace of every reference function, from the solution cells alone."""
    namespace = {}
    for cells in source_notebooks.values():
        for cell in filter(is_solution, cells):
            exec(source_of(cell), namespace)
    return namespace
