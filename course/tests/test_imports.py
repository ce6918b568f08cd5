"""Every part can be imported first: no circle hides behind another part's import."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module", ["panels", "learner", "feedback", "simulator", "figures", "environment"]
)
def test_a_part_can_be_imported_alone(module):
    subprocess.run([sys.executable, "-c", f"import pdsched.{module}"], check=True, timeout=60)
