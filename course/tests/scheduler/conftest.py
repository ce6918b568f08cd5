"""English messages for matching."""

import pytest

from pdsched import messages


@pytest.fixture(autouse=True)
def _english():
    messages.set_language("en")
    yield
    messages.set_language(None)
