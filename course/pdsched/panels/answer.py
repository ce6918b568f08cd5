"""From a spec, a function and a setting to what is shown: never a traceback, never a stale picture.

`answer` is the one way to ask a learner's function for a picture; the live panel and the static
twin both use it.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from pdsched.figures.scene import Scene
from pdsched.messages import text
from pdsched.panels.guard import (
    LearnerFunction,
    LearnerRaisedError,
    UnwrittenError,
)
from pdsched.panels.spec import PanelSpec, Values, View
from pdsched.time_limit import LIMIT_S, HungError, run_limited

_LOOKING: Final = 5  # times the limit of a call, for the whole answer of a panel with few calls
State = Literal["right", "wrong", "unwritten", "raised", "hung", "broken"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What to show for one setting; ``view`` only where the function returned something drawable.

    ``printed`` is what the learner's function printed meanwhile.
    """

    state: State
    sentences: tuple[str, ...]
    scene: Scene
    view: View | None = None
    printed: str = ""


def answer(
    spec: PanelSpec,
    function: Callable[..., Any] | None,
    values: Values,
    prediction: float | str | None = None,
    *,
    limit_s: float = LIMIT_S,
) -> Answer:
    """Call the learner's function for this setting and say what came of it."""
    if function is None:
        return _unwritten(spec, values)
    guarded = LearnerFunction(function, spec.function, limit_s if spec.few_calls else None)
    printed = io.StringIO()
    try:
        spec.prepare(values)
        with contextlib.redirect_stdout(printed):
            # Few calls have a limit each; what they return, looked at afterwards, is code too.
            whole_s = _LOOKING * limit_s if spec.few_calls else limit_s
            view = run_limited(lambda: spec.compute(guarded, values, prediction), whole_s)
    except UnwrittenError:
        return _unwritten(spec, values)
    except LearnerRaisedError as error:
        return Answer("raised", (_raised(error),), spec.frame(values), printed=printed.getvalue())
    except HungError as error:
        words = text("panels.hung", function=spec.function, limit=error.limit_s)
        return Answer("hung", (words,), spec.frame(values), printed=printed.getvalue())
    except Exception as error:
        words = text("panels.broken", error=f"{type(error).__name__}: {error}")
        return Answer("broken", (words,), spec.frame(values), printed=printed.getvalue())
    state: State = "wrong" if view.faults else "right"
    return Answer(state, view.faults, view.scene, view, printed.getvalue())


def first_call(spec: PanelSpec, function: Callable[..., Any] | None, values: Values) -> State:
    """What comes of the function's first call alone: enough to know a stub, and no answer.

    Any written function ends in ``raised``: here, after that call.
    """
    if function is None:
        return "unwritten"

    def once(*args: Any, **kwargs: Any) -> Any:
        function(*args, **kwargs)
        raise RuntimeError("the first call is all that was asked for")

    return answer(spec, once, values).state


def _unwritten(spec: PanelSpec, values: Values) -> Answer:
    words = text("panels.unwritten", todo=spec.todo, function=spec.function)
    return Answer("unwritten", (words,), spec.frame(values))


def _raised(error: LearnerRaisedError) -> str:
    where = ""
    if error.line is not None:
        where = text("panels.raised_line", line=error.line, source=error.source)
    return text("panels.raised", error=str(error)[:300], where=where, call=error.call)
