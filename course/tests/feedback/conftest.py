"""Progress in a folder of the test's own, nothing defined by a notebook."""

import pytest

from pdsched.feedback import progress_store


@pytest.fixture(autouse=True)
def _own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("PDSCHED_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(progress_store, "_known", {})
    # Another test of the same process may have loaded the learner's functions.
    monkeypatch.setattr("pdsched.learner.loading._last_loaded", [])
