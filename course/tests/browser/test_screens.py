"""Pictures of every panel in every state, light and dark, kept under build/ to be looked at."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import screens

TARGET = Path(__file__).parents[3] / "build" / "screenshots" / "panels"


@pytest.mark.parametrize("theme", screens.THEMES)
def test_every_panel_in_every_state_leaves_a_picture(theme):
    pictures = list(screens.shoot(TARGET, theme))
    assert len(pictures) == len(screens.PANELS) * len(screens.STATES)
    assert all(path.stat().st_size > 15_000 for path in pictures)
