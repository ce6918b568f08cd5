"""Panel 1's picture: every request at (prompt, output), in the class the learner gave it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pdsched.figures.axes import log_axis, short_number
from pdsched.figures.scene import Axis, Dot, Line, Mark, Note, Plot, Scene
from pdsched.messages import text

CLASS_MARK: Final = {
    "prefill_heavy": ("prefill", "triangle"),
    "decode_heavy": ("decode", "circle"),
    "mixed": ("shared", "diamond"),
}
OUTPUT_SHARE: Final = 8  # an output is long above long_prompt_threshold // 8


@dataclass(frozen=True, slots=True)
class MixPoint:
    """One request and what the learner's function said of it.

    ``answer`` is a class name or None before there is an answer; ``fault`` is the sentence of the
    rule its answer breaks, empty if none.
    """

    name: str
    prompt_tokens: int
    decode_tokens: int
    answer: str | None = None
    fault: str = ""


def request_mix(points: Sequence[MixPoint], long_prompt_threshold: int) -> Scene:
    """The scatter with both thresholds drawn and the two kinds of ``mixed`` told apart."""
    output_threshold = long_prompt_threshold // OUTPUT_SHARE
    longest_prompt = max([16, *(p.prompt_tokens for p in points)])
    longest_output = max([output_threshold * 2, *(p.decode_tokens for p in points)])
    shortest = min([16, *(p.prompt_tokens for p in points)])
    beyond = long_prompt_threshold * 8  # room for the words in the corner of long/long
    x = log_axis(text("figures.mix.x"), shortest / 1.6, max(longest_prompt * 1.6, 16384, beyond))
    y = log_axis(text("figures.mix.y"), 4, max(longest_output * 1.8, 2048))
    marks: list[Mark] = [
        *_threshold_lines(long_prompt_threshold, output_threshold, x, y),
        Note(x.low, y.low, text("figures.mix.short_short"), "faint", dx_px=8, dy_px=-8),
        Note(x.high, y.high, text("figures.mix.long_long"), "faint", "end", -8, 18),
    ]
    for point in points:
        marks.extend(_point(point, long_prompt_threshold, output_threshold))
    plot = Plot("mix", x, y, 380, tuple(marks))
    return Scene(
        key="request_mix",
        title=text("figures.mix.title", threshold=long_prompt_threshold),
        alt=_alt(points, long_prompt_threshold, output_threshold),
        plots=(plot,),
        legend=("prefill", "decode", "shared", "threshold", "error"),
    )


def _threshold_lines(prompt: int, output: int, x: Axis, y: Axis) -> list[Mark]:
    words = text("figures.mix.line_y", threshold=short_number(prompt), value=short_number(output))
    at = max(float(output), y.low)
    return [
        Line(((prompt, y.low), (prompt, y.high)), "threshold"),
        Line(((x.low, at), (x.high, at)), "threshold"),
        Note(prompt, y.high, text("figures.mix.line_x", value=short_number(prompt)), "threshold",
             "end" if prompt > 1000 else "start", -7 if prompt > 1000 else 7, 18, bold=True),
        Note(x.low, at, words, "threshold", "start", 8, -7, bold=True),
    ]  # fmt: skip


def _point(point: MixPoint, prompt_threshold: int, output_threshold: int) -> list[Mark]:
    answer = point.answer or text("figures.mix.unanswered")
    why = point.fault or text(
        "figures.mix.why",
        name=point.name,
        prompt=short_number(point.prompt_tokens),
        output=short_number(point.decode_tokens),
        answer=answer,
    )
    role, shape = CLASS_MARK.get(point.answer or "", ("faint", "circle"))
    short_both = point.prompt_tokens <= prompt_threshold and point.decode_tokens <= output_threshold
    hollow = point.answer is None or (role == "shared" and short_both)
    x, y = float(point.prompt_tokens), float(point.decode_tokens)
    marks: list[Mark] = [Dot(x, y, role, shape, 12, why, hollow)]  # type: ignore[arg-type]
    if point.fault:
        marks.append(Dot(x, y, "error", "circle", 21, why, hollow=True))
        marks.append(Dot(x, y, "error", "cross", 9, why))
    return marks


def _alt(points: Sequence[MixPoint], prompt_threshold: int, output_threshold: int) -> str:
    def count(answer: str) -> int:
        return sum(point.answer == answer for point in points)

    mixed = [point for point in points if point.answer == "mixed"]
    return text(
        "figures.mix.alt",
        count=len(points),
        threshold=prompt_threshold,
        prefill=count("prefill_heavy"),
        decode=count("decode_heavy"),
        mixed=len(mixed),
        short=sum(
            p.prompt_tokens <= prompt_threshold and p.decode_tokens <= output_threshold
            for p in mixed
        ),
        long=sum(
            p.prompt_tokens > prompt_threshold and p.decode_tokens > output_threshold for p in mixed
        ),
        wrong=sum(bool(point.fault) for point in points),
    )
