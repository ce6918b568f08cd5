"""A live panel: controls and prediction above a picture the learner's function draws.

Every change ends in `LivePanel.refresh`, which never raises and always redraws: ipywidgets shows an
exception of a callback nowhere, so none may leave it.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets as W  # noqa: N812 - its customary short name

from pdsched.figures import Picture, svg
from pdsched.learner import current
from pdsched.messages import text
from pdsched.panels import page, registry
from pdsched.panels.answer import Answer, answer, first_call
from pdsched.panels.controls import Controls
from pdsched.panels.prediction import Prediction
from pdsched.panels.spec import PanelSpec, Value

_numbers = itertools.count(1)


class LivePanel:
    """One panel on the page.

    Args:
        spec: which panel.
        function: a function to use instead of the notebook's current one.
        predict: start with the prediction; False shows the answer at once.
        values: first values of the controls.
    """

    def __init__(
        self,
        spec: PanelSpec,
        function: Callable[..., Any] | None = None,
        *,
        predict: bool = True,
        values: dict[str, Value] | None = None,
    ) -> None:
        self.spec = spec
        self._given = function
        self._uid = f"pd{next(_numbers)}"
        self._lock = threading.RLock()
        self.last: Answer | None = None
        self._asked: Callable[..., Any] | None = None
        self._written: Callable[..., Any] | None = None
        start = spec.settings(values or {})
        self.prediction = Prediction(spec, self.refresh)
        self.prediction.skipped = not predict
        self.controls = Controls(spec, start, self.refresh)
        self.status = W.HTML()
        self.picture = W.HTML()
        self._export = _ExportRow(self)
        head = W.HTML(page.heading(text(f"panels.{spec.key}.heading")))
        shown = [head, self.controls.row, self.status, self.picture, self._export.row]
        if predict:
            shown.insert(2, self.prediction.row)
        self.box = W.VBox(shown, layout=W.Layout(width="100%", overflow="visible"))
        self.box.add_class("pd-live")
        self.refresh()
        registry.add(self)

    @property
    def function(self) -> Callable[..., Any] | None:
        """The learner's function as it is now."""
        return self._given or current(self.spec.function)

    @property
    def values(self) -> dict[str, Value]:
        """What the controls say now."""
        return self.controls.values

    def set(self, **values: Value) -> None:
        """Move controls from code; the picture follows once."""
        self.controls.set(**values)

    def refresh(self) -> None:
        """Ask the function again and redraw."""
        with self._lock:
            try:
                self._redraw()
            except Exception as error:
                words = text("panels.broken", error=f"{type(error).__name__}: {error}")
                self.status.value = page.state("broken", (words,))
                self.picture.value = ""

    def refresh_if_stale(self) -> None:
        """After a cell ran: ask again, except a function that hung and has not been rewritten."""
        if self.last is not None and self.last.state == "hung" and self.function is self._asked:
            return
        self.refresh()

    def picture_now(self) -> Picture:
        """What the panel shows, as a picture that stands without a kernel."""
        found = self.last or answer(self.spec, self.function, self.values)
        extra = found.view.sentences if found.view else ()
        return Picture(found.scene, (*found.sentences, *extra))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the current picture as ``.html``, ``.svg`` or ``.png``."""
        return self.picture_now().save(path)

    def close(self, words: str = "") -> None:
        """Drop every callback and widget; ``words`` stay where the picture was."""
        self.controls.close()
        self.prediction.close()
        if words:
            self.status.value = page.state("unwritten", (words,))
            self.picture.value = ""
        kept = (self.status, self.box) if words else ()
        for widget in {*_descendants(self.box), *self.prediction.widgets}:
            if widget not in kept:
                _close(widget)

    def _redraw(self) -> None:
        values, function = self.values, self.function
        self._asked = function
        if not self.prediction.made:
            self.prediction.ask(values)
            self._waiting(values, function)
            return
        if self.prediction.pending:
            self._resolve(function)
        self.prediction.stand_at(values)
        predicted = self.prediction.drawn_for(values)
        found = self.last = answer(self.spec, function, values, predicted)
        below = ""
        if found.view is not None:
            below = page.strip(found.view.numbers) + page.words(found.view.sentences)
            for name, most in found.view.most.items():
                self.controls.limit(name, most)
        self.status.value = page.answered(found, self.spec.function)
        self.picture.value = svg.render(found.scene, uid=self._uid, with_style=False) + below

    def _waiting(self, values: dict[str, Value], function: Callable[..., Any] | None) -> None:
        scene = self.spec.frame(values)
        sentences: tuple[str, ...] = (text("panels.predict_first"),)
        if self._is_unwritten(function, values):
            key = "panels.unwritten"
            sentences += (text(key, todo=self.spec.todo, function=self.spec.function),)
        self.last = Answer("unwritten", sentences, scene)
        self.status.value = page.state("predict", sentences)
        self.picture.value = svg.render(scene, uid=self._uid, with_style=False)

    def _is_unwritten(self, function: Callable[..., Any] | None, values: dict[str, Value]) -> bool:
        """No function, or a stub; a written one is called once, lest it hang at every move."""
        if function is not None and function is self._written:
            return False
        if first_call(self.spec, function, values) == "unwritten":
            return True
        self._written = function
        return False

    def _resolve(self, function: Callable[..., Any] | None) -> None:
        found = answer(self.spec, function, self.prediction.setting)
        if found.state == "right" and found.view and found.view.answer is not None:
            self.prediction.resolve(found.view.answer)

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return registry.bundle(self)


class _ExportRow:
    """Buttons that write the picture beside the notebook."""

    def __init__(self, panel: LivePanel) -> None:
        self._panel = panel
        self._said = W.HTML()
        label = W.HTML(f'<span class="pd pd-panel pd-faint">{text("panels.save")}</span>')
        buttons = [self._button(ending) for ending in ("html", "png", "svg")]
        self.row = W.HBox([label, *buttons, self._said])

    def _button(self, ending: str) -> Any:
        button = W.Button(description=ending.upper(), layout=W.Layout(width="auto"))
        button.on_click(lambda _button: self._save(ending))
        return button

    def _save(self, ending: str) -> None:
        name = f"{self._panel.spec.key}.{ending}"
        try:
            words = text("panels.saved", path=self._panel.save(name).name)
        except Exception as error:
            words = str(error)
        self._said.value = f'<span class="pd pd-panel">{words}</span>'


def _close(widget: Any) -> None:
    """Close a widget with the layout and style that belong to it alone."""
    for owned in ("style", "layout"):
        if widget.has_trait(owned) and getattr(widget, owned) is not None:
            getattr(widget, owned).close()
    widget.close()


def _descendants(widget: Any) -> list[Any]:
    found = [widget]
    for child in getattr(widget, "children", ()):
        found.extend(_descendants(child))
    return found
