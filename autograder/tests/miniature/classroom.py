"""A course directory with a class in it."""

from miniature.handed_in import honest
from miniature.source import NAME
from pdgrade.course import open_course
from pdgrade.export import read_grades
from pdgrade.grading.batch import BatchOptions, grade_class
from pdgrade.grading.settings import GradingSettings
from pdgrade.limits import Limits

CONFIG = 'c = get_config()\nc.CourseDirectory.course_id = "class"\n'
LIMITS = Limits(call_wall_s=3.0, cell_wall_s=4.0, question_wall_s=12.0, memory_mib=256)


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
