"""The shrinker: still failing, smaller, deterministic, bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdsched.feedback.shrinking import shrink, smaller


def test_a_boundary_is_found_exactly():
    assert shrink(907, lambda n: n >= 13) == 13
    assert shrink(-907, lambda n: n <= -13) == -13
    assert shrink(907.625, lambda n: n > 13) == pytest.approx(14)


def test_only_what_matters_stays():
    value = ({"a": [5, 9, 12], "b": "name"}, 40)
    assert shrink(value, lambda v: 9 in v[0].get("a", [])) == ({"a": [9]}, 0)


def test_the_number_of_tries_is_bounded():
    tries = []
    shrink(list(range(1000)), lambda v: tries.append(1) or False, max_calls=25)
    assert len(tries) == 25


def test_what_cannot_shrink_stays():
    for value in (0, 0.0, "name", None, True, [], {}, float("nan"), float("inf")):
        assert not list(smaller(value))


JSON = st.recursive(
    st.integers(-99, 99) | st.sampled_from(["a", "b"]) | st.none() | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=12,
)


@given(JSON, st.integers(1, 12))
def test_the_result_fails_like_the_original_and_twice_gives_the_same(value, size):
    def fails(candidate):
        return len(repr(candidate)) >= min(size, len(repr(value)))

    small = shrink(value, fails)
    assert fails(small)
    assert len(repr(small)) <= len(repr(value))
    assert shrink(value, fails) == small
