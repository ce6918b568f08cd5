"""The error that says which iteration's plan breaks which rule, with the exact call."""

from __future__ import annotations

from collections.abc import Mapping

import pdsched.messages.plan  # noqa: F401 -- registers the sentences
from pdsched.interruption import Interruption
from pdsched.messages import text

_SHOWN_CHARACTERS = 4000


class PlanError(ValueError):
    """A plan that breaks a rule of the contract.

    Attributes:
        iteration: number of the iteration, from 0.
        rule: the broken rule, in the learner's language.
        inputs: the arguments of the call, as they were before it.
        plan: what the function returned; ``None`` when it did not return.
    """

    def __init__(
        self, rule: str, *, iteration: int, inputs: Mapping[str, object], plan: object = None
    ) -> None:
        self.rule = rule
        self.iteration = iteration
        self.inputs = dict(inputs)
        self.plan = plan
        arguments = ", ".join(f"{name}={value!r}" for name, value in inputs.items())
        super().__init__(
            text(
                "plan.refused",
                iteration=iteration,
                rule=rule,
                call=f"plan_iteration_budget({_shown(arguments)})",
                got=_shown(safe_repr(plan)),
            )
        )


class PlanUnwrittenError(PlanError, NotImplementedError):
    """The plan function is still a stub: unwritten, not wrong."""


def safe_repr(value: object) -> str:
    """``repr`` of anything a learner may return, even if its ``__repr__`` raises."""
    try:
        return repr(value)
    except (KeyboardInterrupt, Interruption):
        raise
    except BaseException as error:  # a learner's class may raise anything
        return f"<{type(value).__name__} whose repr raised {type(error).__name__}>"


def _shown(written: str) -> str:
    if len(written) <= _SHOWN_CHARACTERS:
        return written
    return f"{written[:_SHOWN_CHARACTERS]}… ({len(written)} characters)"
