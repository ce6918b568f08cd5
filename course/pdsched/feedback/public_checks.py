"""The public checks of each TODO: per rule its examples, then relations over small inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

import pdsched.messages.relations
import pdsched.messages.rules  # noqa: F401  registers the rules
from pdsched.contracts import contract
from pdsched.feedback import examples, relations
from pdsched.feedback.expectation import without_value
from pdsched.feedback.judging import (
    Broken,
    Case,
    Function,
    called,
    compared,
    holds,
    pure,
)
from pdsched.feedback.results import CheckResult
from pdsched.feedback.shrinking import shrink
from pdsched.feedback.values import shown
from pdsched.messages import text

SHRINK_CALLS: Final = 150


@dataclass(frozen=True)
class Relation:
    """A relation, the inputs it is tried on, and which shrunk inputs still make sense."""

    broken: Callable[[Case, Any], Broken | None]
    cases: Callable[[Random], Iterable[Case]]
    is_valid: Callable[[Case], bool] = lambda _case: True


@dataclass(frozen=True)
class PublicCheck:
    """One rule of a TODO; its name is also that of the graded test cell."""

    name: str
    todo: int
    examples: tuple[examples.Example, ...] = ()
    relations: tuple[Relation, ...] = ()
    pure_cases: tuple[Case, ...] = field(default=())

    def run(self, function: Function) -> CheckResult:
        """The first failure, made small, or a passed result."""
        rule = text(f"rules.{self.name}")
        for case, expected in self.examples:
            result = _example(contract(self.todo).function, function, case, expected)
            if not result.passed:
                return replace(result, rule=rule)
        for relation in self.relations:
            result = self._related(function, relation)
            if not result.passed:
                return replace(result, rule=rule)
        for case in self.pure_cases:
            result = pure(contract(self.todo).function, lambda _value: True)(function, case)
            if not result.passed:
                return replace(result, rule=rule)
        return CheckResult(self.name, "passed", rule=rule)

    def _related(self, function: Function, relation: Relation) -> CheckResult:
        judge = holds(contract(self.todo).function, relation.broken)
        for case in relation.cases(Random(self.name)):
            result = judge(function, case)
            if not result.passed:
                return _smallest(judge, function, case, relation.is_valid)
        return CheckResult(self.name, "passed")


def _example(name: str, function: Function, case: Case, expected: Any) -> CheckResult:
    """Judge one example: an exception, a whole result, or the named fields of a dict."""
    blank, found = called(name, function, case)
    if expected is ValueError:
        blank = replace(blank, expected=text("feedback.raises", kind="ValueError"))
        if isinstance(found.error, ValueError):
            return blank
        unraised = found.verdict in (None, "wrong_type")
        return replace(blank, verdict="wrong_value") if unraised else without_value(blank, found)
    blank = replace(blank, expected=shown(expected))
    if found.verdict:
        return without_value(blank, found)
    if name not in ("plan_iteration_budget", "evaluate_pd_decision"):
        return compared(blank, expected, found.value)
    if type(found.value) is not dict:
        return compared(blank, expected, found.value)
    named = {key: found.value[key] for key in expected if key in found.value}
    return compared(blank, expected, named)


def _smallest(
    judge: Callable[[Function, Case], CheckResult],
    function: Function,
    case: Case,
    is_valid: Callable[[Case], bool],
) -> CheckResult:
    first = judge(function, case)

    def rebuilt_case(values: tuple[Any, ...]) -> Case:
        return Case(
            values[: len(case.args)], dict(zip(case.kwargs, values[len(case.args) :], strict=True))
        )

    def still_fails(values: tuple[Any, ...]) -> bool:
        candidate = rebuilt_case(values)
        try:
            return is_valid(candidate) and judge(function, candidate).verdict == first.verdict
        except (KeyError, ValueError):  # a shrunk input that the relation cannot read
            return False

    small = shrink((*case.args, *case.kwargs.values()), still_fails, SHRINK_CALLS)
    return judge(function, rebuilt_case(small))


def _named_requests(case: Case) -> bool:
    names = [each.get("name") for each in case.args[0]]
    return None not in names and "" not in names


_LISTS: Final = Relation(relations.counts_everyone, relations.request_lists)
_POOLS: Final = Relation(relations.everyone_once, relations.pool_lists, _named_requests)
_SUFFIXES: Final = Relation(
    relations.chunks_rebuild_the_suffix, relations.suffixes, relations.is_valid_suffix
)
_SIGNS: Final = Relation(relations.differences_have_the_right_sign, relations.measurements)


def _rounds(broken: Callable[[Case, Any], Broken | None], policy: str = "") -> tuple[Relation, ...]:
    cases = relations.rounds(policy) if policy else relations.all_rounds
    return (Relation(broken, cases, relations.is_valid_round),)


_SEED_MIX: Final = examples.SEED_REQUESTS
_MIXES: Final = Case(((_SEED_MIX, 2048), (_SEED_MIX[:1], 2048)))
_TWO_SUFFIXES: Final = Case((([5, 7, 5], 2), ([9, 10, 11, 12, 13], 2)))
_TWO_ROUNDS: Final = tuple(
    Case((({"p1": 5, "p2": 2}, ["d2", "d1"], 4, 2), ({"p1": 3}, ["d1"], 9, 2)), {"policy": policy})
    for policy in relations.POLICIES
)
_TWO_POOLS: Final = Case(((_SEED_MIX, 2048, 256), (_SEED_MIX[:1], 2048, 256)))
_FASTER: Final = {"throughput": 126.0, "p95_latency_ms": 150.0, "handoff_ms": 8.0}
_SLOWER: Final = {"throughput": 90.0, "p95_latency_ms": 200.0, "handoff_ms": 18.0}
_TWO_DECISIONS: Final = Case(
    ((examples.BASELINE, _FASTER, 10.0), (examples.BASELINE, _SLOWER, 10.0))
)

_RELATIONS: Final[dict[str, tuple[Relation, ...]]] = {
    "todo1_counts_conserved": (_LISTS,),
    "todo2_order_and_tail": (_SUFFIXES,),
    "todo3_decode_first": _rounds(relations.follows_policy, "decode_first"),
    "todo3_prefill_first": _rounds(relations.follows_policy, "prefill_first"),
    "todo3_balanced_reserve": _rounds(relations.follows_policy, "balanced"),
    "todo3_budget_conserved": _rounds(relations.ledger_adds_up),
    "todo3_no_idle_budget": _rounds(relations.nothing_idle),
    "todo4_exactly_one_pool": (_POOLS,),
    "todo5_reported_numbers": (_SIGNS,),
}
_PURE: Final[dict[int, tuple[Case, ...]]] = {
    1: (_MIXES,),
    2: (_TWO_SUFFIXES,),
    3: _TWO_ROUNDS,
    4: (_TWO_POOLS,),
    5: (_TWO_DECISIONS,),
}
_EXAMPLES: Final = {
    1: examples.TODO1,
    2: examples.TODO2,
    3: examples.TODO3,
    4: examples.TODO4,
    5: examples.TODO5,
}


def public_checks(todo: int) -> tuple[PublicCheck, ...]:
    """The checks of a TODO, in the order of its test cells."""
    by_rule = tuple(
        PublicCheck(name, todo, chosen, _RELATIONS.get(name, ()))
        for name, chosen in _EXAMPLES[todo].items()
    )
    return (*by_rule, PublicCheck(f"todo{todo}_pure", todo, pure_cases=_PURE[todo]))
