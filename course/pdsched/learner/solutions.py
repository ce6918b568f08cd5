"""Run one solution cell, with exactly the helpers of its notebook that it needs."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import linecache
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pdsched.contracts import Contract
from pdsched.learner.notebooks import Cell

#: Functions that `run` made carry a module name of this form.
MODULE_PREFIX: Final = "pdsched_learner."
_PLAIN_NAMES: Final = frozenset(dir(builtins))


@dataclass(frozen=True)
class Solution:
    """A cell that defines the contract's function, and the other cells of its notebook."""

    source: str
    others: tuple[str, ...]


def find(cells: Sequence[Cell], contract: Contract) -> Solution | None:
    """The cell with the contract's grade_id, else the last one that defines the function."""
    defining = [cell for cell in cells if defined_function(cell.source, contract.function)]
    by_id = [cell for cell in cells if cell.grade_id == contract.grade_id]
    candidates = [cell for cell in by_id if cell in defining] or defining or by_id
    if not candidates:
        return None
    chosen = candidates[-1]
    return Solution(chosen.source, tuple(cell.source for cell in cells if cell is not chosen))


def defined_function(source: str, name: str) -> ast.FunctionDef | None:
    """The top-level function `name` of a cell, if the cell can be read and has one."""
    for statement in reversed(_statements(source)):
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            return statement
    return None


def is_unwritten(source: str, name: str) -> bool:
    """Whether the function still only raises NotImplementedError."""
    function = defined_function(source, name)
    if function is None:
        return False
    body = [each for each in function.body if not _says_nothing(each)]
    return all(isinstance(each, ast.Raise) and _not_implemented(each) for each in body)


def _says_nothing(statement: ast.stmt) -> bool:
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, ast.Pass)


def _not_implemented(statement: ast.Raise) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == "NotImplementedError"
        for node in ast.walk(statement)
    )


def run(solution: Solution, contract: Contract) -> Callable[..., Any]:
    """Execute the helpers, then the cell; return its function.

    Raises:
        Exception: whatever the learner's code raises, or NameError if it defines no function.
    """
    module = f"{MODULE_PREFIX}{contract.notebook}"
    namespace: dict[str, Any] = {"__name__": module, "__builtins__": builtins}
    filename = f"<{contract.notebook} · {contract.grade_id}>"
    linecache.cache[filename] = (
        len(solution.source),
        None,
        solution.source.splitlines(keepends=True),
        filename,
    )
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for statement in needed_helpers(solution):
            helper = ast.Module([statement], type_ignores=[])
            exec(compile(helper, f"<{contract.notebook}>", "exec"), namespace)
        exec(compile(solution.source, filename, "exec"), namespace)
    function = namespace.get(contract.function)
    if callable(function):
        return cast("Callable[..., Any]", function)
    raise NameError(f"name {contract.function!r} is not defined")


def needed_helpers(solution: Solution) -> list[ast.stmt]:
    """Top-level imports, functions, classes and constants that the cell uses, in order."""
    helpers = [each for source in solution.others for each in _statements(source)]
    wanted = _used_names(_statements(solution.source))
    chosen: set[int] = set()
    while True:
        found = {
            index
            for index, helper in enumerate(helpers)
            if index not in chosen and wanted.intersection(_bound_names(helper))
        }
        if not found:
            return [helpers[index] for index in sorted(chosen)]
        chosen |= found
        wanted |= _used_names([helpers[index] for index in found])


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError):
        return []


def _used_names(statements: Sequence[ast.stmt]) -> set[str]:
    """Names read somewhere in the statements and not bound at their top level."""
    read = {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    own = {name for statement in statements for name in _bound_names(statement)}
    return read - own - _PLAIN_NAMES


def _bound_names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0]
    elif isinstance(statement, ast.Assign | ast.AnnAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
