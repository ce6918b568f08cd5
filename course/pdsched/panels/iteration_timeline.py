"""Panel 2b: TODO 3 plans every iteration while a long prompt arrives among running chats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from pdsched.cost import RooflineCost, roofline
from pdsched.figures.axes import milliseconds, short_number
from pdsched.figures.iteration_timeline import (
    StallRow,
    StepBar,
    TimelinePicture,
    iteration_timeline,
)
from pdsched.figures.scene import Scene
from pdsched.messages import text
from pdsched.panels.faults import limited
from pdsched.panels.reasons import reason
from pdsched.panels.replay import Machine, Replay, baseline, replay
from pdsched.panels.scenarios import ARRIVAL_MS, Scenario, scenario
from pdsched.panels.spec import (
    Choice,
    Control,
    Number,
    PanelSpec,
    Question,
    Slider,
    Stepper,
    Value,
    Values,
    View,
)
from pdsched.scheduler import NAMES

BUDGETS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384)
PROMPTS: Final = (8, 24, 64, 256, 1024, 2048, 4096, 8192, 16384, 32768, 131072)
CHATS: Final = (1, 2, 3, 4, 8, 16, 32, 64, 100)
RESERVES: Final = (0, 1, 2, 4, 8, 16, 32, 64)
SEATS: Final = (1, 2, 4, 8, 9, 16, 32, 64, 128, 256)
KV_TOKENS: Final = (0, 4096, 8192, 16384, 32768, 65536, 147456)
MODEL, GPU = "llama-3.1-8b", "h100"


@lru_cache(maxsize=1)
def cost() -> RooflineCost:
    """The cost model behind the milliseconds."""
    return roofline(MODEL, GPU)


class IterationTimeline(PanelSpec):
    """Budget, cap, reserve, policy and an arriving prompt; token bars and the stall strip."""

    key = "iteration_timeline"
    function = "plan_iteration_budget"
    todo = 3
    tolerance = 0.25
    looks = frozenset({"view", "ghost", "selected"})

    def controls(self) -> tuple[Control, ...]:
        """What the learner's function is given, what arrives, and how it is drawn."""
        scenarios = tuple((text(f"panels.scenario.{k}"), k) for k in ("long", "burst", "reasoning"))
        views = tuple((text(f"panels.view.{name}"), name) for name in ("step", "ms"))
        ghosts = ((text("panels.ghost.none"), ""), *((name, name) for name in NAMES))
        policies = tuple((name, name) for name in ("balanced", "decode_first", "prefill_first"))
        return (
            Choice("view", text("panels.timeline.view"), views, "step"),
            Choice("policy", "policy", policies, "balanced"),
            Choice("ghost", text("panels.timeline.ghost"), ghosts, ""),
            Slider("budget", text("panels.timeline.budget"), BUDGETS, 2048, "token"),
            Slider("cap", text("panels.timeline.cap"), BUDGETS, 2048, "token"),
            Slider("reserve", text("panels.timeline.reserve"), RESERVES, 1, "token"),
            Choice("scenario", text("panels.timeline.scenario"), scenarios, "long"),
            Slider("prompt", text("panels.timeline.prompt"), PROMPTS, 8192, "token"),
            Slider("chats", text("panels.timeline.chats"), CHATS, 8),
            Slider("seats", "max_num_seqs", SEATS, 256),
            Slider("kv", text("panels.timeline.kv"), KV_TOKENS, 0, "token"),
            Stepper("selected", text("panels.timeline.selected"), 120),
        )

    def presets(self) -> Mapping[str, Values]:
        """The three situations of serving, and one small enough for squares."""
        wide: dict[str, Value] = {"seats": 256, "kv": 0, "reserve": 1}
        return {
            "long": {**wide, "scenario": "long", "prompt": 8192, "chats": 8,
                     "budget": 2048, "cap": 2048},
            "burst": {**wide, "scenario": "burst", "prompt": 8192, "chats": 8,
                      "budget": 2048, "cap": 1024},
            "reasoning": {**wide, "scenario": "reasoning", "prompt": 8192, "chats": 32,
                          "budget": 2048, "cap": 2048},
            "squares": {**wide, "scenario": "long", "prompt": 64, "chats": 3,
                        "budget": 8, "cap": 4},
        }  # fmt: skip

    def question(self, values: Values) -> Question:
        """The longest gap of the watched chat, in milliseconds."""
        words = text(
            "panels.timeline.question",
            prompt=short_number(float(values["prompt"])),
            budget=short_number(float(values["budget"])),
            usual=milliseconds(_usual_ms(int(values["chats"]))),
        )
        return Question(words, unit="ms")

    def frame(self, values: Values) -> Scene:
        """The empty budget."""
        return iteration_timeline(
            TimelinePicture(_title(values), int(values["budget"]), (), footer=_evidence()), "step"
        )

    def compute(
        self, function: Callable[..., Any], values: Values, prediction: float | str | None
    ) -> View:
        """Every iteration by the learner's plan, with the baseline behind it."""
        work = scenario(str(values["scenario"]), int(values["prompt"]), int(values["chats"]))
        machine = _machine(values, work)
        cap, reserve = int(values["cap"]), int(values["reserve"])
        run = replay(
            function, work, machine, policy=str(values["policy"]), cap=cap, reserve=reserve
        )
        stalls = [_stalls(run, work, text("panels.timeline.watched"))]
        ghost: tuple[StepBar, ...] = ()
        if values["ghost"]:
            name = str(values["ghost"])
            other = baseline(name, work, machine, cap=cap, reserve=reserve)
            ghost = _bars(other, work, machine)
            stalls.append(replace(_stalls(other, work, name), ghost=True))
        picture = TimelinePicture(
            _title(values),
            machine.budget,
            _bars(run, work, machine),
            tuple(stalls),
            ghost,
            arrival_ms=ARRIVAL_MS,
            selected=min(int(values["selected"]), len(run.iterations)),
            predicted_ms=float(prediction) if isinstance(prediction, (int, float)) else None,
            footer=_evidence(),
            windowed=run.windowed,
        )
        scene = iteration_timeline(picture, "ms" if values["view"] == "ms" else "step")
        longest = stalls[0].longest_ms
        return View(
            scene,
            limited(_faults(run)),
            _numbers(run, work, machine, longest, prediction),
            _sentences(run, machine, values),
            answer=longest,
            most={"selected": len(run.iterations)},
        )


