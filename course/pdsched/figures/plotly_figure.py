"""A scene as a plotly figure: the same marks, for hover, zoom, slides and export.

The import of plotly waits until a figure is asked for: the panels live without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pdsched.figures.palette import ROLES, colour
from pdsched.figures.scene import Axis, Box, Cells, Dot, Line, Note, Plot, Scene
from pdsched.messages import text

_FILL_PATTERN = {"stripes": "/", "dots": ".", "cross": "x", "dense": "|", "hollow": ""}
_SYMBOL = {
    "circle": "circle",
    "triangle": "triangle-up",
    "diamond": "diamond",
    "square": "square",
    "cross": "x",
    "bar": "line-ns",
}


def to_plotly(scene: Scene, *, dark: bool = False) -> Any:
    """The scene as a `plotly.graph_objects.Figure`, one trace for each role and kind of mark.

    Bars carry their bounds (``base``, ``y``, ``width``), dots their hover sentence; alternative
    text is in ``layout.meta``.
    """
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    heights = [plot.height_px for plot in scene.plots]
    total = sum(heights)
    figure = make_subplots(
        rows=len(scene.plots),
        cols=1,
        row_heights=[height / total for height in heights],
        vertical_spacing=min(0.16, 62 / (total + 62)) if len(scene.plots) > 1 else 0,
        subplot_titles=[plot.title for plot in scene.plots],
    )
    height = total + 90 * len(scene.plots) + 90
    named: set[str] = set()
    for row, plot in enumerate(scene.plots, start=1):
        for trace in _traces(plot, dark, go):
            trace.showlegend = trace.name in scene.legend and trace.name not in named
            named.add(str(trace.name))
            trace.legendgroup = trace.name
            if trace.name in scene.legend:
                trace.name = text(f"figures.role.{trace.name}")
            figure.add_trace(trace, row=row, col=1)
        _annotate(figure, plot, row, dark)
        figure.update_xaxes(_axis(plot.x, dark), row=row, col=1)
        figure.update_yaxes(_axis(plot.y, dark), row=row, col=1)
    figure.update_layout(
        title={"text": scene.title},
        barmode="overlay",
        bargap=0,
        height=height,
        meta={"alt": scene.alt, "scene": scene.key},
        font={"color": colour("ink", dark=dark), "family": "'Noto Sans CJK SC', sans-serif"},
        paper_bgcolor="#15181c" if dark else "#ffffff",
        plot_bgcolor="rgba(0,0,0,0)",
        legend={"orientation": "h", "y": 1 + 28 / (height - 170), "yanchor": "bottom", "x": 0},
        margin={"l": 80, "r": 20, "t": 120, "b": 50},
        hoverlabel={"align": "left"},
    )
    return figure


def _axis(axis: Axis, dark: bool) -> dict[str, Any]:
    bounds = [axis.low, axis.high]
    return {
        "title": {"text": axis.label},
        "type": "log" if axis.log else "linear",
        "range": [math.log10(bound) for bound in bounds] if axis.log else bounds,
        "tickvals": [tick.value for tick in axis.ticks],
        "ticktext": [tick.text for tick in axis.ticks],
        "gridcolor": colour("grid", dark=dark),
        "zeroline": False,
    }


def _traces(plot: Plot, dark: bool, go: Any) -> Iterator[Any]:
    boxes: dict[str, list[Box]] = {}
    dots: dict[tuple[str, str, bool], list[Dot]] = {}
    lines: list[Line] = []
    for mark in plot.marks:
        if isinstance(mark, Box):
            boxes.setdefault(mark.role, []).append(mark)
        elif isinstance(mark, Cells):
            boxes.setdefault(mark.role, []).append(
                Box(mark.x0, mark.x1, mark.y0, mark.y0 + mark.count, mark.role)
            )
        elif isinstance(mark, Dot):
            dots.setdefault((mark.role, mark.shape, mark.hollow), []).append(mark)
        elif isinstance(mark, Line):
            lines.append(mark)
    log = plot.x.log or plot.y.log
    for role, group in boxes.items():
        yield _areas(role, group, dark, go) if log else _bars(role, group, dark, go)
    for line in lines:
        yield go.Scatter(
            name=line.role,
            x=[x for x, _ in line.points],
            y=[y for _, y in line.points],
            mode="lines+text" if line.text else "lines",
            text=[""] * (len(line.points) - 1) + [line.text],
            textposition="top left",
            line={
                "color": colour(line.role, dark=dark),
                "width": ROLES[line.role].width_px,
                "dash": "dash" if ROLES[line.role].dash else "solid",
            },
            hovertext=line.why or line.text,
            hoverinfo="text",
        )
    for (role, _, _), members in dots.items():
        yield _markers(role, members, dark, go)
    if plot.columns:
        yield _why_columns(plot, go)


def _annotate(figure: Any, plot: Plot, row: int, dark: bool) -> None:
    """Words as annotations, which keep their shift in pixels; on a log axis they want log10."""
    for note in plot.marks:
        if not isinstance(note, Note):
            continue
        figure.add_annotation(
            x=_placed(plot.x, note.x),
            y=_placed(plot.y, note.y),
            xshift=note.dx_px,
            yshift=-note.dy_px + 5,
            xanchor={"start": "left", "middle": "center", "end": "right"}[note.anchor],
            yanchor="middle",
            text=f"<b>{note.text}</b>" if note.bold else note.text,
            font={"color": colour(note.role, dark=dark)},
            showarrow=False,
            row=row,
            col=1,
        )


def _placed(axis: Axis, value: float) -> float:
    return math.log10(max(value, axis.low)) if axis.log else value


def _bars(role: str, group: list[Box], dark: bool, go: Any) -> Any:
    style = ROLES[role]
    fill = colour(role, dark=dark)
    marker: dict[str, Any] = {
        "color": "rgba(0,0,0,0)" if style.pattern == "hollow" else fill,
        "line": {"color": fill, "width": 1},
    }
    if _FILL_PATTERN.get(style.pattern):
        marker["pattern"] = {"shape": _FILL_PATTERN[style.pattern], "size": 6, "solidity": 0.25}
    return go.Bar(
        name=role,
        x=[(box.x0 + box.x1) / 2 for box in group],
        width=[box.x1 - box.x0 for box in group],
        base=[box.y0 for box in group],
        y=[box.y1 - box.y0 for box in group],
        marker=marker,
        text=[box.text for box in group],
        textposition="inside",
        hovertext=[box.why for box in group],
        hoverinfo="text" if any(box.why for box in group) else "skip",
    )


def _areas(role: str, group: list[Box], dark: bool, go: Any) -> Any:
    """Boxes on a log axis, where bars cannot be drawn: closed outlines that are filled."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    for box in group:
        xs += [box.x0, box.x1, box.x1, box.x0, box.x0, None]
        ys += [box.y0, box.y0, box.y1, box.y1, box.y0, None]
    return go.Scatter(
        name=role,
        x=xs,
        y=ys,
        fill="toself",
        mode="none",
        hoverinfo="skip",
        fillcolor=colour(role, dark=dark),
    )


def _markers(role: str, members: list[Dot], dark: bool, go: Any) -> Any:
    shape, hollow = members[0].shape, members[0].hollow
    symbol = _SYMBOL[shape] + ("-open" if hollow or shape == "bar" else "")
    return go.Scatter(
        name=role,
        x=[dot.x for dot in members],
        y=[dot.y for dot in members],
        mode="markers",
        marker={
            "symbol": symbol,
            "size": [dot.size_px for dot in members],
            "color": colour(role, dark=dark),
            "opacity": 1,
            "line": {"width": 2 if hollow or shape == "bar" else 0},
        },
        hovertext=[dot.why for dot in members],
        hoverinfo="text",
    )


def _why_columns(plot: Plot, go: Any) -> Any:
    """An invisible bar over each column, so that hovering anywhere in it answers."""
    return go.Bar(
        name="why",
        x=[(column.x0 + column.x1) / 2 for column in plot.columns],
        width=[column.x1 - column.x0 for column in plot.columns],
        y=[plot.y.high] * len(plot.columns),
        marker={"color": "rgba(0,0,0,0)"},
        hovertext=[column.why for column in plot.columns],
        hoverinfo="text",
    )
