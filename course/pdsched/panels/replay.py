"""Simulate only what a picture shows, with the learner's function planning every iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from pdsched.cost import CostModel
from pdsched.interruption import Interruption
from pdsched.kvcache import KVCache
from pdsched.messages import text
from pdsched.panels.plan_faults import Asked, PlanCall, asked_for, fault_of, workable
from pdsched.panels.scenarios import Scenario
from pdsched.scheduler import Scheduler, StepPlan, WorkerState, from_plan_function, make
from pdsched.simulator import Iteration, StopSimulation, Timeline, simulate

MOST: Final = 120  # iterations of one picture
LEAST: Final = 22
QUIET: Final = 6  # iterations shown after the last prompt is done


@dataclass(frozen=True, slots=True)
class Machine:
    """What a worker may do: its budget, its seats and its KV capacity in tokens (0: unlimited)."""

    cost: CostModel
    budget: int
    seats: int = 256
    kv_tokens: int = 0

    @property
    def kv(self) -> KVCache | None:
        """The cache as the simulator wants it."""
        return KVCache(self.kv_tokens // 16, 16) if self.kv_tokens else None


@dataclass(frozen=True, slots=True)
class Replay:
    """The iterations shown and, for a learner's function, what each plan asked for."""

    timeline: Timeline
    iterations: tuple[Iteration, ...]
    asked: tuple[Asked, ...] = ()
    faults: tuple[str, ...] = ()
    windowed: bool = False


@dataclass
class _Window:
    """Another policy, up to the end of the picture."""

    inner: Scheduler
    arrivals_ms: float
    on_iteration: Callable[[int], None] = lambda _index: None
    quiet: int = 0
    cut: bool = False
    name: str = ""
    chunked: bool = field(default=True)

    def for_worker(self) -> _Window:
        return self

    def schedule(self, state: WorkerState) -> StepPlan:
        """The inner policy's plan, until nothing new will happen."""
        index = state.iteration
        busy = bool(state.prefilling or state.waiting)
        self.quiet = 0 if busy else self.quiet + 1
        self.cut = index >= MOST
        if self.cut or (index >= LEAST and self.quiet > QUIET):
            raise StopSimulation
        self.on_iteration(index)
        return self.inner.schedule(state)


class _Abort(Interruption):
    """Carries an error of the learner's function past the simulator, which would reword it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(again=False)
        self.error = error


class _Recorder:
    """Stands in for the learner's function: asks it once an iteration and keeps its plan."""

    def __init__(self, function: Callable[..., Any], policy: str, reserve: int) -> None:
        self._function = function
        self._policy = policy
        self._reserve = reserve
        self._index = 0
        self.asked: list[Asked] = []
        self.faults: list[str] = []
        self._plan: dict[str, Any] = {}

    def begin(self, index: int) -> None:
        self._index = index

    def __call__(
        self, suffixes: dict[str, int], ready: list[str], budget: int, cap: int, **_: object
    ) -> dict[str, Any]:
        if len(self.asked) > self._index:
            return self._plan
        call = PlanCall(suffixes, ready, budget, cap, self._policy, self._reserve)
        given = (dict(suffixes), list(ready))
        try:
            plan = self._function(
                *given, budget, cap, policy=self._policy, decode_reserve_tokens=self._reserve
            )
        except Exception as error:
            raise _Abort(error) from error
        fault = fault_of(call, plan)
        if not fault and given != (suffixes, ready):
            name = "prefill_suffixes" if given[0] != suffixes else "decode_request_ids"
            fault = text("panels.plan.mutated", name=name)
        asked = asked_for(plan)
        self.asked.append(asked)
        self.faults.append(fault)
        self._plan = workable(call, asked)
        return self._plan


def replay(
    function: Callable[..., Any],
    scenario: Scenario,
    machine: Machine,
    *,
    policy: str,
    cap: int,
    reserve: int,
) -> Replay:
    """The scenario with ``function`` as ``plan_iteration_budget``; errors of it pass through."""
    recorder = _Recorder(function, policy, reserve)
    inner = from_plan_function(
        recorder, policy=policy, max_prefill_chunk_tokens=cap, decode_reserve_tokens=reserve
    )
    window = _Window(inner, 0.0, recorder.begin)
    try:
        timeline = _simulate(scenario, window, machine)
    except _Abort as abort:
        raise abort.error from None
    shown = tuple(timeline.iterations)
    count = len(shown)
    return Replay(
        timeline, shown, tuple(recorder.asked[:count]), tuple(recorder.faults[:count]), window.cut
    )


def baseline(name: str, scenario: Scenario, machine: Machine, *, cap: int, reserve: int) -> Replay:
    """The scenario with a built-in policy."""
    options: dict[str, object] = {}
    if name in ("decode_first", "prefill_first", "balanced"):
        options = {"max_prefill_chunk_tokens": cap, "decode_reserve_tokens": reserve}
    window = _Window(make(name, **options), 0.0)
    timeline = _simulate(scenario, window, machine)
    return Replay(timeline, tuple(timeline.iterations), windowed=window.cut)


def _simulate(scenario: Scenario, window: _Window, machine: Machine) -> Timeline:
    return simulate(
        scenario.requests,
        window,
        machine.cost,
        max_num_batched_tokens=machine.budget,
        max_num_seqs=machine.seats,
        kv=machine.kv,
        fast_forward=False,
    )
