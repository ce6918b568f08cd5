"""The chapter's six mechanism tests on a learner's own functions, as a table.

Ungraded: a row says passed, not written, wrong or not found, and nothing is raised, so that
Step 4 can always be read to its end. The values are those of the source chapter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pdsched.messages.ledger  # noqa: F401  registers the catalog
from pdsched.feedback import CheckFailure, CheckResult, expect
from pdsched.messages import text
from pdsched.tables import Table

Functions = Mapping[str, Callable[..., Any]]

REQUESTS: Final = (
    {"name": "a", "prompt_tokens": 4000, "decode_tokens": 64},
    {"name": "b", "prompt_tokens": 256, "decode_tokens": 512},
    {"name": "c", "prompt_tokens": 1500, "decode_tokens": 128},
)
_SUFFIXES: Final = {"p1": 5, "p2": 2}
_DECODES: Final = ("d1", "d2")


def _requests() -> list[dict[str, Any]]:
    return [dict(request) for request in REQUESTS]


def _request_mix(function: Callable[..., Any]) -> None:
    expect(function, _requests(), long_prompt_threshold=2048).returns(
        {"prefill_heavy": 1, "decode_heavy": 1, "mixed": 1}
    )


def _chunk_plan(function: Callable[..., Any]) -> None:
    expect(function, [9, 10, 11, 12, 13], chunk_size=2).returns([[9, 10], [11, 12], [13]])
    expect(function, [1], chunk_size=0).raises(ValueError)


def _budget_policies(function: Callable[..., Any]) -> None:
    for policy, budget, decodes, chunks in (
        ("balanced", 4, ["d1"], [("p1", 2), ("p2", 1)]),
        ("decode_first", 3, ["d1", "d2"], [("p1", 1)]),
        ("prefill_first", 3, [], [("p1", 2), ("p2", 1)]),
    ):
        expect(function, dict(_SUFFIXES), list(_DECODES), budget, 2, policy=policy).returns(
            {
                "policy": policy,
                "max_num_batched_tokens": budget,
                "decode_request_ids": decodes,
                "prefill_chunks": [{"request_id": name, "tokens": n} for name, n in chunks],
                "used_tokens": budget,
                "remaining_tokens": 0,
            },
            text("mechanisms.conserved"),
        )


def _budget_contract(function: Callable[..., Any]) -> None:
    expect(function, {"p": 1}, [], 0, 1, policy="balanced").raises(ValueError)
    expect(function, {"p": 1}, [], 2, 1, policy="unknown").raises(ValueError)
    expect(function, {"p": -1}, [], 2, 1, policy="balanced").raises(ValueError)


def _pool_assignment(function: Callable[..., Any]) -> None:
    expect(function, _requests(), long_prompt_threshold=2048, long_decode_threshold=256).returns(
        {"prefill_pool": ["a"], "decode_pool": ["b"], "shared_pool": ["c"]}
    )


def _decision(function: Callable[..., Any]) -> None:
    baseline = {"throughput": 100, "p95_latency_ms": 180}
    for handoff_ms, keep_split in ((8, True), (18, False)):
        split_run = {"throughput": 126, "p95_latency_ms": 150, "handoff_ms": handoff_ms}
        expect(function, dict(baseline), split_run, max_handoff_ms=10).returns(
            {
                "throughput_gain": 26,
                "latency_delta_ms": -30,
                "handoff_ms": handoff_ms,
                "keep_split": keep_split,
            }
        )


@dataclass(frozen=True)
class Mechanism:
    """One mechanism: what it checks, on which function, and how."""

    name: str
    function: str
    check: Callable[[Callable[..., Any]], None]


MECHANISMS: Final = (
    Mechanism("request_mix", "summarize_request_mix", _request_mix),
    Mechanism("chunk_plan", "build_chunked_prefill_plan", _chunk_plan),
    Mechanism("budget_policies", "plan_iteration_budget", _budget_policies),
    Mechanism("budget_contract", "plan_iteration_budget", _budget_contract),
    Mechanism("pool_assignment", "plan_pd_split", _pool_assignment),
    Mechanism("decision", "evaluate_pd_decision", _decision),
)


@dataclass(frozen=True)
class MechanismReport:
    """Six rows, one per mechanism; shows itself as a table.

    Attributes:
        results: what each mechanism found, in the order of `MECHANISMS`.
    """

    results: tuple[CheckResult, ...]

    @property
    def passed(self) -> int:
        """How many mechanisms hold."""
        return sum(result.passed for result in self.results)

    def table(self) -> Table:
        """The rows as a learner reads them."""
        title = text("mechanisms.title", passed=self.passed, total=len(self.results))
        rows = [
            (
                text(f"mechanisms.{mechanism.name}"),
                f"`{mechanism.function}`",
                text(f"mechanisms.verdict.{result.verdict}"),
                _note(result),
            )
            for mechanism, result in zip(MECHANISMS, self.results, strict=True)
        ]
        return Table(title, tuple(text("mechanisms.columns").split(" | ")), tuple(rows))

    def _repr_markdown_(self) -> str:
        return self.table().as_markdown()

    def __repr__(self) -> str:
        return self.table().as_text()


def _note(result: CheckResult) -> str:
    if result.verdict in ("wrong_value", "wrong_type") and result.expected:
        return text("mechanisms.note", expected=result.expected, got=result.got)
    return result.got if result.verdict == "raised" else ""


def run_mechanism_tests(functions: Functions) -> MechanismReport:
    """Run the six tests; never raises for what the functions do or lack."""
    return MechanismReport(tuple(_result(mechanism, functions) for mechanism in MECHANISMS))


def _result(mechanism: Mechanism, functions: Functions) -> CheckResult:
    function = functions.get(mechanism.function)
    if function is None:
        return CheckResult(mechanism.name, "unavailable")
    try:
        mechanism.check(function)
    except CheckFailure as failure:
        return failure.result
    return CheckResult(mechanism.name, "passed")
