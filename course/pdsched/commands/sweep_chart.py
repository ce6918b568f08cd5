"""The plot of a sweep: latency, stall and goodput over its longest numeric axis."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pdsched.commands.sweep import Axes, value
from pdsched.experiment import Experiment, ExperimentResult
from pdsched.messages import commands as _sentences  # noqa: F401 -- registers them
from pdsched.messages import text

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Okabe-Ito, distinguishable under colour blindness; dashes and marks repeat the difference.
_COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#666666")
_DASHES: Final = ("solid", "dash", "dot", "dashdot", "longdash")
_MARKS: Final = ("circle", "square", "diamond", "triangle-up", "x", "cross", "star")
_NUMERIC: Final = ("load", "budget", "chunk")


def build(base: Experiment, axes: Axes, results: Sequence[ExperimentResult]) -> go.Figure:
    """Four panels over one axis of the grid, one line for each combination of the others."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    along = _longest(axes)
    others = [axis for axis in axes if axis != along]
    panels = _panels(base)
    figure = make_subplots(rows=1, cols=len(panels), subplot_titles=[p[0] for p in panels])
    lines: dict[str, list[ExperimentResult]] = {}
    for result in results:
        key = ", ".join(value(result.experiment, axis) for axis in others)
        lines.setdefault(key or text("commands.goodput"), []).append(result)
    for number, (key, points) in enumerate(lines.items()):
        for column, (_, pick, _) in enumerate(panels, start=1):
            trace = go.Scatter(
                x=[_position(point.experiment, along) for point in points],
                y=[pick(point) for point in points],
                name=key,
                legendgroup=key,
                showlegend=column == 1 and bool(others),
                mode="lines+markers",
                line={"color": _pick(_COLOURS, number), "dash": _pick(_DASHES, number)},
                marker={"symbol": _pick(_MARKS, number), "size": 8},
            )
            figure.add_trace(trace, row=1, col=column)
    _dress(figure, base, along, others, panels)
    return figure


def write_html(
    path: Path, base: Experiment, axes: Axes, results: Sequence[ExperimentResult]
) -> None:
    """Write one page that needs no network: plotly's own script is inside."""
    figure = build(base, axes, results)
    figure.write_html(path, include_plotlyjs=True, full_html=True, config={"responsive": True})


def _panels(base: Experiment) -> list[tuple[str, Any, float | None]]:
    """Title, value and limit of each panel."""
    per_gpu = f"{text('commands.goodput')} ({text('commands.requests_per_s')}/GPU)"
    return [
        ("TTFT P95 (ms)", lambda r: r.metrics.ttft_ms.p95, base.ttft_slo_ms),
        ("TPOT P95 (ms)", lambda r: r.metrics.tpot_ms.p95, base.tpot_slo_ms),
        ("ITL P99 (ms)", lambda r: r.metrics.itl_ms.p99, None),
        (per_gpu, lambda r: r.metrics.goodput_per_s / r.experiment.gpus, None),
    ]


def _dress(
    figure: go.Figure,
    base: Experiment,
    along: str,
    others: Sequence[str],
    panels: Sequence[tuple[str, Any, float | None]],
) -> None:
    for column, (_, _, limit) in enumerate(panels, start=1):
        if limit is not None:
            figure.add_hline(
                y=limit, row=1, col=column, line={"dash": "dot", "color": "#2e7d32"},
                annotation_text="SLO", annotation_position="top left",
            )  # fmt: skip
        figure.update_xaxes(title_text=text(f"commands.{along}"), row=1, col=column)
        if along in ("budget", "chunk"):
            figure.update_xaxes(type="log", dtick="D2", row=1, col=column)
    figure.update_yaxes(rangemode="tozero")
    title = text(
        "commands.sweep_title", workload=base.workload, model=base.model, hardware=base.hardware
    )
    figure.update_layout(
        title=f"{title}<br><sub>{text('commands.evidence', error=base.cost().error)}</sub>",
        template="plotly_white",
        height=460,
        margin={"t": 110},
        legend={"title": " · ".join(text(f"commands.{axis}") for axis in others)},
    )


def _longest(axes: Axes) -> str:
    numeric = [axis for axis in _NUMERIC if axis in axes]
    return max(numeric or axes, key=lambda axis: len(axes[axis]))


def _position(experiment: Experiment, axis: str) -> float | str:
    shown = value(experiment, axis)
    return float(shown) if axis in _NUMERIC else shown


def _pick(values: Sequence[str], number: int) -> str:
    return values[number % len(values)]
