"""Isolated autograder of the Prefill/Decode scheduling course, compatible with nbgrader."""

__version__ = "0.1.0"
