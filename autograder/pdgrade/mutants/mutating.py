"""Mutants of one function: each is the function with one change."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import Final

from pdgrade.mutants.changes import changes_of


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Attributes:
        operator: the kind of change.
        before: the changed statement, as source.
        after: what it became.
        source: the whole mutated function.
    """

    operator: str
    before: str
    after: str
    source: str

    @property
    def change(self) -> str:
        """``before → after`` on one line, cut to the part that differs: the mutant's name."""
        before, after = (" ".join(each.split()) for each in (self.before, self.after))
        start = _shared(before, after)
        end = -_shared(before[::-1], after[::-1])
        return f"{_cut(before, start, end)} → {_cut(after, start, end)}"


CONTEXT: Final = 40


def _shared(one: str, other: str) -> int:
    """How many characters both begin with."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _cut(source: str, start: int, end: int) -> str:
    """`source` around what differs, from `start` to `end` (counted from the back)."""
    first, last = max(0, start - CONTEXT), min(len(source), max(start, len(source) + end) + CONTEXT)
    return ("…" if first else "") + source[first:last] + ("…" if last < len(source) else "")


def mutants_of(source: str) -> list[Mutant]:
    """Every mutant of the (single) function in `source`, each once.

    Raises:
        ValueError: there is no function.
    """
    tree = _prepared(source)
    original = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for index, node in enumerate(ast.walk(tree)):
        for operator, change in changes_of(node):
            mutated = copy.deepcopy(tree)
            target = next(each for i, each in enumerate(ast.walk(mutated)) if i == index)
            change(target)
            text = ast.unparse(ast.fix_missing_locations(mutated))
            if text != original and text not in found:
                before, after = _changed_statement(tree, mutated)
                found[text] = Mutant(operator, before, after, text)
    return list(found.values())


def _prepared(source: str) -> ast.Module:
    """The function without docstring, annotations and the words of its error messages."""
    tree = ast.parse(source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if len(functions) != 1:
        raise ValueError(f"expected one function, found {len(functions)}")
    function = functions[0]
    function.returns = None
    for argument in [*function.args.args, *function.args.kwonlyargs]:
        argument.annotation = None
    if ast.get_docstring(function) is not None:
        function.body = function.body[1:]
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            node.exc.args = []
    return tree


def _changed_statement(tree: ast.Module, mutated: ast.Module) -> tuple[str, str]:
    """The smallest statement that differs, before and after."""
    before, after = tree.body[0], mutated.body[0]
    while True:
        pairs = [
            (old, new)
            for block in ("body", "orelse")
            for old, new in zip(getattr(before, block, []), getattr(after, block, []), strict=False)
            if isinstance(old, ast.stmt) and ast.dump(old) != ast.dump(new)
        ]
        if len(pairs) != 1 or _heading(before) != _heading(after):
            return _heading(before), _heading(after)
        before, after = pairs[0]


def _heading(statement: ast.stmt) -> str:
    """A statement's first line for a compound one, all of it otherwise."""
    source = ast.unparse(statement)
    if isinstance(statement, ast.If | ast.For | ast.FunctionDef | ast.While):
        lines = source.splitlines()
        has_else = isinstance(statement, ast.If | ast.For) and bool(statement.orelse)
        return lines[0] + (" … else …" if has_else else "")
    return source
