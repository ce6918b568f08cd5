"""Python values as plain JSON and back, with exact builtin types at the end.

``encode`` runs wherever the value is, ``decode`` where it is wanted. Scalars and lists are written
as they are; everything else is an object with one key that names its kind:

    {"o": {...}}    dict whose keys are all str        {"t": [...]}    tuple
    {"d": [[k, v]]} any other dict                     {"s": [...]}    set ("z": frozenset)
    {"f": "nan"}    a float JSON has no word for       {"x": "name"}   a value that does not travel

Subclasses travel as what they hold (a ``Counter`` is a dict, an ``IntEnum`` an int), read through
the base class so that overridden methods have no say. NumPy integers and floats travel as numbers.
What does not travel arrives as a `Foreign` whose class has the original type's name.
"""

from __future__ import annotations

import math
import sys
from typing import Any

MAX_DEPTH = 60
MAX_INT_BITS = 14_000  # what MAX_INT_DIGITS of a frame can hold, rounded down
MAX_ITEMS = 200_000
#: Keys that are not str hash predictably, so a sender could make them collide; this bounds it.
MAX_HASHED_ITEMS = 2_000
MAX_NAME_CHARACTERS = 60


class Refused(ValueError):  # noqa: N818  names what happened to the value
    """A value that does not travel (`encode`) or a text that is no value (`decode`)."""


class Foreign:
    """Stands for a value that stayed in the worker; equal to nothing but itself."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


def foreign(name: str) -> Foreign:
    """A stand-in whose class carries the (cleaned, shortened) name of the original's type."""
    kept = "".join(c for c in name if c.isascii() and (c.isalnum() or c in "_. (),-"))
    made: Foreign = type(kept[:MAX_NAME_CHARACTERS].strip() or "object", (Foreign,), {})()
    return made


def encode(value: Any) -> Any:
    """The JSON form of a value.

    Raises:
        Refused: too deep, too many items, or an integer too long.
    """
    return _encode(value, 0, [MAX_ITEMS])


def encode_or_foreign(value: Any) -> Any:
    """The JSON form of a value; one that is refused as a whole is sent as its type and reason."""
    try:
        return encode(value)
    except Refused as error:
        return {"x": f"{type(value).__name__} ({error})"}
    except RecursionError:
        return {"x": f"{type(value).__name__} (too deep)"}


def _encode(value: Any, depth: int, left: list[int]) -> Any:
    left[0] -= 1
    if depth > MAX_DEPTH:
        raise Refused("too deep")
    if left[0] < 0:
        raise Refused("too many items")
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        if value.bit_length() > MAX_INT_BITS:
            raise Refused("integer too long")
        return value
    if kind is float:
        return value if math.isfinite(value) else {"f": repr(value)}
    if kind is list:
        return [_encode(item, depth + 1, left) for item in value]
    if kind is dict:
        return _encode_dict(value, depth + 1, left)
    return _encode_other(value, kind, depth, left)


def _encode_dict(value: dict[Any, Any], depth: int, left: list[int]) -> Any:
    pairs = list(dict.items(value))
    if all(type(key) is str for key, _ in pairs):
        return {"o": {key: _encode(item, depth, left) for key, item in pairs}}
    return {"d": [[_encode(key, depth, left), _encode(item, depth, left)] for key, item in pairs]}


def _encode_other(value: Any, kind: type, depth: int, left: list[int]) -> Any:
    scalar = _scalar(value, kind)
    if scalar is not None:
        return _encode(scalar, depth, left)
    if issubclass(kind, dict):
        return _encode_dict(value, depth + 1, left)
    for base, tag in ((list, ""), (tuple, "t"), (set, "s"), (frozenset, "z")):
        if issubclass(kind, base):
            items = [_encode(item, depth + 1, left) for item in base.__iter__(value)]
            return {tag: items} if tag else items
    return {"x": str(kind.__name__)}


def _scalar(value: Any, kind: type) -> Any:
    """The exact int, float or str that a subclass or a NumPy number holds; else None."""
    if issubclass(kind, int):
        return int.__pos__(value)
    if issubclass(kind, float):
        return float.__pos__(value)
    if issubclass(kind, str):
        return "".join(str.__iter__(value))
    numpy = sys.modules.get("numpy")
    if numpy is None or not issubclass(kind, (numpy.integer, numpy.floating)):
        return None
    number = value.item()
    return number if type(number) in (int, float) else None


def decode(data: Any) -> Any:
    """The value of a JSON form, made of exact builtin types and `Foreign` only.

    Raises:
        Refused: not a form that `encode` makes, or beyond the limits.
    """
    return _Decoder().value(data, 0)


class _Decoder:
    """One message's decoding; counts what a hostile sender could make expensive."""

    def __init__(self) -> None:
        self._items = MAX_ITEMS
        self._hashed = MAX_HASHED_ITEMS

    def value(self, data: Any, depth: int) -> Any:
        self._items -= 1
        if depth > MAX_DEPTH or self._items < 0:
            raise Refused("too deep" if depth > MAX_DEPTH else "too many items")
        kind = type(data)
        if data is None or kind is bool or kind is int or kind is float:
            return data
        if kind is str:
            return text(data)
        if kind is list:
            return [self.value(item, depth + 1) for item in data]
        if kind is not dict or len(data) != 1:
            raise Refused("not a value")
        ((tag, body),) = data.items()
        return self._tagged(tag, body, depth + 1)

    def _tagged(self, tag: str, body: Any, depth: int) -> Any:
        if tag == "o" and type(body) is dict:
            return {text(key): self.value(item, depth) for key, item in body.items()}
        if tag == "d" and type(body) is list:
            return self._pairs(body, depth)
        if tag in ("t", "s", "z") and type(body) is list:
            if tag == "t":
                return tuple(self.value(item, depth) for item in body)
            items = [self._key(item, depth) for item in body]
            return set(items) if tag == "s" else frozenset(items)
        if tag == "f" and body in ("nan", "inf", "-inf"):
            return float(body)
        if tag == "x" and type(body) is str:
            return foreign(body)
        raise Refused("not a value")

    def _pairs(self, body: list[Any], depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for pair in body:
            if type(pair) is not list or len(pair) != 2:
                raise Refused("not a value")
            found[self._key(pair[0], depth)] = self.value(pair[1], depth)
        return found

    def _key(self, data: Any, depth: int) -> Any:
        self._hashed -= 1
        if self._hashed < 0:
            raise Refused("too many keys")
        key = self.value(data, depth)
        try:
            hash(key)
        except TypeError:
            raise Refused("not a value") from None
        return key


def text(data: str) -> str:
    """A str that can be written as UTF-8: lone surrogates become U+FFFD."""
    return data.encode("utf-8", "replace").decode("utf-8") if _has_surrogate(data) else data


def _has_surrogate(data: str) -> bool:
    return not data.isascii() and any("\ud800" <= c <= "\udfff" for c in data)
