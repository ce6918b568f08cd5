"""A learner's ``plan_pd_split`` decides the route; every request is in exactly one pool."""

import pytest

from pdsched.simulator import route_from_split_function
from pdsched.workload import Request

pytestmark = pytest.mark.core

REQUESTS = [Request("a", 0.0, 4000, 64), Request("b", 0.0, 256, 512)]


def route(result):
    return route_from_split_function(
        lambda *_: result, REQUESTS, long_prompt_threshold=2048, long_decode_threshold=256
    )


def test_the_function_sees_names_and_thresholds():
    seen = []

    def split(requests, prompt, decode):
        seen.append((requests, prompt, decode))
        return {"prefill_pool": ["a"], "decode_pool": ["b"], "shared_pool": []}

    assert route_from_split_function(
        split, REQUESTS, long_prompt_threshold=2048, long_decode_threshold=256
    ) == {"a": "prefill_pool", "b": "decode_pool"}
    first = {"name": "a", "prompt_tokens": 4000, "decode_tokens": 64}
    assert (seen[0][0][0], *seen[0][1:]) == (first, 2048, 256)


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (None, "must return"),
        ({"prefill_pool": []}, "must return"),
        ({"prefill_pool": "ab", "decode_pool": [], "shared_pool": []}, "list of names"),
        ({"prefill_pool": ["a", "x"], "decode_pool": [], "shared_pool": []}, "'x'"),
        ({"prefill_pool": [["a"]], "decode_pool": [], "shared_pool": []}, r"\['a'\]"),
        ({"prefill_pool": ["a"], "decode_pool": ["a"], "shared_pool": ["b"]}, "'a' is in"),
        ({"prefill_pool": ["a"], "decode_pool": [], "shared_pool": []}, "'b' is in no pool"),
    ],
)
def test_a_wrong_split_is_named(result, error):
    with pytest.raises(ValueError, match=error):
        route(result)
