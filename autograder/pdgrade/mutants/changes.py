"""Every small change that can be made to one node of a syntax tree."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import Any, Final

Change = Callable[[Any], None]

_COMPARISONS: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.NotEq),
    ast.LtE: (ast.Lt, ast.GtE, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.NotEq),
    ast.GtE: (ast.Gt, ast.LtE, ast.Eq),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_ARITHMETIC: Final[dict[type[ast.operator], tuple[type[ast.operator], ...]]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Div, ast.Mod),
    ast.Mod: (ast.FloorDiv,),
}
_SWAPPED_NAMES: Final = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "ValueError": "TypeError",
    "values": "keys",
    "append": "remove",
}


def changes_of(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """The operator's name and the change, made in place on a copy of the node."""
    if isinstance(node, ast.Compare):
        yield from _comparison(node)
    elif isinstance(node, ast.BoolOp):
        yield from _boolean(node)
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        yield from _arithmetic(node)
    elif isinstance(node, ast.UnaryOp):
        yield "operator removed", _replace_unary
    elif isinstance(node, ast.Constant):
        yield from _constant(node)
    elif isinstance(node, ast.Slice):
        yield from _slice(node)
    elif isinstance(node, ast.Call):
        yield from _call(node)
    elif isinstance(node, ast.Name | ast.Attribute):
        yield from _name(node)
    elif isinstance(node, ast.If | ast.IfExp):
        yield from _condition(node)
    elif isinstance(node, ast.List | ast.Tuple | ast.Dict):
        yield from _elements(node)
    yield from _statements(node)


def _comparison(node: ast.Compare) -> Iterator[tuple[str, Change]]:
    for position, operator in enumerate(node.ops):
        for other in _COMPARISONS.get(type(operator), ()):

            def change(target: ast.Compare, at: int = position, new: Any = other) -> None:
                target.ops[at] = new()

            yield "comparison", change


def _boolean(node: ast.BoolOp) -> Iterator[tuple[str, Change]]:
    def flip(target: ast.BoolOp) -> None:
        target.op = ast.Or() if isinstance(target.op, ast.And) else ast.And()

    yield "and/or", flip
    for position in range(len(node.values)):

        def drop(target: ast.BoolOp, at: int = position) -> None:
            del target.values[at]
            if len(target.values) == 1:
                target.values.append(copy.deepcopy(target.values[0]))

        yield "condition dropped", drop


def _arithmetic(node: ast.BinOp | ast.AugAssign) -> Iterator[tuple[str, Change]]:
    for other in _ARITHMETIC.get(type(node.op), ()):

        def change(target: Any, new: Any = other) -> None:
            target.op = new()

        yield "arithmetic", change
    if isinstance(node, ast.BinOp):

        def swap(target: ast.BinOp) -> None:
            target.left, target.right = target.right, target.left

        yield "operands swapped", swap


def _replace_unary(target: ast.UnaryOp) -> None:
    target.op = ast.UAdd() if not isinstance(target.op, ast.Not) else target.op
    if isinstance(target.op, ast.Not):
        target.operand = ast.UnaryOp(ast.Not(), target.operand)


def _constant(node: ast.Constant) -> Iterator[tuple[str, Change]]:
    value = node.value
    if isinstance(value, bool):
        others: tuple[Any, ...] = (not value,)
    elif isinstance(value, int | float):
        others = (value + 1, value - 1)
    elif isinstance(value, str) and value:
        others = (value + "_",)
    else:
        others = ()
    for other in others:

        def change(target: ast.Constant, new: Any = other) -> None:
            target.value = new

        yield "constant", change


def _slice(node: ast.Slice) -> Iterator[tuple[str, Change]]:
    for bound in ("lower", "upper"):
        if getattr(node, bound) is None:
            continue

        def drop(target: ast.Slice, name: str = bound) -> None:
            setattr(target, name, None)

        yield "slice bound dropped", drop
        for step in (1, -1):

            def shift(target: ast.Slice, name: str = bound, by: int = step) -> None:
                shifted = ast.BinOp(getattr(target, name), ast.Add(), ast.Constant(by))
                setattr(target, name, shifted)

            yield "slice off by one", shift


def _call(node: ast.Call) -> Iterator[tuple[str, Change]]:
    for position in range(len(node.args) - 1):

        def swap(target: ast.Call, at: int = position) -> None:
            target.args[at], target.args[at + 1] = target.args[at + 1], target.args[at]

        yield "arguments swapped", swap
    if len(node.args) > 1:
        for position in range(len(node.args)):

            def drop(target: ast.Call, at: int = position) -> None:
                del target.args[at]

            yield "argument dropped", drop


def _name(node: ast.Name | ast.Attribute) -> Iterator[tuple[str, Change]]:
    field = "id" if isinstance(node, ast.Name) else "attr"
    other = _SWAPPED_NAMES.get(getattr(node, field))
    if other:

        def change(target: Any, name: str = field, new: str = other) -> None:
            setattr(target, name, new)

        yield "name", change


def _condition(node: ast.If | ast.IfExp) -> Iterator[tuple[str, Change]]:
    for value in (True, False):

        def fix(target: Any, new: bool = value) -> None:
            target.test = ast.Constant(new)

        yield "branch always/never taken", fix

    def negate(target: Any) -> None:
        target.test = ast.UnaryOp(ast.Not(), target.test)

    yield "condition negated", negate
    if isinstance(node, ast.If) and node.orelse:

        def no_else(target: ast.If) -> None:
            target.orelse = []

        yield "missing branch", no_else


def _elements(node: ast.List | ast.Tuple | ast.Dict) -> Iterator[tuple[str, Change]]:
    count = len(node.keys) if isinstance(node, ast.Dict) else len(node.elts)
    for position in range(count):

        def drop(target: Any, at: int = position) -> None:
            if isinstance(target, ast.Dict):
                del target.keys[at], target.values[at]
            else:
                del target.elts[at]

        yield "element dropped", drop
    if not isinstance(node, ast.Dict):
        for position in range(count - 1):

            def swap(target: Any, at: int = position) -> None:
                target.elts[at], target.elts[at + 1] = target.elts[at + 1], target.elts[at]

            yield "elements swapped", swap


def _statements(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """Drop one statement of a block, drop a returned value, exchange break and continue."""
    for block in ("body", "orelse"):
        statements = getattr(node, block, None)
        if isinstance(node, ast.Module) or not isinstance(statements, list):
            continue
        for position, statement in enumerate(statements):

            def drop(target: Any, name: str = block, at: int = position) -> None:
                getattr(target, name)[at] = ast.Pass()

            yield "statement dropped", drop
            if isinstance(statement, ast.Continue | ast.Break):
                other = ast.Break if isinstance(statement, ast.Continue) else ast.Continue

                def exchange(
                    target: Any, name: str = block, at: int = position, new: Any = other
                ) -> None:
                    getattr(target, name)[at] = new()

                yield "break/continue", exchange
    if isinstance(node, ast.For | ast.comprehension):

        def skip_first(target: Any) -> None:
            listed = ast.Call(ast.Name("list", ast.Load()), [target.iter], [])
            target.iter = ast.Subscript(listed, ast.Slice(ast.Constant(1)), ast.Load())

        yield "loop skips its first item", skip_first

        def skip_last(target: Any) -> None:
            listed = ast.Call(ast.Name("list", ast.Load()), [target.iter], [])
            target.iter = ast.Subscript(
                listed, ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Load()
            )

        yield "loop skips its last item", skip_last
