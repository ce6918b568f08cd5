"""Entry point on every system: ``python make.py lab`` does what ``make lab`` does.

This file only checks the Python version, in words that even an old Python can print;
the work is in tools/tasks.py.
"""

import os
import sys

OLDEST = (3, 10)

if sys.version_info < OLDEST:
    found = "%d.%d" % tuple(sys.version_info[:2])  # noqa: UP031 - must run on old Pythons
    sys.exit(
        "make.py: 需要 Python >= 3.10，当前是 " + found + "；请换一个解释器，例如 "
        "make PYTHON=python3.12 lab。\n"
        "make.py: needs Python >= 3.10, this is " + found + "; choose another one, for example "
        "make PYTHON=python3.12 lab."
    )

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "tools"))  # noqa: PTH118, PTH120, PTH100

import tasks  # noqa: E402

sys.exit(tasks.main(sys.argv[1:]))
