"""Panel 3's picture as data, on a timeline small enough to check by hand."""

from dataclasses import dataclass, replace

import pytest

from pdsched.figures.pd_pools import BreakEven, Routed, pd_pools
from pdsched.figures.plotly_figure import to_plotly
from pdsched.figures.scene import MAX_MARKS, Box, Dot, Line
from pdsched.figures.worker_lanes import lanes_plot, worker_lanes
from pdsched.simulator import Cluster, HandoffLink, simulate
from pdsched.workload import Request, synthetic

LINK = HandoffLink(1000.0, 1.0, setup_ms=1.0, block_tokens=1)
CURVES = BreakEven((64, 128, 256), (9.0, 10.0, 11.0), (5.0, 10.5, 30.0), (4.0, 5.0, 6.0), 128)


@dataclass(frozen=True)
class TenMsEach:
    """Every iteration lasts ten milliseconds."""

    name: str = "ten"
    source: str = "made up"
    error: str = "none"

    def iteration_ms(self, *_):
        return 10.0


def pd_timeline():
    """One prompt of 1000 tokens, three output tokens, one P and one D worker.

    Prefill 0-10 ms; handoff 1 ms + 1e6 bytes / (1e6 bytes/ms) = 2 ms, 10-12; decodes 12-22-32.
    """
    return simulate(
        [Request("a", 0.0, 1000, 3)],
        "decode_first",
        TenMsEach(),
        max_num_batched_tokens=2048,
        cluster=Cluster.pd(1, 1, LINK),
    )


def boxes(plot):
    return [(m.x0, m.x1, m.role) for m in plot.marks if isinstance(m, Box)]


def test_lanes_show_prefill_then_handoff_then_decode():
    assert boxes(lanes_plot(pd_timeline())) == [
        (0.0, 10.0, "prefill"),
        (12.0, 32.0, "decode"),
        (10.0, 12.0, "handoff"),
    ]


def test_lanes_are_named_in_the_order_a_request_takes():
    names = [tick.text for tick in lanes_plot(pd_timeline()).y.ticks]
    assert names == ["P1 Prefill", "链路 KV", "D1 Decode"]


def test_a_mixed_iteration_has_a_colour_of_its_own():
    requests = [Request("a", 0.0, 10, 5), Request("b", 15.0, 100, 1)]
    timeline = simulate(requests, "decode_first", TenMsEach(), max_num_batched_tokens=64)
    roles = [role for _, _, role in boxes(lanes_plot(timeline))]
    assert roles == ["prefill", "decode", "shared", "decode"] or roles[:3] == [
        "prefill",
        "decode",
        "shared",
    ]


def test_many_iterations_stay_legible():
    requests = synthetic("chat", 300, rate_per_s=50, seed=1)
    timeline = simulate(
        requests,
        "decode_first",
        TenMsEach(),
        max_num_batched_tokens=64,
        cluster=Cluster.pd(4, 4, LINK),
    )
    scene = worker_lanes(timeline)
    assert scene.mark_count <= MAX_MARKS
    ends = max(end for _, end, role in boxes(scene.plot("lanes")) if role != "handoff")
    assert ends == pytest.approx(timeline.end_ms)


def test_lanes_drawn_from_the_record_are_those_drawn_iteration_by_iteration():
    timeline = simulate(
        synthetic("mixed", 40, rate_per_s=20, seed=3),
        "decode_first",
        TenMsEach(),
        max_num_batched_tokens=256,
        cluster=Cluster.pd(2, 2, LINK, shared=1),
    )
    one_by_one = replace(timeline, iterations=list(timeline.iterations))
    assert set(lanes_plot(timeline).marks) == set(lanes_plot(one_by_one).marks)


ROUTED = (
    Routed("a", 4000, 64, ("prefill_pool",)),
    Routed("b", 256, 512, ("decode_pool", "shared_pool"), fault="b twice"),
    Routed("c", 1500, 128, (), fault="c nowhere"),
)


def test_each_request_is_a_mark_in_its_pool_and_faults_are_red():
    plot = pd_pools(ROUTED, CURVES, None).plot("routing")
    dots = [(d.x, d.y, d.role) for d in plot.marks if isinstance(d, Dot)]
    assert dots == [
        (0.5, 2.5, "prefill"),
        (1.5, 1.5, "decode"),
        (1.5, 1.5, "error"),
        (1.5, 0.5, "shared"),
        (1.5, 0.5, "error"),
        (2.5, 1.5, "error"),
    ]


def test_break_even_is_marked_where_moving_becomes_faster():
    plot = pd_pools(ROUTED, CURVES, None).plot("break_even")
    (circle,) = [m for m in plot.marks if isinstance(m, Dot)]
    assert (circle.x, circle.y) == (128, 10.0)
    assert [m.points[0] for m in plot.marks if isinstance(m, Line)][1:] == [
        (64, 9.0),
        (64, 5.0),
        (64, 4.0),
    ]


def test_the_whole_picture_goes_to_plotly_with_its_words():
    scene = pd_pools(ROUTED, CURVES, pd_timeline(), [("prefill", 0.25), ("decode", 0.5)])
    figure = to_plotly(scene).to_plotly_json()
    assert figure["layout"]["meta"]["alt"] == scene.alt
    handoff = next(t for t in figure["data"] if t["name"] == "KV 交接" and t["type"] == "bar")
    assert (handoff["x"][0], handoff["width"][0]) == (11.0, 2.0)
