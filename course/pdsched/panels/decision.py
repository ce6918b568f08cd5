"""Panel 4: TODO 5 decides at every load whether the split is worth its handoff."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from pdsched.figures.axes import milliseconds, short_number
from pdsched.figures.decision import SYSTEMS, Limits, LoadPoint, Outcome, System, decision
from pdsched.figures.scene import Scene
from pdsched.hardware import LINKS
from pdsched.messages import text
from pdsched.metrics import Slo
from pdsched.panels.decision_runs import (
    LOADS,
    LONGEST_OUTPUT,
    LONGEST_PROMPT,
    WORKERS,
    Setting,
    outcome,
)
from pdsched.panels.faults import limited, wrong_type
from pdsched.panels.iteration_timeline import cost
from pdsched.panels.spec import Choice, Control, Number, PanelSpec, Question, Slider, Values, View

KEYS: Final = ("throughput_gain", "latency_delta_ms", "handoff_ms", "keep_split")
LINK_NAMES: Final = ("nvlink-h100", "roce-8x200g", "nic-400g", "ethernet-100g", "ethernet-25g")


class Decision(PanelSpec):
    """Baseline, split, link and limits; the region where the learner keeps PD."""

    key = "decision"
    function = "evaluate_pd_decision"
    todo = 5
    few_calls = True
    looks = frozenset({"metric"})

    def controls(self) -> tuple[Control, ...]:
        """What is compared, over which link, against which limits."""
        kinds = tuple((text(f"panels.workload.{kind}"), kind) for kind in
                      ("chat", "code", "mixed", "long-document"))  # fmt: skip
        splits = tuple((f"{p}P : {WORKERS - p}D", str(p)) for p in range(1, WORKERS))
        links = tuple((f"{name}（{LINKS[name].gb_per_s:g} GB/s）", name) for name in LINK_NAMES)
        bases = tuple((text(f"figures.role.system_{b}"), b) for b in ("shared", "chunked"))
        metrics = tuple((text(f"panels.decision.{m}"), m) for m in ("throughput", "goodput"))
        firsts = tuple((text(f"panels.decision.ttft_{d}"), d) for d in ("prefill", "decode"))
        return (
            Slider("max_handoff", "max_handoff_ms", (1, 2, 5, 10, 20, 50, 100, 200, 500), 20, "ms"),
            Choice("baseline", text("panels.decision.baseline"), bases, "chunked"),
            Choice("metric", text("panels.decision.metric"), metrics, "throughput"),
            Choice("workload", text("panels.mix.workload"), kinds, "chat"),
            Choice("split", text("panels.decision.split"), splits, "3"),
            Choice("link", text("panels.pd.link"), links, "nic-400g"),
            Slider("slo_ttft", text("panels.decision.slo_ttft"),
                   (50, 100, 200, 400, 800, 1600, 3200), 400, "ms"),
            Slider("slo_tpot", text("panels.decision.slo_tpot"), (5, 10, 15, 20, 30, 40, 80), 20,
                   "ms"),
            Choice("first_token", text("panels.decision.first_token"), firsts, "decode"),
        )  # fmt: skip

    def question(self, values: Values) -> Question:
        """At how many of the loads the split is kept."""
        words = text(
            "panels.decision.question",
            count=len(LOADS),
            loads=", ".join(map(str, LOADS)),
            limit=milliseconds(float(values["max_handoff"])),
            baseline=text(f"figures.role.system_{values['baseline']}"),
        )
        return Question(words)

    def frame(self, values: Values) -> Scene:
        """The shared systems alone: how the split does is the answer."""
        points = [
            replace(p, outcomes={s: o for s, o in p.outcomes.items() if s != "pd"})
            for p in _measured(values)
        ]
        return _scene(points, values, None)

    def prepare(self, values: Values) -> None:
        """Simulate, or remember."""
        _measured(values)

    def compute(
        self, function: Callable[..., Any], values: Values, prediction: float | str | None
    ) -> View:
        """The learner's decision at each load."""
        points, faults = [], []
        for point in _measured(values):
            base = point.outcomes[cast("System", values["baseline"])]
            limit = float(values["max_handoff"])
            decided = function(*_arguments(base, point.outcomes["pd"]), limit)
            problem = _malformed(decided)
            if problem:
                return View(self.frame(values), (problem,))
            fault = _fault(decided, base, point.outcomes["pd"], limit, point.load)
            if fault:
                faults.append(fault)
            keep = bool(decided["keep_split"])
            why = _why(base, point.outcomes["pd"], limit, point.load)
            points.append(replace(point, keep=keep, fault=fault, why=why))
        scene = _scene(points, values, prediction)
        kept = sum(bool(point.keep) for point in points)
        cut = text("panels.decision.cut", output=LONGEST_OUTPUT, prompt=f"{LONGEST_PROMPT:,}")
        return View(scene, limited(faults), _numbers(points, values), (cut,), answer=kept)


