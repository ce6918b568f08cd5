"""Checks that teach: what was called, what was expected, what came back, and the rule."""

from pdsched.feedback.expectation import expect, recording
from pdsched.feedback.results import CheckFailure, CheckResult, FunctionUnavailable

__all__ = ["CheckFailure", "CheckResult", "FunctionUnavailable", "expect", "recording"]
