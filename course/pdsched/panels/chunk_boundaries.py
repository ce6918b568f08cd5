"""Panel 2a: the chunks of TODO 2, token by token, and the places where they yield."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final

from pdsched.figures.axes import short_number
from pdsched.figures.chunk_boundaries import ChunkPlan, Flaws, chunk_boundaries
from pdsched.figures.scene import Scene
from pdsched.messages import text
from pdsched.panels.faults import limited, wrong_type
from pdsched.panels.spec import Control, Number, PanelSpec, Question, Slider, Values, View

PREFIXES: Final = (0, 4, 8, 16, 32, 64, 128, 512, 1024, 4096, 16384)
SUFFIXES: Final = (1, 5, 8, 13, 16, 24, 32, 48, 64, 100, 128, 512, 1000, 4096, 8192, 32768, 131072)
SIZES: Final = (1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 8192)


class ChunkBoundaries(PanelSpec):
    """Prefix-hit, suffix and chunk-size sliders over the learner's chunks."""

    key = "chunk_boundaries"
    function = "build_chunked_prefill_plan"
    todo = 2
    few_calls = True

    def controls(self) -> tuple[Control, ...]:
        """Prefix hit, suffix length, chunk size."""
        return (
            Slider("prefix", text("panels.chunks.prefix"), PREFIXES, 8, "token"),
            Slider("suffix", text("panels.chunks.suffix"), SUFFIXES, 48, "token"),
            Slider("chunk_size", text("panels.chunks.size"), SIZES, 5, "token"),
        )

    def question(self, values: Values) -> Question:
        """The number of chunks."""
        return Question(
            text("panels.chunks.question", suffix=values["suffix"], size=values["chunk_size"])
        )

    def frame(self, values: Values) -> Scene:
        """The prompt before it is cut."""
        return chunk_boundaries(_plan(values))

    def compute(
        self, function: Callable[..., Any], values: Values, prediction: float | str | None
    ) -> View:
        """The learner's chunks of the suffix, with what is missing, repeated or too long."""
        prefix, suffix = int(values["prefix"]), int(values["suffix"])
        size = int(values["chunk_size"])
        expected = list(range(prefix, prefix + suffix))
        chunks = function(list(expected), size)
        if not _well_formed(chunks):
            return View(self.frame(values), (wrong_type(self.function, "list[list[int]]", chunks),))
        lengths = tuple(map(len, chunks))
        flaws = _flaws(chunks, expected, lengths, size)
        scene = chunk_boundaries(
            ChunkPlan(prefix, suffix, size, lengths, flaws,
                      prediction if isinstance(prediction, (int, float)) else None)
        )  # fmt: skip
        faults = limited(_sentences(flaws, lengths, size))
        return View(scene, faults, _numbers(lengths, prefix, prediction), answer=len(lengths))


def _plan(values: Values) -> ChunkPlan:
    return ChunkPlan(int(values["prefix"]), int(values["suffix"]), int(values["chunk_size"]))


def _well_formed(chunks: object) -> bool:
    return isinstance(chunks, list) and set(map(type, chunks)) <= {list, tuple}


def _flaws(
    chunks: Sequence[Sequence[int]], expected: list[int], lengths: tuple[int, ...], size: int
) -> Flaws:
    flat = list(chain.from_iterable(chunks))
    overlong: tuple[int, ...] = ()
    underfull: tuple[int, ...] = ()
    if lengths and max(lengths) > size:
        overlong = tuple(i for i, length in enumerate(lengths) if length > size)
    if len(lengths) > 1 and min(lengths[:-1]) < size:
        underfull = tuple(i for i, length in enumerate(lengths[:-1]) if length < size)
    if lengths and lengths[-1] == 0:
        underfull += (len(lengths) - 1,)
    if flat == expected:
        return Flaws(overlong=overlong, underfull=underfull)
    seen = Counter(flat)
    missing = tuple(token for token in expected if token not in seen)
    repeated = tuple(token for token, times in seen.items() if times > 1)
    in_order = [token for token in expected if token in seen]
    first_seen = list(dict.fromkeys(flat))
    misplaced = tuple(want for want, got in zip(in_order, first_seen, strict=False) if want != got)
    return Flaws(missing, repeated, misplaced, overlong, underfull)


def _sentences(flaws: Flaws, lengths: tuple[int, ...], size: int) -> list[str]:
    words = []
    for kind in ("missing", "repeated"):
        tokens = getattr(flaws, kind)
        if tokens:
            words.append(text(f"panels.chunks.{kind}", count=len(tokens), first=min(tokens)))
    if flaws.misplaced:
        words.append(text("panels.chunks.misplaced", first=flaws.misplaced[0]))
    for kind in ("overlong", "underfull"):
        words.extend(
            text(f"panels.chunks.{kind}", number=index + 1, tokens=lengths[index], size=size)
            for index in getattr(flaws, kind)[:4]
        )
    return words


def _numbers(
    lengths: tuple[int, ...], prefix: int, prediction: float | str | None
) -> tuple[Number, ...]:
    entries = [
        Number(text("panels.chunks.number.count"), short_number(len(lengths)), "prefill"),
        Number(text("panels.chunks.number.tail"), f"{(lengths or (0,))[-1]} token"),
        Number(text("panels.chunks.number.yields"), short_number(max(len(lengths) - 1, 0))),
        Number(text("panels.chunks.number.saved"), f"{short_number(prefix)} token", "cached"),
    ]
    if isinstance(prediction, (int, float)):
        entries.append(
            Number(text("panels.chunks.number.predicted"), f"{prediction:g}", "prediction")
        )
    return tuple(entries)
