"""Every part can be imported first: no circle hides behind another part's import."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module", ["panels", "learner", "feedback", "simulator", "figures", "environment"]
)
def test_a_part_can_be_imported_alone(module):
    subprocess.run([sys.executable, "-c", f"import pdsched.{module}"], check=True, timeout=60)


def test_the_panels_need_the_standard_library_and_ipywidgets_only():
    """Pyodide has no numpy offline, and plotly is slow to import: a panel waits for neither."""
    script = (
        "import sys, pdsched.panels\n"
        "loaded = {'numpy', 'pandas', 'plotly', 'anywidget', 'typer', 'rich'} & set(sys.modules)\n"
        "assert not loaded, loaded"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
