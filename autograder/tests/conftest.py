"""Fixtures for the grader's tests."""

import shutil

import pytest
from miniature import honest, write_source
from miniature.classroom import CONFIG, Classroom
from miniature.handed_in import released

from pdgrade import assignment
from pdgrade.gradebook.writer import GradebookWriter


@pytest.fixture(scope="session")
def miniature(tmp_path_factory):
    """The small assignment, as the grader reads it."""
    return assignment.load(write_source(tmp_path_factory.mktemp("course")))


@pytest.fixture(scope="session")
def registered(tmp_path_factory):
    """A course directory whose gradebook knows the assignment: registering takes seconds."""
    root = tmp_path_factory.mktemp("registered")
    write_source(root)
    (root / "nbgrader_config.py").write_text(CONFIG)
    room = Classroom(root)
    with GradebookWriter(room.course, room.assignment):
        return root


@pytest.fixture(scope="session")
def graded(registered, tmp_path_factory):
    """The same with three submissions, graded once for all tests."""
    root = tmp_path_factory.mktemp("graded") / "course"
    shutil.copytree(registered, root)
    room = Classroom(root)
    room.hand_in("amy")
    room.hand_in("bob", released())
    room.hand_in("张三", honest().answer("concept_1a", "def concept_1a():\n    return 'A'"))
    room.first_summary = room.grade()
    return room


@pytest.fixture
def classroom(registered, tmp_path):
    """An empty class."""
    shutil.copytree(registered, tmp_path, dirs_exist_ok=True)
    return Classroom(tmp_path)


@pytest.fixture
def small_class(graded, tmp_path):
    """Amy has everything right, Bob wrote nothing, 张三 has one choice wrong; all graded."""
    shutil.copytree(graded.root, tmp_path, dirs_exist_ok=True)
    return Classroom(tmp_path)
