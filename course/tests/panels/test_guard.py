"""A panel outlives whatever a learner's function does."""

import sys
import threading
import time

import pytest

from pdsched.panels import guard
from pdsched.panels.guard import HungError, LearnerFunction, LearnerRaisedError, UnwrittenError

pytestmark = pytest.mark.core
LIMIT_S = 0.15


def forever():
    while True:
        try:
            sum(range(10))
        except Exception:
            continue


def sleeping():
    time.sleep(1)  # a thread left behind must not outlive its test by long


def stubborn():
    while True:
        try:
            sum(range(10))
        except:  # noqa: E722 - the worst a learner can write
            continue


def nested():
    while True:
        try:
            while True:
                sum(range(10))
        except:  # noqa: E722 - nearly all of its time is spent inside the try
            pass


def recursing():
    def again(depth):
        return 0 if depth == 0 else again(depth - 1) + again(depth - 1)

    again(60)


def on_another_thread(work):
    """What ``work`` returned or raised on a thread that is not the main one."""
    box = []

    def target():
        try:
            box.append(work())
        except Exception as error:
            box.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join(10)
    return box[0]


needs_alarm = pytest.mark.skipif(sys.platform == "win32", reason="no interval timer on Windows")


@needs_alarm
@pytest.mark.parametrize("work", [forever, sleeping, stubborn])
def test_the_main_thread_is_interrupted(work):
    with pytest.raises(HungError):
        guard.run_limited(work, LIMIT_S)


@needs_alarm
@pytest.mark.parametrize("work", [stubborn, nested])
def test_a_loop_that_swallows_everything_never_gets_away(work):
    tracing = sys.gettrace()
    for _ in range(20):  # where in the loop the alarm rings is chance
        with pytest.raises(HungError):
            guard.run_limited(work, 0.01)
    assert sys.gettrace() is tracing


@needs_alarm
def test_a_debuggers_trace_goes_on_afterwards():
    seen = []

    def watch(frame, event, _arg):
        seen.append((frame.f_code.co_name, event))

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with pytest.raises(HungError):
            guard.run_limited(stubborn, 0.01)
        seen.clear()
        guard.run_limited(lambda: 7)
    finally:
        sys.settrace(before)
    assert ("run_limited", "call") in seen


@pytest.mark.parametrize("work", [forever, sleeping, stubborn])
def test_another_thread_is_freed_too(work):
    assert isinstance(on_another_thread(lambda: guard.run_limited(work, LIMIT_S)), HungError)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is new in 3.12")
@pytest.mark.parametrize("work", [forever, stubborn, recursing])
def test_pyodides_way_ends_a_loop_and_leaves_nothing_behind(work):
    for _ in range(2):
        with pytest.raises(HungError):
            guard._by_monitoring(work, LIMIT_S)
    assert guard._by_monitoring(lambda: 7, LIMIT_S) == 7
    assert sys.monitoring.get_tool(guard.TOOL) is None


def test_results_and_errors_pass_through_on_any_thread():
    assert guard.run_limited(lambda: 7) == 7
    assert on_another_thread(lambda: guard.run_limited(lambda: 7)) == 7
    error = on_another_thread(lambda: guard.run_limited(lambda: int("x")))
    assert isinstance(error, ValueError)


@needs_alarm
def test_the_alarm_is_put_back_as_it_was():
    import signal

    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(HungError):
        guard.run_limited(forever, LIMIT_S)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


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
