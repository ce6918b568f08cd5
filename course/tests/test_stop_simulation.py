"""A policy may end the simulation: what has happened so far is returned."""

from dataclasses import dataclass

import pytest

from pdsched.cost import roofline
from pdsched.scheduler import make
from pdsched.simulator import StopSimulation, simulate
from pdsched.workload import Request

pytestmark = pytest.mark.core
COST = roofline("llama-3.1-8b", "h100")


@dataclass
class First:
    """The first ``most`` iterations of another policy."""

    inner: object
    most: int
    name: str = "first"
    chunked: bool = True

    def for_worker(self):
        return self

    def schedule(self, state):
        if state.iteration >= self.most:
            raise StopSimulation
        return self.inner.schedule(state)


def test_the_timeline_holds_the_iterations_before_the_stop():
    requests = [Request("a", 0.0, 100, 3), Request("b", 0.0, 10_000, 50)]
    options = {"max_num_batched_tokens": 64, "fast_forward": False}
    whole = simulate(requests, make("decode_first"), COST, **options)
    part = simulate(requests, First(make("decode_first"), 7), COST, **options)
    assert list(part.iterations) == list(whole.iterations)[:7]
    assert [record.request_id for record in part.requests] == ["a"]
