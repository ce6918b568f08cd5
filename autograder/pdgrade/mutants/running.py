"""Run the hidden properties on every mutant of the reference solutions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pdgrade.hidden import PROPERTIES, keeps
from pdgrade.mutants.equivalent import EQUIVALENT
from pdgrade.mutants.mutating import Mutant, mutants_of
from pdsched.contracts import CONTRACTS, Contract
from pdsched.interruption import Interruption
from pdsched.learner import notebooks, solutions

#: Turns of loops that one property may take; the slowest right answer needs a few thousand.
MAX_TURNS: Final = 100_000
#: Each submission has its own seed: a mutant counts as noticed only if all of these notice it.
SEEDS: Final = ("prefill-decode-scheduling", "1", "2", "3", "4")
_TICK: Final = "__mutant_tick__"


class TooLong(Interruption):
    """A mutant's loops took more turns than any answer needs: it does not end."""

    def __init__(self) -> None:
        super().__init__(again=False)


@dataclass(frozen=True)
class Outcome:
    """What became of one mutant.

    Attributes:
        contract: whose reference solution it comes from.
        mutant: the fault.
        killed_by: the properties that noticed under every seed, in the order of the test cells.
        reason: why nobody could notice it; empty for a killed mutant or a survivor.
    """

    contract: Contract
    mutant: Mutant
    killed_by: tuple[str, ...]
    reason: str = ""

    @property
    def status(self) -> str:
        """``killed``, ``equivalent`` or ``survived``."""
        if self.killed_by:
            return "killed"
        return "equivalent" if self.reason else "survived"


def reference_solution(contract: Contract, folder: Path) -> str:
    """The source of the reference solution in the instructor's notebook.

    Raises:
        ValueError: the notebook has no such solution.
    """
    cells = notebooks.code_cells(folder / f"{contract.notebook}.ipynb")
    found = solutions.find(cells, contract)
    if found is None:
        raise ValueError(f"{contract.notebook} has no solution {contract.grade_id}")
    return found.source


def run_all(folder: Path) -> list[Outcome]:
    """Every mutant of the five reference solutions in the instructor's notebooks."""
    return [
        outcome
        for contract in CONTRACTS
        for outcome in run_solution(contract, reference_solution(contract, folder))
    ]


def run_solution(contract: Contract, source: str) -> Iterator[Outcome]:
    """The outcome of every mutant of one solution.

    Raises:
        ValueError: the solution itself does not pass.
    """
    if any(_killers(contract, source)):
        raise ValueError(f"{contract.function}: the unchanged solution fails its own tests")
    for mutant in mutants_of(source):
        killers = tuple(_killers(contract, mutant.source))
        reason = "" if killers else EQUIVALENT.get((contract.todo, mutant.change), "")
        yield Outcome(contract, mutant, killers, reason)


def stale_equivalents(outcomes: Sequence[Outcome]) -> list[tuple[int, str]]:
    """Entries of the list of equivalent mutants that no unnoticed mutant matches."""
    used = {
        (outcome.contract.todo, outcome.mutant.change)
        for outcome in outcomes
        if not outcome.killed_by
    }
    return [key for key in EQUIVALENT if key not in used]


def _killers(contract: Contract, source: str) -> Iterator[str]:
    fuel = _Fuel()
    namespace: dict[str, Any] = {"__name__": "mutant", _TICK: fuel.tick}
    exec(compile(with_ticks(source), "<mutant>", "exec"), namespace)
    function = namespace[contract.function]
    own = [each for each in PROPERTIES if each.startswith(f"todo{contract.todo}_")]
    for grade_id in own:
        if all(_notices(grade_id, function, fuel, seed) for seed in SEEDS):
            yield grade_id


def _notices(grade_id: str, function: Any, fuel: _Fuel, seed: str) -> bool:
    fuel.left = MAX_TURNS
    try:
        return not keeps(grade_id, function, seed)
    except TooLong:
        return True


@dataclass
class _Fuel:
    left: int = 0

    def tick(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLong


def with_ticks(source: str) -> ast.Module:
    """The code with a count at the start of every turn of every loop."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.While):
            node.body.insert(0, ast.Expr(ast.Call(ast.Name(_TICK, ast.Load()), [], [])))
    return ast.fix_missing_locations(tree)
