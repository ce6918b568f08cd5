"""One JupyterLab and one browser for a module of tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import lab


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.fspath).parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)
            if lab.why_not():
                item.add_marker(pytest.mark.skip(reason=lab.why_not()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def address(folder):
    with lab.serve(folder) as where:
        yield where


@pytest.fixture
def page():
    with lab.chromium(height=1600) as opened:
        yield opened
