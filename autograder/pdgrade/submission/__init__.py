"""What a learner handed in: read any file safely, find their cells, say what was done.

``document`` turns bytes into cells, ``matching`` finds which cell answers which question,
``python`` makes notebook code plain Python, ``plan`` decides what the worker executes, and
``files`` decides which file is which notebook.
"""

from pdgrade.submission.document import SubmittedCell, SubmittedNotebook, Unreadable
from pdgrade.submission.document import parse as parse
from pdgrade.submission.document import read_file as read_file

__all__ = ["SubmittedCell", "SubmittedNotebook", "Unreadable", "parse", "read_file"]
