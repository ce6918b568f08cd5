"""Widgets for the controls of a spec: core ipywidgets only, every one operable by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as W  # noqa: N812 - its customary short name

from pdsched.messages import text
from pdsched.panels.spec import Choice, Control, PanelSpec, Slider, Stepper, Value

_LABEL = {"description_width": "initial"}
_MARGIN = "1px 22px 1px 0"


class Controls:
    """The widgets of one panel's controls and the values they stand at."""

    def __init__(self, spec: PanelSpec, start: dict[str, Value], on_move: Callable[[], None]):
        self._spec = spec
        self._on_move = on_move
        self._quiet = False
        self._links: list[Any] = []
        self._plays: dict[str, Any] = {}
        self.widgets: dict[str, Any] = {}
        boxes = []
        for control in spec.controls():
            widget, shown = self._build(control, start[control.name])
            self.widgets[control.name] = widget
            boxes.append(shown)
            widget.observe(self._moved, names="value")
        self._preset = _preset_list(spec)
        if self._preset is not None:
            self._preset.observe(self._preset_chosen, names="value")
            boxes.insert(0, self._preset)
        self.row = W.HBox(boxes, layout=W.Layout(flex_flow="row wrap"))

    @property
    def values(self) -> dict[str, Value]:
        """What the controls say now."""
        return {name: widget.value for name, widget in self.widgets.items()}

    def set(self, **values: Value) -> None:
        """Move several controls at once, with one redraw."""
        self._quiet = True
        try:
            for name, value in values.items():
                self.widgets[name].value = value
        finally:
            self._quiet = False
        self._on_move()

    def limit(self, name: str, most: int) -> None:
        """Let a stepper end where the picture does."""
        slider = self.widgets[name]
        if slider.max != most:
            slider.max = most
            self._plays[name].max = most

    def close(self) -> None:
        """Drop every callback."""
        for widget in self.widgets.values():
            widget.unobserve_all()
        if self._preset is not None:
            self._preset.unobserve_all()
        for link in self._links:
            link.close()

    def _moved(self, _change: Any) -> None:
        if not self._quiet:
            self._on_move()

    def _preset_chosen(self, change: Any) -> None:
        values = self._spec.presets().get(change["new"])
        if values:
            self.set(**values)

    def _build(self, control: Control, value: Value) -> tuple[Any, Any]:
        if isinstance(control, Slider):
            built = _Slider(control, value)
            return built.slider, built.row
        if isinstance(control, Stepper):
            return self._stepper(control, value)
        return _choice(control, value)

    def _stepper(self, control: Stepper, value: Value) -> tuple[Any, Any]:
        slider = W.IntSlider(
            value=value, min=0, max=control.most, description=control.label, style=_LABEL,
            layout=W.Layout(width="330px"),
        )  # fmt: skip
        play = W.Play(value=value, min=0, max=control.most, interval=500)
        forward = W.Button(description=text("panels.next"), layout=W.Layout(width="auto"))
        forward.on_click(
            lambda _button: setattr(slider, "value", min(slider.value + 1, slider.max))
        )
        self._plays[control.name] = play
        self._links.append(W.jslink((play, "value"), (slider, "value")))
        return slider, W.HBox((play, forward, slider))


def _name(widget: Any, words: str) -> None:
    """Name a field that has no label of its own; ipywidgets 7 and 8 spell it differently."""
    attribute = "tooltip" if widget.has_trait("tooltip") else "description_tooltip"
    setattr(widget, attribute, words)


class _Slider:
    """A slider with a number field behind it.

    Notebook 7 keeps the arrow keys of a slider to itself (it moves between cells); a number field
    gets them in every front end, and takes a typed value too.
    """

    def __init__(self, control: Slider, value: Value) -> None:
        self._values = control.values
        options = [(control.word(each), each) for each in control.values]
        self.slider = W.SelectionSlider(
            options=options, value=value, description=control.caption, style=_LABEL,
            continuous_update=True, readout=False, layout=W.Layout(width="290px"),
        )  # fmt: skip
        self._field = W.IntText(value=value, layout=W.Layout(width="84px"))
        _name(self._field, control.caption)
        self._field.observe(self._typed, names="value")
        self.slider.observe(self._slid, names="value")
        self.row = W.HBox((self.slider, self._field), layout=W.Layout(margin=_MARGIN))

    def _slid(self, change: Any) -> None:
        self._field.value = change["new"]

    def _typed(self, change: Any) -> None:
        """Snap to a listed value, in the direction of the change."""
        wanted, current = change["new"], self.slider.value
        if wanted == current:
            return
        if wanted > current:
            chosen = next((each for each in self._values if each >= wanted), self._values[-1])
        else:
            chosen = next((each for each in self._values[::-1] if each <= wanted), self._values[0])
        self.slider.value = chosen
        self._field.value = chosen


def _choice(control: Choice, value: Value) -> tuple[Any, Any]:
    options = list(control.options)
    if len(options) <= 3:
        widget = W.ToggleButtons(
            options=options, value=value, style={"button_width": "auto"},
            layout=W.Layout(width="max-content"),
        )  # fmt: skip
        # Its own description would stand above the buttons and make the row uneven.
        layout = W.Layout(margin=_MARGIN, align_items="center")
        return widget, W.HBox((W.Label(control.label), widget), layout=layout)
    widget = W.Dropdown(
        options=options, value=value, description=control.label, style=_LABEL,
        layout=W.Layout(width="auto", margin=_MARGIN),
    )  # fmt: skip
    return widget, widget


def _preset_list(spec: PanelSpec) -> Any:
    presets = spec.presets()
    if not presets:
        return None
    options = [(text("panels.preset_none"), "")]
    options += [(text(f"panels.preset.{name}"), name) for name in presets]
    return W.Dropdown(
        options=options, value="", description=text("panels.preset"), style=_LABEL,
        layout=W.Layout(width="auto", margin=_MARGIN),
    )  # fmt: skip
