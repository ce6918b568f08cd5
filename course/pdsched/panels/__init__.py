"""Live panels: a slider moves, the learner's own function runs, the picture answers.

`request_mix()`, `chunk_boundaries()`, … put a panel on the page; `show(name, …)` returns the same
picture without widgets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pdsched.figures import Picture
from pdsched.learner import current
from pdsched.messages import panels as _panels_messages  # noqa: F401 - registers the words
from pdsched.panels.answer import answer
from pdsched.panels.chunk_boundaries import ChunkBoundaries
from pdsched.panels.decision import Decision
from pdsched.panels.iteration_timeline import IterationTimeline
from pdsched.panels.live import LivePanel
from pdsched.panels.pd_pools import PdPools
from pdsched.panels.request_mix import RequestMix
from pdsched.panels.spec import PanelSpec, Value

SPECS: Final[dict[str, type[PanelSpec]]] = {
    spec.key: spec for spec in (RequestMix, ChunkBoundaries, IterationTimeline, PdPools, Decision)
}

__all__ = [
    "SPECS",
    "LivePanel",
    "chunk_boundaries",
    "decision",
    "iteration_timeline",
    "pd_pools",
    "request_mix",
    "show",
]


def request_mix(
    function: Callable[..., Any] | None = None, *, predict: bool = True, **values: Value
) -> LivePanel:
    """Panel 1: the request mix, classified by `summarize_request_mix`."""
    return LivePanel(RequestMix(), function, predict=predict, values=values)


def chunk_boundaries(
    function: Callable[..., Any] | None = None, *, predict: bool = True, **values: Value
) -> LivePanel:
    """Panel 2a: the chunks of `build_chunked_prefill_plan` and where they yield."""
    return LivePanel(ChunkBoundaries(), function, predict=predict, values=values)


def iteration_timeline(
    function: Callable[..., Any] | None = None, *, predict: bool = True, **values: Value
) -> LivePanel:
    """Panel 2b: every iteration planned by `plan_iteration_budget`, in steps or milliseconds."""
    return LivePanel(IterationTimeline(), function, predict=predict, values=values)


def pd_pools(
    function: Callable[..., Any] | None = None, *, predict: bool = True, **values: Value
) -> LivePanel:
    """Panel 3: pools by `plan_pd_split`, their lanes, the handoff and its break-even."""
    return LivePanel(PdPools(), function, predict=predict, values=values)


def decision(
    function: Callable[..., Any] | None = None, *, predict: bool = True, **values: Value
) -> LivePanel:
    """Panel 4: over load, where `evaluate_pd_decision` keeps the split."""
    return LivePanel(Decision(), function, predict=predict, values=values)


def show(name: str, function: Callable[..., Any] | None = None, **values: Value) -> Picture:
    """The static twin of a panel: its picture for these control values, without widgets.

    Raises:
        ValueError: no such panel, or no such control.
    """
    if not isinstance(name, str) or name not in SPECS:
        raise ValueError(f"no panel {name!r}; there are {', '.join(SPECS)}")
    spec = SPECS[name]()
    found = answer(spec, function or current(spec.function), spec.settings(values))
    extra = found.view.sentences if found.view else ()
    return Picture(found.scene, (*found.sentences, *extra))
