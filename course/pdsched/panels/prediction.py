"""Predict before reveal: a question, an answer the learner commits to, and how it came out."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as W  # noqa: N812 - its customary short name

from pdsched.messages import text
from pdsched.panels.spec import PanelSpec, Value


class Prediction:
    """The row of widgets that asks, and the committed answer with the setting it was made for."""

    def __init__(self, spec: PanelSpec, on_change: Callable[[], None]) -> None:
        self._spec = spec
        self._on_change = on_change
        self.value: float | str | None = None
        self.setting: dict[str, Value] = {}
        self._now: dict[str, Value] = {}
        self.skipped = False
        self._outcome: float | str | None = None
        self._question = W.HTML()
        choices = spec.question(spec.defaults()).choices
        self._field = W.Dropdown(options=list(choices)) if choices else W.FloatText()
        self._field.layout.width = "auto" if choices else "130px"
        self._field.add_class("pd-guess")
        self._commit = W.Button(description=text("panels.commit"), button_style="primary")
        self._skip = W.Button(description=text("panels.skip"))
        self._again = W.Button(description=text("panels.again"))
        self._verdict = W.HTML()
        for button in (self._commit, self._skip, self._again):
            button.layout.width = "auto"
        self._again.layout.align_self = "flex-start"  # alone in the row it would fill the line
        self._commit.on_click(self._committed)
        self._skip.on_click(self._skipped)
        self._again.on_click(self._restarted)
        self._entry = W.HBox((self._field, self._commit, self._skip))
        self.row = W.VBox()
        self._arrange()

    @property
    def widgets(self) -> list[Any]:
        """Everything this row owns, shown at the moment or not."""
        entry = (self._field, self._commit, self._skip)
        return [self.row, self._question, self._entry, *entry, self._verdict, self._again]

    @property
    def made(self) -> bool:
        """The picture may answer now."""
        return self.skipped or self.value is not None

    @property
    def pending(self) -> bool:
        """A committed prediction still waits for its outcome."""
        return self.value is not None and self._outcome is None

    def ask(self, setting: dict[str, Value]) -> None:
        """Word the question for the controls as they stand now."""
        if self.made:
            return
        self.setting = self._now = dict(setting)
        question = self._spec.question(setting)
        self._question.value = f'<div class="pd pd-panel pd-ask">{escape(question.words)}</div>'
        self._arrange()

    def drawn_for(self, setting: dict[str, Value]) -> float | str | None:
        """The prediction, while the controls are where it was made."""
        if self.value is None or self._spec.differences(self.setting, setting):
            return None
        return self.value

    def stand_at(self, setting: dict[str, Value]) -> None:
        """The controls stand at ``setting`` now: a prediction made elsewhere says where."""
        self._now = dict(setting)
        if self.value is not None:
            self._tell()

    def resolve(self, outcome: float | str) -> None:
        """Set the prediction against what came out."""
        self._outcome = outcome
        self._tell()

    def commit(self, value: float | str) -> None:
        """Commit ``value`` as the learner would by the button."""
        self.value = value
        self._tell()
        self._arrange()
        self._on_change()

    def skip(self) -> None:
        """Go on without a prediction."""
        self._skipped(None)

    def close(self) -> None:
        """Drop the callbacks of the buttons."""
        self._commit.on_click(self._committed, remove=True)
        self._skip.on_click(self._skipped, remove=True)
        self._again.on_click(self._restarted, remove=True)

    def _committed(self, _button: Any) -> None:
        self.commit(self._field.value)

    def _skipped(self, _button: Any) -> None:
        self.skipped = True
        self._arrange()
        self._on_change()

    def _restarted(self, _button: Any) -> None:
        self.value, self._outcome, self.skipped = None, None, False
        self._verdict.value = ""
        self._on_change()

    def _tell(self) -> None:
        said = self._word(self.value)
        if self._outcome is None or self.value is None:
            words = text("panels.committed", prediction=said)
        else:
            hit = self._spec.fits(self.value, self._outcome)
            words = text(
                "panels.outcome",
                prediction=said,
                outcome=self._word(self._outcome),
                verdict=text("panels.verdict.hit" if hit else "panels.verdict.miss"),
            )
        asked = escape(self._spec.question(self.setting).words)
        elsewhere = self._spec.differences(self.setting, self._now)
        if elsewhere:
            made_at = escape(text("panels.predicted_elsewhere", setting=elsewhere))
            self._verdict.value = (
                '<div class="pd pd-panel pd-faint" data-prediction="1" data-elsewhere="1">'
                f"<b>{made_at}</b> {asked} {escape(words)}</div>"
            )
            return
        self._verdict.value = (
            f'<div class="pd pd-panel" data-prediction="1"><span class="pd-faint">{asked}</span> '
            f"<b>{escape(words)}</b></div>"
        )

    def _word(self, value: float | str | None) -> str:
        question = self._spec.question(self.setting)
        labels = {each: label for label, each in question.choices}
        if isinstance(value, str):
            return labels.get(value, value)
        return f"{value:.4g} {question.unit}".strip()

    def _arrange(self) -> None:
        """Show the question, or how it came out; no widget is ever built here."""
        if not self.made:
            self.row.children = (self._question, self._entry)
        elif self.skipped:
            self.row.children = (self._again,)
        else:
            self.row.children = (self._verdict, self._again)
