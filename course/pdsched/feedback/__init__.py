"""Checks that teach: what was called, what was expected, what came back, and the rule.

In a notebook: ``check(3)`` shows the smallest failing input of TODO 3, ``hint(3)`` the next of
three hints, ``progress()`` where all five stand, ``solution(3)`` the worked solution once it is
passed or given up. Visible tests use ``expect(f, 1).returns(2)``.
"""

from pdsched.contracts import FunctionUnavailable
from pdsched.feedback.checking import check
from pdsched.feedback.display import CheckReport, ProgressView
from pdsched.feedback.expectation import expect, recording
from pdsched.feedback.hints import hint
from pdsched.feedback.progress_store import read as _read_progress
from pdsched.feedback.results import CheckFailure, CheckResult
from pdsched.feedback.worked import solution

__all__ = [
    "CheckFailure",
    "CheckReport",
    "CheckResult",
    "FunctionUnavailable",
    "check",
    "expect",
    "hint",
    "progress",
    "recording",
    "solution",
]


def progress() -> ProgressView:
    """Where all five TODOs stand."""
    return ProgressView(_read_progress())
