"""Axes with round ticks and units, and how wide words are before a browser has drawn them."""

from __future__ import annotations

import math

from pdsched.figures.scene import Axis, Tick


def text_width_px(words: str, size_px: float = 13) -> float:
    """An upper estimate of the drawn width: a CJK glyph is one em, a Latin one about 0.58."""
    return sum(size_px if ord(char) > 0x2E80 else size_px * 0.58 for char in words)


def short_number(value: float) -> str:
    """``2048`` as ``2,048`` and ``131072`` as ``128k``: at most about six characters."""
    if value >= 1024 and value % 1024 == 0 and value >= 16384:
        return f"{int(value // 1024)}k"
    if value >= 1e6:
        return f"{value / 1e6:.3g}M"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}"


def milliseconds(value_ms: float) -> str:
    """A duration with its unit, in seconds from ten thousand milliseconds on."""
    if value_ms >= 10_000:
        return f"{value_ms / 1000:.3g} s"
    if value_ms >= 100:
        return f"{value_ms:.0f} ms"
    return f"{value_ms:.3g} ms"


def _step(span: float, wanted: int) -> float:
    raw = span / max(wanted, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    for factor in (1, 2, 5, 10):
        if factor * power >= raw - 1e-12:
            return float(factor * power)
    raise AssertionError(raw)


def linear_axis(
    label: str, high: float, *, low: float = 0, wanted: int = 6, whole: bool = False
) -> Axis:
    """A linear axis with about ``wanted`` round ticks; ``whole`` keeps ticks on integers."""
    high = max(high, low + 1e-9)
    step = _step(high - low, wanted)
    if whole:
        step = max(1.0, float(round(step)))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    ticks = tuple(Tick(i * step, short_number(round(i * step, 10))) for i in range(first, last + 1))
    return Axis(label, low, high, ticks=ticks)


def log_axis(label: str, low: float, high: float, *, base: int = 4) -> Axis:
    """A log axis with a tick at every power of ``base``."""
    ticks = []
    value = 1.0
    while value <= high * 1.0001:
        if value >= low * 0.9999:
            ticks.append(Tick(value, short_number(value)))
        value *= base
    return Axis(label, low, high, log=True, ticks=tuple(ticks))


def row_axis(names: tuple[str, ...]) -> Axis:
    """A vertical axis of named rows, the first on top; row i spans ``n-1-i`` to ``n-i``."""
    count = len(names)
    ticks = tuple(Tick(count - 0.5 - i, name, grid=False) for i, name in enumerate(names))
    return Axis("", 0, count, ticks=ticks)


def numbered_axis(label: str, count: int) -> Axis:
    """Columns numbered from 1: column i spans ``i-1`` to ``i``, its number in the middle."""
    step = max(1, round(_step(count, 12)))
    numbers = [1, *range(step, count + 1, step)] if step > 1 else range(1, count + 1)
    return Axis(
        label, 0, count, ticks=tuple(Tick(n - 0.5, short_number(n), False) for n in numbers)
    )
