"""A small assignment that follows the course's cell conventions, and notebooks handed in for it.

Two notebooks, three coded questions and one concept question, 9 points. The grader's tests use it
where the real notebooks would only be slower to read.
"""

from miniature.handed_in import ANSWERS, Handed, honest
from miniature.source import NAME, POINTS, write_source

__all__ = ["ANSWERS", "NAME", "POINTS", "Handed", "honest", "write_source"]
