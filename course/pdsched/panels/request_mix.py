"""Panel 1: the request mix, classified by TODO 1 one request at a time and as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from pdsched.figures.request_mix import CLASS_MARK, OUTPUT_SHARE, MixPoint, request_mix
from pdsched.figures.scene import Scene
from pdsched.messages import text
from pdsched.panels.faults import limited, wrong_type
from pdsched.panels.quadrants import corner
from pdsched.panels.spec import Choice, Control, Number, PanelSpec, Question, Slider, Values, View
from pdsched.workload import synthetic

CLASSES: Final = tuple(CLASS_MARK)
CLASS_OF: Final = {"prefill": "prefill_heavy", "decode": "decode_heavy", "both": "mixed"}
THRESHOLDS: Final = (64, 128, 256, 512, 1024, 1536, 2048, 3072, 4096, 8192, 16384, 32768, 131072)
EDGES: Final = (
    (2048, 64), (2049, 64), (2048, 256), (2048, 257), (2049, 256), (2049, 257), (1, 1),
    (4096, 512), (4097, 512), (4097, 513), (131072, 1), (16, 16384),
)  # fmt: skip


@lru_cache(maxsize=16)
def workload(name: str, count: int) -> tuple[tuple[str, int, int], ...]:
    """``(name, prompt_tokens, decode_tokens)`` of each request of a named workload."""
    if name == "edges":
        pairs = [EDGES[index % len(EDGES)] for index in range(count)]
    else:
        requests = synthetic(name, count, seed=38)
        pairs = [(request.prompt_tokens, request.output_tokens) for request in requests]
    return tuple((f"r{index + 1}", prompt, output) for index, (prompt, output) in enumerate(pairs))


class RequestMix(PanelSpec):
    """Threshold slider over a prompt × output scatter."""

    key = "request_mix"
    function = "summarize_request_mix"
    todo = 1

    def controls(self) -> tuple[Control, ...]:
        """Threshold, workload, number of requests."""
        kinds = ("chat", "code", "reasoning", "mixed", "edges")
        options = tuple((text(f"panels.workload.{kind}"), kind) for kind in kinds)
        return (
            Slider("threshold", text("panels.mix.threshold"), THRESHOLDS, 2048, "token"),
            Choice("workload", text("panels.mix.workload"), options, "mixed"),
            Slider("count", text("panels.mix.count"), (3, 6, 12, 24, 48, 100), 24),
        )

    def question(self, values: Values) -> Question:
        """How many of the requests are mixed."""
        words = text("panels.mix.question", threshold=values["threshold"], count=values["count"])
        return Question(words)

    def frame(self, values: Values) -> Scene:
        """The requests without a class."""
        points = [MixPoint(*entry) for entry in _entries(values)]
        return request_mix(points, int(values["threshold"]))

    def compute(
        self, function: Callable[..., Any], values: Values, prediction: float | str | None
    ) -> View:
        """Each request's class by a call of its own, then the counts of the whole batch."""
        threshold = int(values["threshold"])
        entries = _entries(values)
        points, faults, tally = [], [], dict.fromkeys(CLASSES, 0)
        for entry in entries:
            counts = function([_as_request(entry)], threshold)
            problem = _malformed(counts)
            if problem:
                return View(self.frame(values), (problem,))
            got = next((name for name in CLASSES if counts[name] == 1), None)
            fault = _class_fault(entry, threshold, got, counts)
            if fault:
                faults.append(fault)
            if got:
                tally[got] += 1
            points.append(MixPoint(*entry, got, fault))
        whole = function([_as_request(entry) for entry in entries], threshold)
        faults.extend(_batch_faults(whole, tally, len(entries)))
        numbers = tuple(Number(name, str(tally[name]), CLASS_MARK[name][0]) for name in CLASSES)
        if isinstance(prediction, (int, float)):
            label = text("panels.number.predicted_mixed")
            numbers += (Number(label, f"{prediction:g}", "prediction"),)
        scene = request_mix(points, threshold)
        return View(scene, limited(faults), numbers, answer=tally["mixed"])


def _entries(values: Values) -> tuple[tuple[str, int, int], ...]:
    return workload(str(values["workload"]), int(values["count"]))


def _as_request(entry: tuple[str, int, int]) -> dict[str, object]:
    name, prompt, output = entry
    return {"name": name, "prompt_tokens": prompt, "decode_tokens": output}


def _malformed(counts: object) -> str:
    if isinstance(counts, Mapping) and all(isinstance(counts.get(name), int) for name in CLASSES):
        return ""
    expected = "{" + ", ".join(f"'{name}': int" for name in CLASSES) + "}"
    return wrong_type(RequestMix.function, expected, counts)


def _class_fault(
    entry: tuple[str, int, int], threshold: int, got: str | None, counts: Mapping[str, int]
) -> str:
    name, prompt, output = entry
    expected = CLASS_OF[corner(prompt, output, threshold, threshold // OUTPUT_SHARE)]
    if got == expected and sum(counts[each] for each in CLASSES) == 1:
        return ""
    output_threshold = threshold // OUTPUT_SHARE
    return text(
        "panels.mix.wrong_class",
        name=name,
        prompt=prompt,
        prompt_sign=">" if prompt > threshold else "≤",
        threshold=threshold,
        output=output,
        output_sign=">" if output > output_threshold else "≤",
        output_threshold=output_threshold,
        expected=expected,
        got=got or dict(counts),
    )


def _batch_faults(whole: object, tally: Mapping[str, int], count: int) -> Sequence[str]:
    problem = _malformed(whole)
    if problem or not isinstance(whole, Mapping):
        return [problem]
    total = sum(whole[name] for name in CLASSES)
    if total != count:
        return [text("panels.mix.not_conserved", total=total, count=count)]
    if {name: whole[name] for name in CLASSES} != dict(tally):
        return [text("panels.mix.inconsistent", whole=dict(whole), single=dict(tally))]
    return []
