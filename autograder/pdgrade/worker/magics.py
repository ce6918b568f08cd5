"""Notebook syntax that is not Python, turned into a note instead of a SyntaxError.

Only code that does not compile is touched: the line the compiler stopped at is commented out if it
is a magic (``%matplotlib inline``), a shell escape (``!pip install x``, ``files = !ls``) or a help
request (``len?``), and compiling is tried again. A cell magic drops the cell, unless its body is
ordinary Python (``%%time``).
"""

from __future__ import annotations
import __future__

import ast
import re
import types
from dataclasses import dataclass

_PYTHON_BODY = {"time", "timeit", "capture", "prun", "python", "python3", "py"}
_CELL_MAGIC = re.compile(r"\s*%%\s*(\w*)")
_LINE = re.compile(r"\s*(?:[%!?]|[\w, ]+=\s*[%!]|[\w.]+\?{1,2}\s*$)")
_MAX_ROUNDS = 60
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag


@dataclass(frozen=True)
class Compiled:
    """A cell ready to run, with the lines that were left out of it."""

    code: types.CodeType
    skipped: tuple[str, ...]


def compile_cell(source: str, filename: str, flags: int = 0) -> Compiled:
    """Compile a cell, leaving out notebook syntax.

    `flags` are the ``__future__`` features of earlier cells, which a notebook keeps.

    Raises:
        SyntaxError: what remains is not Python.
        ValueError: it contains null bytes (SyntaxError from Python 3.12 on).
    """
    lines = source.replace("\r\n", "\n").split("\n")
    skipped = _cell_magic(lines)
    for _ in range(_MAX_ROUNDS):
        try:
            code = compile("\n".join(lines), filename, "exec", flags, dont_inherit=True)
        except SyntaxError as error:
            if "outside" in str(error.msg) and not flags & ast.PyCF_ALLOW_TOP_LEVEL_AWAIT:
                flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as a notebook does where it is needed
                continue
            if not _skip(lines, (error.lineno or 0) - 1, skipped):
                raise
        else:
            return Compiled(code, tuple(skipped))
    for index in range(len(lines)):
        _skip(lines, index, skipped)
    code = compile("\n".join(lines), filename, "exec", flags, dont_inherit=True)
    return Compiled(code, tuple(skipped))


def future_flags(code: types.CodeType) -> int:
    """The ``__future__`` features a cell was compiled with, for the cells after it."""
    return code.co_flags & _FUTURE


def _cell_magic(lines: list[str]) -> list[str]:
    """Take out a leading cell magic (and its body, unless that is Python)."""
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    found = _CELL_MAGIC.match(lines[first])
    if not found:
        return []
    skipped = [lines[first].strip()]
    end = first + 1 if found[1] in _PYTHON_BODY else len(lines)
    lines[first:end] = [""] * (end - first)
    return skipped


def _skip(lines: list[str], index: int, skipped: list[str]) -> bool:
    """Replace the line by ``pass`` if it is notebook syntax."""
    if not 0 <= index < len(lines) or not _LINE.match(lines[index]):
        return False
    line = lines[index]
    skipped.append(line.strip())
    lines[index] = line[: len(line) - len(line.lstrip())] + "pass"
    return True
