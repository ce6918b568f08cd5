"""The repository root is an nbgrader course directory; this file is all of its configuration."""

from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    IncludeHeaderFooter,
    LockCells,
    SaveCells,
)

from pdgrade.nbgrader_plugin import install
from pdgrade.release import StripAuthoring

c = get_config()  # noqa: F821  provided by traitlets

c.CourseDirectory.course_id = "pd-scheduling"
# The reviewed .py pairs stay with the instructor; learners' stray scripts are not copied either.
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "*.py"]

c.ClearSolutions.code_stub = {
    "python": "# 请把你的代码写在这里，并删掉下面这一行。\n"
    'raise NotImplementedError("这个函数还没有写")'
}

# nbgrader's own list, and StripAuthoring where the notebook is saved for learners.
c.GenerateAssignment.preprocessors = [
    IncludeHeaderFooter,
    LockCells,
    ClearSolutions,
    ClearOutput,
    CheckCellMetadata,
    ComputeChecksums,
    SaveCells,
    ClearHiddenTests,
    ClearMarkScheme,
    StripAuthoring,
    ComputeChecksums,
    CheckCellMetadata,
]

# Kernels start on loopback only; no exchange folder is needed to release, collect or grade.
c.ExecutePreprocessor.timeout = 60
c.Exchange.path_includes_course = True

# Autograde and feedback run isolated, here and behind formgrader's buttons;
# PDGRADE_NBGRADER=off lets nbgrader grade in its own kernel as it always did.
install(c)
