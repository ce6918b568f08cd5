"""Run a property on seeded cases; show a failure through a fresh, small example."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from random import Random
from types import MappingProxyType
from typing import Any, Final

import pdgrade.hidden.messages  # noqa: F401  registers its sentences
from pdgrade.hidden import concepts, todo1, todo2, todo3, todo4, todo5
from pdgrade.hidden.properties import Case, Function, Property
from pdsched.feedback.expectation import report
from pdsched.feedback.results import CheckResult
from pdsched.feedback.shrinking import shrink
from pdsched.messages import text

DEFAULT_SEED: Final = "prefill-decode-scheduling"
SHRINK_CALLS: Final = 150
#: A slow function is shown on the smallest example found until then.
SHRINK_S: Final = 2.0

PROPERTIES: Final[Mapping[str, Property]] = MappingProxyType(
    {
        each.grade_id: each
        for module in (todo1, todo2, todo3, todo4, todo5, concepts)
        for each in module.PROPERTIES
    }
)

_seed: ContextVar[str] = ContextVar("seed", default=DEFAULT_SEED)


@contextmanager
def seeded(seed: int | str) -> Iterator[None]:
    """Let every `run_hidden` inside draw its cases from `seed`."""
    token = _seed.set(str(seed))
    try:
        yield
    finally:
        _seed.reset(token)


def run_hidden(grade_id: str, function: Function, seed: int | str | None = None) -> None:
    """Check the hidden property of the test cell `grade_id` on the learner's function.

    Args:
        grade_id: of the test cell.
        function: the learner's function or a proxy for it.
        seed: of the cases; None takes that of the surrounding `seeded`.

    Raises:
        CheckFailure: the property does not hold; carries a fresh example, never a graded input.
        ValueError: there is no such property.
    """
    tested, chosen = _property(grade_id), _seed.get() if seed is None else str(seed)
    graded = _graded_cases(tested, chosen)
    failing = _first_failure(tested, function, graded)
    if failing is not None:
        report(_shown_result(tested, function, chosen, graded, failing))
    report(CheckResult(grade_id, "passed", rule=_rule(tested), public=False))


def keeps(grade_id: str, function: Function, seed: int | str) -> bool:
    """Whether the function keeps the property on the graded cases of `seed`; reports nothing.

    Raises:
        ValueError: there is no such property.
    """
    tested = _property(grade_id)
    return _first_failure(tested, function, _graded_cases(tested, str(seed))) is None


def _property(grade_id: str) -> Property:
    if grade_id not in PROPERTIES:
        raise ValueError(f"no hidden property {grade_id!r}; known: {', '.join(PROPERTIES)}")
    return PROPERTIES[grade_id]


def _graded_cases(tested: Property, seed: str) -> list[Case]:
    return list(tested.cases(Random(f"{seed}/{tested.grade_id}/graded")))


def _first_failure(
    tested: Property, function: Function, graded: list[Case]
) -> tuple[Case, CheckResult] | None:
    announce = getattr(function, "announce", None)
    if announce is not None:
        announce([(call.args, call.kwargs) for case in graded for call in tested.calls(case)])
    for case in graded:
        result = tested.judge(function, case)
        if not result.passed:
            return case, result
    return None


def _rule(tested: Property) -> str:
    return text(tested.rule or f"rules.{tested.grade_id}")


def _shown_result(
    tested: Property,
    function: Function,
    seed: str,
    graded: list[Case],
    failing: tuple[Case, CheckResult],
) -> CheckResult:
    """What may be shown of a failure: the property, its rule, and an example of its own.

    The function has met graded inputs by now and could return them as its "result": what is shown
    comes from one that has not, where the proxy offers it.
    """
    case, failed = failing
    blank = CheckResult(tested.grade_id, failed.verdict, rule=_rule(tested), public=False)
    if failed.verdict in ("unwritten", "unavailable"):
        return replace(blank, got=failed.got, hint=failed.hint)
    innocent: Function = getattr(function, "unexposed", lambda: function)()
    if tested.secret_input:
        taken = {repr(case) for case in graded}
        example = _fresh_example(tested, innocent, seed, taken)
    else:
        example = tested.judge(innocent, case)
    if example is None or example.passed:
        return replace(blank, hint=text("hidden.no_example"))
    hint = example.hint or text("hidden.hint")
    return replace(example, name=tested.grade_id, rule=blank.rule, public=False, hint=hint)


def _fresh_example(
    tested: Property, function: Function, seed: str, taken: set[str]
) -> CheckResult | None:
    """A failing example drawn apart from the graded cases and made small."""
    for case in tested.cases(Random(f"{seed}/{tested.grade_id}/example")):
        if repr(case) in taken:
            continue
        result = tested.judge(function, case)
        if not result.passed:
            return _smallest(tested, function, case, result, taken) if tested.shrinks else result
    return None


def _smallest(
    tested: Property, function: Function, case: Case, result: CheckResult, taken: set[str]
) -> CheckResult:
    found, verdicts = [result], [result.verdict]
    until = time.monotonic() + SHRINK_S

    def still_fails(values: tuple[Any, ...]) -> bool:
        candidate = _with_values(case, values)
        may_call = verdicts[-1] != "unavailable" and time.monotonic() < until
        if repr(candidate) in taken or not may_call:
            return False
        judged = tested.judge(function, candidate)
        verdicts.append(judged.verdict)
        if judged.verdict == result.verdict:
            found[0] = judged
        return judged.verdict == result.verdict

    shrink((*case.args, *case.kwargs.values()), still_fails, SHRINK_CALLS)
    return found[0]


def _with_values(case: Case, values: tuple[Any, ...]) -> Case:
    args = values[: len(case.args)]
    return Case(args, dict(zip(case.kwargs, values[len(args) :], strict=True)))