def _limits(values: Values) -> Limits:
    return Limits(
        float(values["max_handoff"]), float(values["slo_ttft"]), float(values["slo_tpot"])
    )


def _measured(values: Values) -> list[LoadPoint]:
    setting = Setting(str(values["workload"]), int(values["split"]), str(values["link"]))
    limits, first = _limits(values), str(values["first_token"])
    slo = Slo(limits.ttft_ms, limits.tpot_ms)
    return [
        LoadPoint(load, {system: outcome(system, setting, load, slo, first) for system in SYSTEMS})
        for load in LOADS
    ]


def _scene(points: list[LoadPoint], values: Values, prediction: float | str | None) -> Scene:
    return decision(
        points,
        _limits(values),
        metric="goodput" if values["metric"] == "goodput" else "throughput",
        baseline=cast("System", values["baseline"]),
        predicted=float(prediction) if isinstance(prediction, (int, float)) else None,
        evidence=text("figures.evidence.simulated", cost=cost().name),
    )


def _arguments(base: Outcome, split: Outcome) -> tuple[dict[str, float], dict[str, float]]:
    return (
        {"throughput": base.throughput, "p95_latency_ms": base.latency_ms},
        {
            "throughput": split.throughput,
            "p95_latency_ms": split.latency_ms,
            "handoff_ms": split.handoff_ms,
        },
    )


def _malformed(decided: object) -> str:
    if isinstance(decided, Mapping) and all(
        isinstance(decided.get(key), (int, float)) for key in KEYS
    ):
        return ""
    expected = "{" + ", ".join(f"'{key}': …" for key in KEYS) + "}"
    return wrong_type(Decision.function, expected, decided)


def _conditions(base: Outcome, split: Outcome, limit: float) -> dict[str, bool]:
    """The three conditions, each read off its own row of the picture."""
    return {
        "gain": split.throughput > base.throughput,
        "latency": split.latency_ms <= base.latency_ms,
        "handoff": split.handoff_ms <= limit,
    }


def _why(base: Outcome, split: Outcome, limit: float, load: int) -> str:
    met = {name: "✓" if ok else "✗" for name, ok in _conditions(base, split, limit).items()}
    return text(
        "panels.decision.why",
        load=load,
        gain=f"{split.throughput - base.throughput:+.1f} tok/s {met['gain']}",
        delta=f"{split.latency_ms - base.latency_ms:+.1f} ms {met['latency']}",
        handoff=f"{split.handoff_ms:.1f} ms ≤ {limit:g} ms {met['handoff']}",
    )


def _fault(
    decided: Mapping[str, Any], base: Outcome, split: Outcome, limit: float, load: int
) -> str:
    reported = {
        "throughput_gain": split.throughput - base.throughput,
        "latency_delta_ms": split.latency_ms - base.latency_ms,
        "handoff_ms": split.handoff_ms,
    }
    for key, expected in reported.items():
        if abs(float(decided[key]) - expected) > 1e-6 * max(1.0, abs(expected)):
            return text("panels.decision.wrong_number", load=load, key=key,
                        expected=f"{expected:.4g}", got=f"{decided[key]:.4g}")  # fmt: skip
    expected_keep = all(_conditions(base, split, limit).values())
    if bool(decided["keep_split"]) == expected_keep:
        return ""
    key = "panels.decision.should_keep" if expected_keep else "panels.decision.should_not"
    return text(key, why=_why(base, split, limit, load))


def _numbers(points: list[LoadPoint], values: Values) -> tuple[Number, ...]:
    kept = [str(point.load) for point in points if point.keep]
    last = points[-1]
    base, split = last.outcomes[cast("System", values["baseline"])], last.outcomes["pd"]
    best = {system: max(point.outcomes[system].goodput for point in points) for system in SYSTEMS}
    return (
        Number(text("panels.decision.number.kept"), ", ".join(kept) or "–", "slo"),
        Number(text("panels.decision.number.gain", load=last.load),
               f"{split.throughput - base.throughput:+.0f} tok/s", "system_pd"),
        Number(text("panels.decision.number.delta", load=last.load),
               f"{split.latency_ms - base.latency_ms:+.0f} ms", "system_pd"),
        Number(text("panels.decision.number.handoff", load=last.load),
               milliseconds(split.handoff_ms), "handoff"),
        Number(text("panels.decision.number.goodput"),
               " / ".join(short_number(round(best[system], 2)) for system in SYSTEMS)),
    )  # fmt: skip
