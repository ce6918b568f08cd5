"""Bad input is a clear ValueError, never a hang and never a silently wrong number."""

import sys
from pathlib import Path

import pytest

from pdsched.cost import LinearCost
from pdsched.kvcache import KVCache
from pdsched.simulator import Cluster, HandoffLink, WorkerPool, simulate
from pdsched.workload import Request

sys.path.insert(0, str(Path(__file__).parent))
from costs import TokenCost

pytestmark = pytest.mark.core

ONE = (Request("a", 0.0, 8, 4),)


def run(requests=ONE, policy="decode_first", cost=None, **options):
    options = {"max_num_batched_tokens": 8, **options}
    return simulate(requests, policy, cost or TokenCost(), **options)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_num_batched_tokens": 0}, "max_num_batched_tokens must be .* got 0"),
        ({"max_num_batched_tokens": -1}, "max_num_batched_tokens"),
        ({"max_num_batched_tokens": 2.5}, "got 2.5"),
        ({"max_num_batched_tokens": True}, "got True"),
        ({"max_num_seqs": 0}, "max_num_seqs"),
        ({"concurrency": 0}, "concurrency"),
        ({"policy": "fifo"}, "'fifo'"),
        ({"requests": [Request("a", 5.0, 1, 1), Request("b", 1.0, 1, 1)]}, "sorted"),
        ({"requests": [Request("a", 0.0, 1, 1), Request("a", 1.0, 1, 1)]}, "'a' occurs twice"),
        ({"kv": KVCache(1)}, None),
        ({"kv": KVCache(1), "requests": [Request("big", 0.0, 17, 1)]}, "'big' has 17 prompt"),
        ({"kv": KVCache(1), "requests": [Request("a", 0.0, 16, 2)]}, "holds 16 tokens"),
        ({"policy": "orca_hybrid", "max_num_batched_tokens": 7}, "does not split prompts"),
    ],
)
def test_settings_and_workloads(options, error):
    if error is None:
        assert run(**options).requests[0].output_tokens == 4
        return
    with pytest.raises(ValueError, match=error):
        run(**options)


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("fast_forward", [True, False])
@pytest.mark.parametrize("when", ["prefill", "first decode", "later decode"])
def test_a_cost_model_that_gives_no_time(value, fast_forward, when):
    class Broken(TokenCost):
        def iteration_ms(self, prefill, past, pairs, decodes, context, *_):
            bad = {
                "prefill": prefill > 0,
                "first decode": context == 8,
                "later decode": context == 10,
            }
            return value if bad[when] else 1.0

    with pytest.raises(ValueError, match=r"cost model '1 \+ tokens' gave"):
        run(cost=Broken(), fast_forward=fast_forward)


@pytest.mark.parametrize("price", [None, "1 ms", True, 1j])
def test_a_price_that_is_no_number_is_named(price):
    class Wordy(TokenCost):
        def iteration_ms(self, *_):
            return price

    with pytest.raises(ValueError, match="iteration_ms must be a number, got"):
        run(cost=Wordy())


@pytest.mark.parametrize("name", ["kv_bytes_per_token", "gb_per_s", "setup_ms", "failure_rate"])
@pytest.mark.parametrize("value", ["x", None, True])
def test_a_setting_of_the_link_that_is_no_number_is_named(name, value):
    settings = {"kv_bytes_per_token": 1.0, "gb_per_s": 1.0, name: value}
    with pytest.raises(ValueError, match=f"{name} must be a number"):
        HandoffLink(**settings)


def test_a_slope_that_is_wrong_is_not_believed():
    class Liar(TokenCost):
        def iteration_ms(self, prefill, past, pairs, decodes, context, *_):
            return 1.0 + context**2

        def decode_slope(self, *_):
            return 5.0

    requests = [Request("a", 0.0, 8, 40)]
    honest = run(requests, cost=Liar(), fast_forward=False)
    assert run(requests, cost=Liar()).requests == honest.requests


def test_a_recompute_that_no_longer_fits_an_unsplit_budget_is_named():
    from pdsched.scheduler import make

    requests = [Request("a", 0.0, 1, 16), Request("b", 0.0, 14, 8)]
    with pytest.raises(ValueError, match=r"'b' \(17 known tokens\) waits; budget 15"):
        run(
            requests,
            make("vllm_v1", enable_chunked_prefill=False),
            max_num_batched_tokens=15,
            kv=KVCache(2),
        )


def test_nothing_to_do_is_an_empty_timeline():
    timeline = run([])
    assert (len(timeline.iterations), timeline.requests, timeline.end_ms) == (0, [], 0.0)
    assert list(run([], cluster=Cluster.shared(2)).iterations) == []


def test_unknown_requests_and_missing_iterations_are_named():
    with pytest.raises(ValueError, match="'x'"):
        run().token_times("x")
    with pytest.raises(ValueError, match="record_iterations"):
        run(record_iterations=False).token_times("a")
    with pytest.raises(ValueError, match="'tokens'"):
        run().to_dataframe("tokens")
    with pytest.raises(ValueError, match="'first'"):
        run().requests[0].ttft_ms("first")
    with pytest.raises(IndexError):
        run().iterations[99]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scheduler": None}, "scheduler must be a policy's name"),
        ({"scheduler": lambda: None}, "scheduler must be a policy's name"),
        ({"cost": None}, "cost must be a cost model"),
        ({"cost": "h100"}, "cost must be a cost model, .*got 'h100'"),
        ({"kv": 100}, "kv must be a KVCache or None, got 100"),
        ({"cluster": "1:1"}, "cluster must be a Cluster or None, got '1:1'"),
    ],
)
def test_an_argument_of_another_kind_is_named(changes, words):
    from pdsched.cost import roofline

    arguments = {"scheduler": "vllm_v1", "cost": roofline("llama-3.1-8b", "h100"), **changes}
    with pytest.raises(ValueError, match=words):
        simulate([], max_num_batched_tokens=64, **arguments)


def test_an_arrival_beyond_the_clocks_resolution_is_named():
    with pytest.raises(ValueError, match="'late': arrival_ms must be at most"):
        run([Request("a", 0.0, 8, 4), Request("late", 1e17, 8, 4)])


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"workers": 10**6}, "workers must be .* at most 1024"),
        ({"max_num_batched_tokens": 0}, "max_num_batched_tokens must be an integer of at least 1"),
        ({"max_num_seqs": True}, "max_num_seqs must be an integer of at least 1"),
    ],
)
def test_a_setting_of_a_pool_is_named(settings, words):
    with pytest.raises(ValueError, match=words):
        WorkerPool("shared", **settings)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "1", True])
def test_a_coefficient_that_is_no_number_is_named(value):
    with pytest.raises(ValueError, match="floor_ms must be a finite number"):
        LinearCost("x", "x", "x", 1.0, 1.0, 1.0, floor_ms=value)
