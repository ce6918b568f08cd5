"""What goes wrong in a learner's function is named in the learner's own terms."""

import pytest

from pdsched.panels import guard
from pdsched.panels.guard import LearnerFunction, LearnerRaisedError, UnwrittenError

pytestmark = pytest.mark.core


def test_unwritten_is_told_from_raised():
    def stub():
        raise NotImplementedError

    with pytest.raises(UnwrittenError):
        LearnerFunction(stub, "stub")()


def test_a_raised_error_names_the_call_and_the_learners_own_line():
    def divide(a, b):
        return a // b

    with pytest.raises(LearnerRaisedError) as caught:
        LearnerFunction(divide, "divide")(1, b=0)
    assert caught.value.call == "divide(1, b=0)"
    assert caught.value.source == "return a // b"
    assert str(caught.value).startswith("ZeroDivisionError")


def test_a_long_call_is_cut_to_a_readable_length():
    assert len(guard.describe_call("f", (list(range(1000)),), {})) <= guard.CALL_WIDTH


class _UnspeakableError(Exception):
    def __str__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), _UnspeakableError()])
def test_whatever_is_raised_becomes_the_guards_own_error(error):
    def raising():
        raise error

    with pytest.raises(LearnerRaisedError, match=type(error).__name__):
        LearnerFunction(raising, "plan")()


def test_an_interrupt_of_the_kernel_passes_through():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        LearnerFunction(interrupted, "plan")()
