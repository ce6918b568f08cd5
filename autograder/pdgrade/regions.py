"""The visible and the hidden part of a test cell, each with the other's lines left blank.

Blank lines keep the line numbers. A cell whose parts do not stand on their own (a hidden region
inside a block) counts as hidden from its first line on.
"""

from __future__ import annotations

from functools import lru_cache

BEGIN, END = "### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS"


@lru_cache(maxsize=512)
def _parts(source: str) -> tuple[str, str]:
    visible: list[str] = []
    hidden: list[str] = []
    inside = False
    for line in source.split("\n"):
        mark = line.strip()
        inside = inside or mark.startswith(BEGIN)
        visible.append("" if inside else line)
        hidden.append(line if inside else "")
        inside = inside and not mark.startswith(END)
    parts = "\n".join(visible), "\n".join(hidden)
    return parts if all(map(_compiles, parts)) else ("", source)


def _compiles(source: str) -> bool:
    try:
        compile(source, "<part>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def visible_part(source: str) -> str:
    """What learners see of the cell."""
    return _parts(source)[0]


def hidden_part(source: str) -> str:
    """What lies between the marks of nbgrader's hidden tests."""
    return _parts(source)[1]
