"""Fixtures for the grader's tests."""

import pytest
from miniature import write_source

from pdgrade import assignment


@pytest.fixture(scope="session")
def miniature(tmp_path_factory):
    """The small assignment, as the grader reads it."""
    return assignment.load(write_source(tmp_path_factory.mktemp("course")))
