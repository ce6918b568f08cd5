"""Requests and workloads: what is accepted, what is refused, what the presets look like."""

import itertools
import math
import statistics

import pytest

from pdsched.workload import PRESET_NAMES, Request, synthetic, validate_workload

pytestmark = pytest.mark.core


def test_a_request_is_frozen():
    request = Request("a", 0.0, 10, 2)
    with pytest.raises(AttributeError):
        request.prompt_tokens = 3


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"request_id": ""}, "request_id"),
        ({"prompt_tokens": 0}, "prompt_tokens must be at least 1 and at most 10,000,000, got 0"),
        ({"output_tokens": 10**12}, "output_tokens must be .* at most 10,000,000"),
        ({"prompt_tokens": -4}, "prompt_tokens"),
        ({"output_tokens": 0}, "output_tokens"),
        ({"cached_tokens": -1}, "cached_tokens"),
        ({"cached_tokens": 11}, "cached_tokens must be at most prompt_tokens"),
        ({"arrival_ms": -0.5}, "arrival_ms"),
        ({"arrival_ms": math.nan}, "arrival_ms"),
        ({"arrival_ms": math.inf}, "arrival_ms"),
    ],
)
def test_a_value_out_of_range_is_named(changes, words):
    fields = {"request_id": "a", "arrival_ms": 0.0, "prompt_tokens": 10, "output_tokens": 2}
    with pytest.raises(ValueError, match=words):
        Request(**(fields | changes))


@pytest.mark.parametrize("value", [math.nan, 3.0, "3", None, True])
def test_a_length_must_be_an_integer(value):
    with pytest.raises(TypeError, match="prompt_tokens must be an integer"):
        Request("a", 0.0, value, 2)


def test_an_integer_like_length_becomes_a_plain_one():
    class Three:
        def __index__(self):
            return 3

    assert type(Request("a", 0.0, Three(), 1).prompt_tokens) is int


def test_a_workload_has_unique_ids_and_sorted_arrivals():
    first, second = Request("a", 0.0, 1, 1), Request("b", 5.0, 1, 1)
    assert validate_workload(iter([first, second])) == (first, second)
    with pytest.raises(ValueError, match="arrivals must be sorted"):
        validate_workload([second, first])
    with pytest.raises(ValueError, match="'a' occurs twice"):
        validate_workload([first, first])
    with pytest.raises(TypeError, match="must be a Request"):
        validate_workload([{"name": "a"}])


@pytest.mark.parametrize("preset", PRESET_NAMES)
def test_a_preset_repeats_for_a_seed_and_differs_between_seeds(preset):
    assert synthetic(preset, 50, seed=3) == synthetic(preset, 50, seed=3)
    assert synthetic(preset, 50, seed=3) != synthetic(preset, 50, seed=4)
    validate_workload(synthetic(preset, 50))


@pytest.mark.parametrize(
    ("preset", "prompt_p50", "output_p50", "cv"),
    [
        ("chat", 757, 151, 1.09),  # exp(mu) of the lognormal fits, serving facts of the trace
        ("code", 1097, 16, 13.2),
        ("reasoning", 58, 988, 1.2),
        ("long-document", 6909, 350, 1.0),
    ],
)
def test_a_preset_has_its_published_statistics(preset, prompt_p50, output_p50, cv):
    requests = synthetic(preset, 6000, seed=1)
    gaps = [b.arrival_ms - a.arrival_ms for a, b in itertools.pairwise(requests)]
    assert statistics.median(r.prompt_tokens for r in requests) == pytest.approx(
        prompt_p50, rel=0.1
    )
    assert statistics.median(r.output_tokens for r in requests) == pytest.approx(
        output_p50, rel=0.1
    )
    assert statistics.pstdev(gaps) / statistics.fmean(gaps) == pytest.approx(cv, rel=0.2)


def test_the_rate_is_the_one_asked_for():
    requests = synthetic("chat", 4000, rate_per_s=8, seed=2)
    assert 4000 / (requests[-1].arrival_ms / 1000) == pytest.approx(8, rel=0.05)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match=r"unknown workload 'chats'; known: chat, "):
        synthetic("chats", 1)
    with pytest.raises(ValueError, match="num_requests"):
        synthetic("chat", -1)
    for rate in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match="rate_per_s"):
            synthetic("chat", 1, rate_per_s=rate)