def _title(values: Values) -> str:
    return text("panels.timeline.title", policy=values["policy"],
                budget=short_number(float(values["budget"])))  # fmt: skip


def _evidence() -> str:
    return text("panels.evidence.simulated", cost=cost().name)


@lru_cache(maxsize=16)
def _usual_ms(chats: int) -> float:
    """One iteration of decodes only."""
    return cost().iteration_ms(0, 0, 0.0, chats, chats * 520, chats)


def _machine(values: Values, work: Scenario) -> Machine:
    """The worker; a KV cache must at least hold the largest request."""
    kv = int(values["kv"])
    if kv:
        largest = max(r.prompt_tokens + r.output_tokens for r in work.requests)
        kv = max(kv, -(-largest // 16) * 16)
    return Machine(cost(), int(values["budget"]), int(values["seats"]), kv)


def _bars(run: Replay, work: Scenario, machine: Machine) -> tuple[StepBar, ...]:
    number = {request.request_id: i for i, request in enumerate(work.requests)}
    bars = []
    for index, iteration in enumerate(run.iterations):
        asked = run.asked[index] if run.asked else None
        fault = run.faults[index] if run.faults else ""
        chunks = asked.chunks if asked else [(c.request_id, c.num_tokens) for c in
                                             iteration.prefills]  # fmt: skip
        bars.append(
            StepBar(
                iteration.start_ms,
                iteration.end_ms,
                len(asked.decodes) if asked else len(iteration.decodes),
                tuple((number.get(name, 0), tokens) for name, tokens in chunks),
                reason(iteration, asked, machine, fault),
                fault,
            )
        )
    return tuple(bars)


def _stalls(run: Replay, work: Scenario, label: str) -> StallRow:
    """When the watched chat received its tokens."""
    prompt = next(r.prompt_tokens for r in work.requests if r.request_id == work.watched)
    indices, times = [], []
    for iteration in run.iterations:
        finished = any(
            chunk.request_id == work.watched
            and chunk.num_computed_tokens + chunk.num_tokens >= prompt
            for chunk in iteration.prefills
        )
        if finished or work.watched in iteration.decodes:
            indices.append(iteration.index)
            times.append(iteration.end_ms)
    return StallRow(label, tuple(indices), tuple(times))


def _faults(run: Replay) -> list[str]:
    return [
        text("panels.timeline.fault", number=number, rule=fault)
        for number, fault in enumerate(run.faults, 1)
        if fault
    ]


def _ttft_ms(run: Replay, work: Scenario) -> float | None:
    """Arrival to first token of the first arriving prompt; None if it is not in the picture."""
    request = next(r for r in work.requests if r.request_id == work.arriving[0])
    for iteration in run.iterations:
        for chunk in iteration.prefills:
            done = chunk.num_computed_tokens + chunk.num_tokens
            if chunk.request_id == request.request_id and done >= request.prompt_tokens:
                return iteration.end_ms - request.arrival_ms
    return None


def _numbers(
    run: Replay, work: Scenario, machine: Machine, longest: float, prediction: float | str | None
) -> tuple[Number, ...]:
    times = _stalls(run, work, "").times_ms
    tpot = (times[-1] - times[0]) / (len(times) - 1) if len(times) > 1 else None
    used = sum(iteration.num_scheduled_tokens for iteration in run.iterations)
    total = machine.budget * len(run.iterations) or 1
    ttft = _ttft_ms(run, work)
    last = run.iterations[-1].end_ms - ARRIVAL_MS if run.iterations else 0.0
    unfinished = text("panels.timeline.more_than", value=milliseconds(last))
    entries = [
        Number(text("panels.timeline.number.ttft"),
               unfinished if ttft is None else milliseconds(ttft), "prefill"),
        Number(text("panels.timeline.number.tpot"),
               "–" if tpot is None else milliseconds(tpot), "decode"),
        Number(text("panels.timeline.number.itl"), milliseconds(longest), "stall"),
        Number(text("panels.timeline.number.used"),
               f"{used / total:.0%} / {1 - used / total:.0%}", "idle"),
    ]  # fmt: skip
    if isinstance(prediction, (int, float)):
        words = text("panels.timeline.number.predicted")
        entries.append(Number(words, milliseconds(float(prediction)), "prediction"))
    return tuple(entries)


def _sentences(run: Replay, machine: Machine, values: Values) -> tuple[str, ...]:
    words = []
    selected = min(int(values["selected"]), len(run.iterations))
    if selected:
        index = selected - 1
        asked = run.asked[index] if run.asked else None
        fault = run.faults[index] if run.faults else ""
        words.append("▸ " + reason(run.iterations[index], asked, machine, fault))
    if any(run.faults):
        words.append(text("panels.timeline.trimmed"))
    if run.windowed:
        words.append(text("panels.timeline.windowed", count=len(run.iterations)))
    if values["kv"] and machine.kv_tokens > int(values["kv"]):
        words.append(text("panels.timeline.kv_raised", tokens=short_number(machine.kv_tokens)))
    return tuple(words)
