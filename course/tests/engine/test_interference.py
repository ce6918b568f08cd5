"""A measurement says how much of its time other programs had."""

import time

import pytest

pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched.engine import Engine, ModelConfig
from pdsched.engine.interference import CoreShare, share, told
from pdsched.engine.loop import ServingLoop, in_admission_order
from pdsched.messages import text


@pytest.mark.parametrize(
    ("cpu_s", "wall_s", "expected"), [(1, 2, 0.5), (2, 2, 1), (3, 2, 1), (0, 0, 1), (0, 1, 0)]
)
def test_share_is_between_none_and_all_of_a_core(cpu_s, wall_s, expected):
    assert share(cpu_s, wall_s) == expected


def test_time_that_a_process_did_not_get_is_missing_from_its_share(monkeypatch):
    cpu_s, wall_s = iter([1.0, 1.5]), iter([7.0, 9.0])
    monkeypatch.setattr("pdsched.engine.interference.time.process_time", lambda: next(cpu_s))
    monkeypatch.setattr("pdsched.engine.interference.time.perf_counter", lambda: next(wall_s))
    with CoreShare() as core:
        pass
    monkeypatch.undo()
    assert core.value == 0.25


def test_a_busy_machine_is_told_and_a_quiet_one_too():
    assert told(0.97) == text("labs.interference.quiet", lost=0.03)
    assert told(0.4) == text("labs.interference.busy", lost=0.6)
    assert "60%" in told(0.4)


def test_a_loop_counts_only_its_iterations():
    loop = ServingLoop(Engine(ModelConfig(num_layers=1)), in_admission_order(64))
    assert loop.core_share == 1
    loop.submit("r", [1] * 8, output_tokens=2)
    began_s = time.perf_counter()
    time.sleep(0.05)
    while loop.busy:
        loop.step()
    counted_s = loop._wall_s
    assert 0 < counted_s <= time.perf_counter() - began_s - 0.05
    assert loop.core_share == share(loop._cpu_s, counted_s)
