"""Values survive the way to JSON and back, exactly; what does not travel says so."""

import contextlib
import json
import math
from collections import Counter, OrderedDict, defaultdict, namedtuple
from enum import IntEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdgrade.worker import values

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=("Cs",)))
)
KEYS = st.text(st.characters(exclude_categories=("Cs",))) | st.integers() | st.tuples(st.integers())
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.tuples(inner, inner)
        | st.sets(KEYS, max_size=4)
        | st.frozensets(KEYS, max_size=4)
    ),
    max_leaves=20,
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=3),
)


def travelled(value):
    return values.decode(json.loads(json.dumps(values.encode(value), allow_nan=False)))


def types_of(value):
    """The value with every part replaced by its exact type, to tell True from 1."""
    if type(value) is dict:
        return {key: types_of(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return (type(value), [types_of(item) for item in value])
    return type(value)


@given(VALUES)
def test_every_plain_value_comes_back_equal_and_of_the_same_types(value):
    back = travelled(value)
    assert back == value
    assert types_of(back) == types_of(value)


@given(JSON)
def test_any_json_is_decoded_or_refused_but_never_crashes(data):
    with contextlib.suppress(values.Refused):
        values.decode(data)


def test_floats_without_a_json_word_travel():
    assert math.isnan(travelled(math.nan))
    assert travelled([math.inf, -math.inf]) == [math.inf, -math.inf]


class Colour(IntEnum):
    RED = 3


class LyingInt(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class LyingDict(dict):
    def items(self):
        return [("a", 1)]


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Counter("aab"), {"a": 2, "b": 1}),
        (defaultdict(int, x=1), {"x": 1}),
        (OrderedDict(x=1), {"x": 1}),
        (namedtuple("P", "x y")(1, 2), (1, 2)),
        (Colour.RED, 3),
        (LyingInt(7), 7),
        (LyingDict(b=2), {"b": 2}),
        (np.int64(5), 5),
        (np.float64(1.5), 1.5),
        ([np.int32(1), {"k": np.uint8(2)}], [1, {"k": 2}]),
    ],
)
def test_a_subclass_travels_as_what_it_holds(value, plain):
    back = travelled(value)
    assert back == plain
    assert types_of(back) == types_of(plain)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (object(), "object"),
        (np.arange(3), "ndarray"),
        (np.bool_(True), type(np.bool_(True)).__name__),
        (range(3), "range"),
        (b"x", "bytes"),
        ({1: 2}.keys(), "dict_keys"),
        (1 + 2j, "complex"),
    ],
)
def test_what_does_not_travel_arrives_as_a_stand_in_named_after_its_type(value, name):
    back = travelled(value)
    assert isinstance(back, values.Foreign)
    assert type(back).__name__ == name
    assert back is not value
    assert back != values.foreign(name)


def test_a_name_from_outside_is_cleaned():
    assert type(values.foreign("<script>\n" + "x" * 500)).__name__ == "script" + "x" * 54


@pytest.mark.parametrize("value", [10**5000, [[]] * 200_001], ids=["digits", "items"])
def test_what_is_too_large_is_refused(value):
    with pytest.raises(values.Refused):
        values.encode(value)


def test_a_cycle_is_refused_and_named():
    loop = []
    loop.append(loop)
    assert values.encode_or_foreign(loop) == {"x": "list (too deep)"}


def test_many_colliding_keys_are_refused_before_they_cost_anything():
    # The hash of an int is its value modulo 2**61 - 1: all of these collide.
    colliding = {"s": [k * (2**61 - 1) for k in range(100_000)]}
    with pytest.raises(values.Refused, match="too many keys"):
        values.decode(colliding)


def test_lone_surrogates_become_writable_text():
    assert values.decode("a\ud800b") == "a?b"
