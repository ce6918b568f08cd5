"""A small table that reads well in a notebook (Markdown) and in a terminal (aligned text)."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A titled table of text.

    Attributes:
        title: one line above it; may be empty.
        columns: headings.
        rows: cells, as many per row as there are columns.
        numeric: positions of the columns that are set flush right.

    Raises:
        ValueError: a row has another number of cells than there are columns.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row has {len(row)} cells for {len(self.columns)} columns")

    def as_markdown(self) -> str:
        """The table as Markdown; ``|`` and line ends inside a cell are kept from breaking it."""
        rules = ["--:" if i in self.numeric else ":--" for i in range(len(self.columns))]
        lines = [self.columns, rules, *self.rows]
        body = "\n".join(f"| {' | '.join(_one_cell(cell) for cell in line)} |" for line in lines)
        return f"**{self.title}**\n\n{body}" if self.title else body

    def as_text(self) -> str:
        """The table with aligned columns; a Chinese character counts as two."""
        lines = [tuple(cell.replace("`", "") for cell in row) for row in (self.columns, *self.rows)]
        widths = [max(width(line[i]) for line in lines) for i in range(len(self.columns))]
        body = [
            "  ".join(self._aligned(cell, i, widths[i]) for i, cell in enumerate(line)).rstrip()
            for line in lines
        ]
        return "\n".join([self.title, *body] if self.title else body)

    def _aligned(self, cell: str, column: int, to_width: int) -> str:
        space = " " * (to_width - width(cell))
        return space + cell if column in self.numeric else cell + space


def _one_cell(cell: str) -> str:
    return cell.replace("|", "\\|").replace("\n", " ")


def width(shown: str) -> int:
    """Columns a terminal gives to a text: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in shown
    )
