"""Percentiles by linear interpolation, weighted ones as if every token were listed."""

import json
from statistics import mean

import pytest

from pdsched.metrics import Distribution, Slo, summarize
from pdsched.simulator import TokenGaps, simulate
from pdsched.workload import Request

pytestmark = pytest.mark.core


def test_percentiles_interpolate_between_neighbours():
    shape = Distribution.of([10, 20, 30, 40])
    assert (shape.p50, shape.max, shape.count, shape.mean) == (25, 40, 4, 25)
    assert shape.p90 == pytest.approx(37)


def test_nothing_has_no_percentiles():
    assert Distribution.of([]) == Distribution(0, None, None, None, None, None, None)


def test_weights_mean_the_same_as_repetition():
    gaps = TokenGaps()
    pairs = [(5.0, 3), (1.0, 4), (9.0, 1), (2.5, 2)]
    for gap, weight in pairs:
        gaps.add(gap, weight)
    listed = Distribution.of([gap for gap, weight in pairs for _ in range(weight)])
    weighted = Distribution.of_gaps(gaps)
    assert weighted.mean == pytest.approx(listed.mean)
    assert weighted.p99 == pytest.approx(listed.p99)
    assert (weighted.count, weighted.p50, weighted.p90) == (listed.count, listed.p50, listed.p90)


class OneMs:
    """Every iteration takes 1 ms."""

    name, source, error = "1 ms", "test", "none"

    def iteration_ms(self, *_):
        return 1.0


def test_a_summary_counts_what_the_timeline_holds():
    requests = [Request("a", 0.0, 3, 4), Request("b", 1.0, 2, 1)]
    timeline = simulate(requests, "decode_first", OneMs(), max_num_batched_tokens=8)
    metrics = summarize(timeline, Slo(e2e_ms=2))
    assert metrics.duration_ms == 4
    assert metrics.request_throughput_per_s == 500
    assert metrics.output_token_throughput_per_s == 1250
    assert metrics.total_token_throughput_per_s == 2500
    assert metrics.ttft_ms.mean == 1
    assert (metrics.tpot_ms.count, metrics.tpot_ms.mean) == (1, 1)
    assert metrics.e2e_ms.mean == mean([4, 1])
    assert metrics.itl_ms.count == 3
    assert (metrics.goodput_per_s, metrics.slo_attainment) == (250, 0.5)
    assert metrics.utilisation == {"shared": 1.0}
    json.dumps(metrics.as_dict())


def test_the_ttft_definition_is_explicit():
    timeline = simulate([Request("a", 0, 1, 1)], "balanced", OneMs(), max_num_batched_tokens=1)
    with pytest.raises(ValueError, match="'first'"):
        summarize(timeline, ttft_definition="first")


@pytest.mark.parametrize("limit", [-1.0, float("nan")])
def test_impossible_slos_are_refused(limit):
    with pytest.raises(ValueError, match="tpot_ms"):
        Slo(tpot_ms=limit)


def test_an_empty_workload_is_a_summary_of_nothing():
    metrics = summarize(simulate([], "balanced", OneMs(), max_num_batched_tokens=1))
    assert (metrics.num_requests, metrics.duration_ms, metrics.ttft_ms.p50) == (0, 0, None)
