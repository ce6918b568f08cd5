"""Make notebook code plain Python: magics, shell lines, Colab, and statements that only show.

The worker is not IPython. A line such as ``%timeit f()`` or ``!pip install x`` is set aside with a
note instead of sinking the cell it stands in; line numbers stay as the learner sees them.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pdgrade.records import Note

#: Cell magics whose body is ordinary code of the notebook; the others' body is something else.
_TRANSPARENT_MAGICS: Final = frozenset({"time", "capture", "prun", "mprun", "memit"})
_LINE = re.compile(r"^(\s*)(?:(?P<target>[A-Za-z_][\w, ]*)=\s*)?(?P<sign>%|!)\s*\S")
_HELP = re.compile(r"^\s*\??\??[A-Za-z_][\w.]*\?{1,2}\s*$|^\s*\?{1,2}[A-Za-z_][\w.]*\s*$")
_TRIPLE = re.compile(
    r"\\.|'''|\"\"\"|#[^\n]*|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL
)
_ONLY_SHOW: Final = frozenset({"print", "display", "help", "check", "expect", "pprint"})
_ONLY_SHOW_MODULES: Final = frozenset({"panels", "plt", "matplotlib", "learner", "feedback"})


@dataclass(frozen=True)
class PlainCode:
    """Python text and what was set aside to get it."""

    source: str
    notes: tuple[Note, ...] = ()


@lru_cache(maxsize=64)
def parses(source: str) -> ast.Module | None:
    """The syntax tree, or None where Python cannot read it (never an exception)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a learner's string is not our log's
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=256)
def plain_python(source: str) -> PlainCode:
    """The cell without what only IPython or Colab understands."""
    magic = re.match(r"\s*%%(\w+)[^\n]*(?:\n|$)", source)
    notes: list[Note] = []
    if magic:
        name = magic.group(1)
        notes.append(Note("magic_skipped", {"line": f"%%{name}"}))
        if name not in _TRANSPARENT_MAGICS:
            return PlainCode("", tuple(notes))
        source = "\n" * source[: magic.end()].count("\n") + source[magic.end() :]
    if parses(source) is None:
        source, skipped = _without_magic_lines(source)
        notes += [Note("magic_skipped", {"line": line}) for line in skipped[:3]]
    if "colab" in source or "get_ipython" in source:
        source, found = _without_colab(source)
        notes += [Note("colab_skipped")] if found else []
    return PlainCode(source, tuple(notes))


def without_display(source: str, functions: Collection[str] = ()) -> str:
    """Drop top-level statements that only show something: their result is never graded.

    A call of one of `functions`, the answers, that is not assigned counts as showing too; one of
    another function does not: it may fill a table that an answer reads.
    """
    tree = parses(source)
    if tree is None:
        return source
    return _blank(source, tree, [s for s in tree.body if _only_shows(s, functions)])


def without_definitions(source: str, names: Collection[str]) -> str:
    """Drop top-level definitions of these names (a copy of a cell that is used already)."""
    tree = parses(source)
    if tree is None:
        return ""
    return _blank(source, tree, [s for s in tree.body if names_bound(s) & set(names)])


def names_bound(node: ast.AST) -> set[str]:
    """Names that a top-level statement binds in the notebook's namespace."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {node.name}
    bound: set[str] = set()
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, (ast.Store, ast.Del)):
            bound.add(child.id)
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            bound |= {(a.asname or a.name).partition(".")[0] for a in child.names}
        elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(child.name)
    return bound


def is_unwritten(source: str, functions: Collection[str]) -> bool:
    """Whether every one of the functions still only raises NotImplementedError, or is absent."""
    tree = parses(source)
    if tree is None:
        return False
    bodies = [n.body for n in tree.body if isinstance(n, ast.FunctionDef) and n.name in functions]
    others = set().union(*(names_bound(n) for n in tree.body)) if tree.body else set()
    if not bodies and others & set(functions):
        return False  # f = lambda ...
    return all(all(_says_nothing(s) for s in body) for body in bodies)


def _says_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
        return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.Pass)


def _without_magic_lines(source: str) -> tuple[str, list[str]]:
    inside = _lines_inside_strings(source)
    lines, skipped = source.split("\n"), []
    for i, line in enumerate(lines):
        found = None if i in inside else _LINE.match(line)
        if found:
            skipped.append(line.strip()[:60])
            _blank_continuation(lines, i)
            target = found.group("target")
            lines[i] = found.group(1) + (f"{target.strip()} = None" if target else "pass")
        elif i not in inside and _HELP.match(line):
            skipped.append(line.strip()[:60])
            lines[i] = "pass"
    return "\n".join(lines), skipped


def _blank_continuation(lines: list[str], first: int) -> None:
    """Empty the lines that a backslash joins to a magic or shell line."""
    ends_open = lines[first].rstrip().endswith("\\")
    for i in range(first + 1, len(lines)):
        if not ends_open:
            return
        ends_open = lines[i].rstrip().endswith("\\")
        lines[i] = ""


def _lines_inside_strings(source: str) -> set[int]:
    """Numbers of the lines that begin inside a triple-quoted string."""
    inside: set[int] = set()
    position = 0
    while found := _TRIPLE.search(source, position):
        position = found.end()
        if found.group() not in ("'''", '"""'):
            continue
        end = source.find(found.group(), position)
        end = len(source) if end < 0 else end + 3
        first = source.count("\n", 0, position)
        inside.update(range(first + 1, source.count("\n", 0, end) + 1))
        position = end
    return inside


def _without_colab(source: str) -> tuple[str, bool]:
    """Drop statements that only call what `google.colab` brings, and `get_ipython()`.

    The import stays, for it has a stand-in in the worker, and other statements may use it.
    """
    tree = parses(source)
    if tree is None:
        return source, False
    names = {"get_ipython"}
    drop: list[ast.stmt] = []
    found = False
    for statement in tree.body:
        if _imports_colab(statement):
            names |= names_bound(statement)
            found = True
        elif isinstance(statement, ast.Expr) and _root_name(statement.value) in names:
            drop.append(statement)
    return _blank(source, tree, drop), found or bool(drop)


def _imports_colab(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").startswith("google.colab") or (
            statement.module == "google" and any(a.name == "colab" for a in statement.names)
        )
    return isinstance(statement, ast.Import) and any(
        a.name.startswith("google.colab") for a in statement.names
    )


def _only_shows(statement: ast.stmt, functions: Collection[str]) -> bool:
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, (ast.Name, ast.Constant)):
        return True
    if not isinstance(value, ast.Call):
        return False
    if isinstance(value.func, ast.Name):
        return value.func.id in _ONLY_SHOW or value.func.id in functions
    return _root_name(value) in _ONLY_SHOW_MODULES


def _root_name(node: ast.expr) -> str:
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _blank(source: str, tree: ast.Module, drop: list[ast.stmt]) -> str:
    """The source with these statements of the tree replaced by empty lines.

    A line shared with a statement that stays (``x = 1; print(x)``) stays whole.
    """
    if not drop:
        return source
    lines = source.split("\n")
    kept = {n for s in tree.body if s not in drop for n in _lines_of(s)}
    for statement in drop:
        numbers = _lines_of(statement)
        if not kept & set(numbers):
            for number in numbers:
                lines[number - 1] = ""
    return "\n".join(lines)


def _lines_of(statement: ast.stmt) -> range:
    decorators = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(d.lineno for d in decorators)])
    return range(first, (statement.end_lineno or statement.lineno) + 1)
