"""Work that never returns is ended, whatever code it runs and on whatever thread."""

import sys
import threading
import time

import pytest

from pdsched import time_limit
from pdsched.time_limit import HungError, run_limited

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
        run_limited(work, LIMIT_S)


@needs_alarm
@pytest.mark.parametrize("work", [stubborn, nested])
def test_a_loop_that_swallows_everything_never_gets_away(work):
    tracing = sys.gettrace()
    for _ in range(20):  # where in the loop the alarm rings is chance
        with pytest.raises(HungError):
            run_limited(work, 0.01)
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
            run_limited(stubborn, 0.01)
        seen.clear()
        run_limited(lambda: 7)
    finally:
        sys.settrace(before)
    assert ("run_limited", "call") in seen


@pytest.mark.parametrize("work", [forever, sleeping, stubborn])
def test_another_thread_is_freed_too(work):
    assert isinstance(on_another_thread(lambda: run_limited(work, LIMIT_S)), HungError)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is new in 3.12")
@pytest.mark.parametrize("work", [forever, stubborn, recursing])
def test_pyodides_way_ends_a_loop_and_leaves_nothing_behind(work):
    for _ in range(2):
        with pytest.raises(HungError):
            time_limit._by_monitoring(work, LIMIT_S)
    assert time_limit._by_monitoring(lambda: 7, LIMIT_S) == 7
    assert sys.monitoring.get_tool(time_limit.TOOL) is None


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring is new in 3.12")
def test_pyodides_way_takes_a_limit_inside_another():
    def outer():
        with pytest.raises(HungError, match="within 0"):
            time_limit._by_monitoring(stubborn, 0.05)
        assert time_limit._by_monitoring(lambda: 7, 5) == 7
        forever()

    with pytest.raises(HungError, match=str(LIMIT_S)):
        time_limit._by_monitoring(outer, LIMIT_S)
    assert sys.monitoring.get_tool(time_limit.TOOL) is None


def test_results_and_errors_pass_through_on_any_thread():
    assert run_limited(lambda: 7) == 7
    assert on_another_thread(lambda: run_limited(lambda: 7)) == 7
    error = on_another_thread(lambda: run_limited(lambda: int("x")))
    assert isinstance(error, ValueError)


@needs_alarm
def test_the_alarm_is_put_back_as_it_was():
    import signal

    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(HungError):
        run_limited(forever, LIMIT_S)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@needs_alarm
def test_a_limit_inside_another_does_not_end_the_outer_one():
    def outer():
        assert run_limited(lambda: 7, 5) == 7
        forever()

    with pytest.raises(HungError, match=str(LIMIT_S)):
        run_limited(outer, LIMIT_S)


@needs_alarm
def test_the_alarm_of_somebody_else_still_rings():
    import signal

    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        assert run_limited(lambda: time.sleep(0.1) or 7, 5) == 7
        time.sleep(0.1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rang == [1]


@needs_alarm
def test_the_shortest_limit_leaves_nothing_behind():
    import signal

    for _ in range(50):
        with pytest.raises(HungError):
            run_limited(forever, 1e-6)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
