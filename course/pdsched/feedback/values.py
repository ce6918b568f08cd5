"""Compare what a function returned with what was expected, exactly and without trusting it.

A result may be an object whose ``__eq__`` always says yes. So it is first *rebuilt* from exact
builtin types through the base classes' own methods; only rebuilt values are ever compared.
Subclasses (``Counter``, ``defaultdict``, an ``IntEnum``) count as what they hold; NumPy numbers
count as Python numbers; a ``numpy.bool_`` does not count as ``bool``, because ``is True`` fails.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, Final, cast

from pdsched.messages import text

MAX_DEPTH: Final = 40
MAX_ITEMS: Final = 200_000
SHOWN_CHARACTERS: Final = 600
RELATIVE_TOLERANCE: Final = 1e-9
ABSOLUTE_TOLERANCE: Final = 1e-9


class NotPlain(TypeError):  # noqa: N818  names the state
    """A value that is not made of dict, list, tuple, str, int, float, bool and None."""


@dataclass(frozen=True)
class Difference:
    """The first place where two values part.

    Attributes:
        kind: ``"type"`` or ``"value"``.
        detail: one sentence that names the place.
    """

    kind: str
    detail: str


def rebuilt(value: object) -> Any:
    """The same value made of exact builtin types only.

    Raises:
        NotPlain: something else is in it, or it is too deep or too large.
    """
    return _rebuild(value, 0, [MAX_ITEMS])


def _rebuild(value: object, depth: int, budget: list[int]) -> Any:
    budget[0] -= 1
    if depth > MAX_DEPTH or budget[0] < 0:
        raise NotPlain(text("feedback.value.too_large"))
    kind = type(value)
    if value is None or kind is bool:
        return value
    for scalar in (int, float, str):
        if issubclass(kind, scalar):
            return _scalar(value, scalar)
    down = depth + 1
    if issubclass(kind, list):
        return [_rebuild(item, down, budget) for item in list.__iter__(cast("Any", value))]
    if issubclass(kind, tuple):
        return tuple(_rebuild(item, down, budget) for item in tuple.__iter__(cast("Any", value)))
    if issubclass(kind, dict):
        pairs = dict.items(cast("dict[Any, Any]", value))
        return {
            _key(_rebuild(key, down, budget)): _rebuild(item, down, budget) for key, item in pairs
        }
    return _numpy_number(value)


def _key(key: Any) -> Any:
    if type(key) in (list, dict):  # a hashable subclass of one
        raise NotPlain(type(key).__name__)
    return key


def _scalar(value: Any, base: type) -> Any:
    if base is str:
        return str.__str__(value) if type(value) is str else "".join(str.__iter__(value))
    return int.__int__(value) if base is int else float.__float__(value)


def _numpy_number(value: Any) -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(value) in set(numpy.sctypeDict.values()):
        number = value.item()
        if type(number) in (int, float):
            return number
    raise NotPlain(type(value).__name__)


def difference(expected: object, got: object) -> Difference | None:
    """Where `got` (rebuilt) first differs from `expected`; None when they agree.

    A float is compared within 1e-9 and may be answered by an int; every other type is exact, so
    ``True`` is not ``1`` and a tuple is not a list. The order of a dict's keys does not matter.
    """
    return _difference(expected, got, "")


def _difference(expected: Any, got: Any, path: str) -> Difference | None:
    if type(expected) is float and type(got) in (int, float):
        return None if close(expected, got) else _unequal(expected, got, path)
    if type(expected) is not type(got):
        return Difference(
            "type",
            text(
                "feedback.value.type_differs",
                place=_place(path),
                expected=type(expected).__name__,
                got=type(got).__name__,
                value=shown(got, 60),
            ),
        )
    if type(expected) is dict:
        return _dict_difference(expected, got, path)
    if type(expected) in (list, tuple):
        return _sequence_difference(expected, got, path)
    return None if expected == got else _unequal(expected, got, path)


def _dict_difference(expected: dict[Any, Any], got: dict[Any, Any], path: str) -> Difference | None:
    missing = [key for key in expected if key not in got]
    extra = [key for key in got if key not in expected]
    for key, found in (("missing_keys", missing), ("extra_keys", extra)):
        if found:
            names = ", ".join(shown(name, 40) for name in found[:6])
            message = text(f"feedback.value.{key}", place=_place(path), keys=names)
            return Difference("value", message)
    for key, item in expected.items():
        found_difference = _difference(item, got[key], f"{path}[{key!r}]")
        if found_difference:
            return found_difference
    return None


def _sequence_difference(expected: Any, got: Any, path: str) -> Difference | None:
    for index, (item, other) in enumerate(zip(expected, got)):  # noqa: B905  lengths come next
        found = _difference(item, other, f"{path}[{index}]")
        if found:
            return found
    if len(expected) != len(got):
        message = text(
            "feedback.value.length_differs",
            place=_place(path),
            expected=len(expected),
            got=len(got),
        )
        return Difference("value", message)
    return None


def _unequal(expected: object, got: object, path: str) -> Difference:
    message = text(
        "feedback.value.value_differs",
        place=_place(path),
        expected=shown(expected, 80),
        got=shown(got, 80),
    )
    # At the top level the expected and got lines already say it.
    return Difference("value", message if path else "")


def _place(path: str) -> str:
    return text("feedback.value.place", path=path) if path else text("feedback.value.whole")


def close(expected: float, got: float) -> bool:
    """Equal within 1e-9 (relative or absolute); NaN and integers beyond a float equal nothing."""
    try:
        return math.isclose(expected, got, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)
    except OverflowError:
        return False


def shown(value: object, limit: int = SHOWN_CHARACTERS) -> str:
    """``repr`` for a reader: never raises, never longer than `limit` characters."""
    try:
        full = repr(value)
    except Exception as error:  # a learner's own __repr__ may do anything
        full = f"<{type(value).__name__}: repr raised {type(error).__name__}>"
    return full if len(full) <= limit else f"{full[: limit - 12]} …(+{len(full) - limit + 12})"
