"""A course directory with a class in it."""

import shutil

import pytest
from miniature import NAME, honest, write_source
from miniature.handed_in import released

from pdgrade.course import open_course
from pdgrade.export import read_grades
from pdgrade.gradebook.writer import GradebookWriter
from pdgrade.grading.batch import BatchOptions, grade_class
from pdgrade.grading.settings import GradingSettings
from pdgrade.limits import Limits

CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "class"\n'
LIMITS = Limits(call_wall_s=1.0, cell_wall_s=2.0, question_wall_s=6.0, memory_mib=256)


class Classroom:
    """A course directory for tests: hand in, grade, look."""

    def __init__(self, root):
        self.root = root
        self.course = open_course(root)
        self.assignment = self.course.assignment()

    def configure(self, line):
        (self.root / "nbgrader_config.py").write_text(CONFIG + line + "\n")
        self.course = open_course(self.root)

    def hand_in(self, student, handed=None, timestamp=""):
        folder = (handed or honest()).write(self.root / "submitted" / student / NAME)
        if timestamp:
            (folder / "timestamp.txt").write_text(timestamp)
        return folder

    def grade(self, **options):
        settings = options.pop("settings", GradingSettings(limits=LIMITS))
        options = BatchOptions(**{"jobs": 1, "settings": settings, **options})
        return grade_class(self.course, self.assignment, options)

    def scores(self):
        """What the gradebook says: (student, score without penalty)."""
        return {g.student: g.score for g in read_grades(self.course, self.assignment)}


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
