"""What a panel is, without widgets: its controls, its question, and its answer to them.

A `PanelSpec` is pure: values of the controls and the learner's function in, a `View` out. The
widgets (`live`) and the static twin (`show`) are two readers of the same spec.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pdsched.figures.axes import short_number
from pdsched.figures.scene import Scene
from pdsched.messages import text

Value = int | float | str | bool
Values = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Slider:
    """A slider over listed values; ``unit`` is written behind the label."""

    name: str
    label: str
    values: tuple[float, ...]
    default: float
    unit: str = ""

    def word(self, value: Value) -> str:
        """A value as the slider shows it."""
        return short_number(float(value))

    @property
    def caption(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True, slots=True)
class Choice:
    """Buttons or a list: ``options`` are (label, value) pairs."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    default: str

    def word(self, value: Value) -> str:
        """The label of an option."""
        return next((label for label, each in self.options if each == value), str(value))

    @property
    def caption(self) -> str:
        """The label."""
        return self.label


@dataclass(frozen=True, slots=True)
class Stepper:
    """Play, step and slide over 1…``most``; the spec clamps a value beyond its picture."""

    name: str
    label: str
    most: int
    default: int = 0

    def word(self, value: Value) -> str:
        """The step."""
        return str(value)

    @property
    def caption(self) -> str:
        """The label."""
        return self.label


Control = Slider | Choice | Stepper


@dataclass(frozen=True, slots=True)
class Question:
    """What the learner predicts first: a number (``choices`` empty) or one of the choices."""

    words: str
    choices: tuple[tuple[str, str], ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """One entry of the number strip."""

    label: str
    value: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """The picture for one setting of the controls.

    ``faults`` are sentences about what is wrong with the learner's result (none: right);
    ``answer`` is what the prediction is compared with; ``most`` says how far a stepper goes now.
    """

    scene: Scene
    faults: tuple[str, ...] = ()
    numbers: tuple[Number, ...] = ()
    sentences: tuple[str, ...] = ()
    answer: float | str | None = None
    most: Mapping[str, int] = field(default_factory=dict)


class PanelSpec(ABC):
    """One panel: which function it calls, what can be moved, what is drawn."""

    key: ClassVar[str]
    function: ClassVar[str]
    todo: ClassVar[int]
    few_calls: ClassVar[bool] = False
    """Limit each call of the function, not the whole: for panels that simulate beside it."""
    tolerance: ClassVar[float] = 0.0
    """How far a predicted number may lie from the outcome, as a share of it."""
    looks: ClassVar[frozenset[str]] = frozenset()
    """Controls that do not change what is predicted."""

    @abstractmethod
    def controls(self) -> tuple[Control, ...]:
        """The controls, in the order shown."""

    @abstractmethod
    def question(self, values: Values) -> Question:
        """The prediction asked for at this setting."""

    @abstractmethod
    def frame(self, values: Values) -> Scene:
        """The picture before there is an answer."""

    @abstractmethod
    def compute(
        self, function: Callable[..., Any], values: Values, prediction: float | str | None
    ) -> View:
        """The picture with the learner's answer; ``function`` raises only `guard`'s errors."""

    def prepare(self, values: Values) -> None:  # noqa: B027 -- optional
        """What takes long and does not need the learner's function: outside its time limit."""

    def presets(self) -> Mapping[str, Values]:
        """Named settings of the controls; empty for none."""
        return {}

    def fits(self, prediction: float | str, answer: float | str) -> bool:
        """Whether the prediction counts as right (numbers: within `tolerance`)."""
        if isinstance(prediction, str) or isinstance(answer, str):
            return prediction == answer
        return abs(prediction - answer) <= self.tolerance * abs(answer) + 1e-9

    def differences(self, before: Values, now: Values) -> str:
        """The controls that moved, as they stood ``before``; empty if the answer is the same."""
        return text("panels.list_comma").join(
            f"{control.caption} = {control.word(before[control.name])}"
            for control in self.controls()
            if control.name not in self.looks and before[control.name] != now[control.name]
        )

    def defaults(self) -> dict[str, Value]:
        """The controls' first values."""
        return {control.name: control.default for control in self.controls()}

    def settings(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """The defaults with ``values`` over them.

        Raises:
            ValueError: a name that is no control of this panel.
        """
        unknown = set(values) - set(self.defaults())
        if unknown:
            allowed = ", ".join(self.defaults())
            raise ValueError(f"{self.key}: no control {', '.join(sorted(unknown))}; has {allowed}")
        for control in self.controls():
            if control.name in values:
                _check_value(self.key, control, values[control.name])
        return {**self.defaults(), **values}


def _check_value(panel: str, control: Control, value: object) -> None:
    """A value that no widget of the panel could have is one sentence, not a traceback."""
    if isinstance(control, Choice):
        known = [option for _, option in control.options]
        if not isinstance(value, str) or value not in known:
            allowed = ", ".join(known)
            raise ValueError(f"{panel}: {control.name} must be one of {allowed}, got {value!r}")
        return
    listed = control.values if isinstance(control, Slider) else (0, control.most)
    whole = all(isinstance(each, int) for each in listed)
    number = isinstance(value, int) or (isinstance(value, float) and not whole)
    least, most = min(listed), max(listed)
    if isinstance(value, bool) or not number or not least <= value <= most:  # type: ignore[operator]
        kind = "an integer" if whole else "a number"
        raise ValueError(
            f"{panel}: {control.name} must be {kind} from {least} to {most}, got {value!r}"
        )
