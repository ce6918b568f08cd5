"""``solution(3)``: the worked solution (参考代码与解析), after passing or giving up.

The texts are Markdown files ``todo1.md`` … ``todo5.md`` in a folder ``selfstudy``. They are no part
of this package and of no release: a class that does not want them simply does not hand the folder
out, and code that runs while it is graded cannot import them. The folder is looked for in
``$PDSCHED_SELFSTUDY``, beside or above the notebook, and in the checkout this package runs from.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

import pdsched.messages.worked  # noqa: F401  registers the sentences
from pdsched.contracts import contract
from pdsched.feedback import progress_store
from pdsched.feedback.display import CARD
from pdsched.messages import text

FOLDER: Final = "selfstudy"


@dataclass(frozen=True)
class Worked:
    """A worked solution as Markdown, or the sentence that says why there is none."""

    words: str
    is_available: bool

    def __repr__(self) -> str:
        return self.words

    def _repr_markdown_(self) -> str | None:
        return self.words if self.is_available else None

    def _repr_html_(self) -> str | None:
        if self.is_available:
            return None
        return f'<div class="pdsched-worked" style="{CARD}">{escape(self.words)}</div>'


def solution(todo: int | str, *, give_up: bool = False) -> Worked:
    """Our worked solution of a TODO, once it is passed or given up.

    Args:
        todo: its number or the function's name.
        give_up: read it without passing; progress remembers that.

    Raises:
        ValueError: there is no such TODO.
    """
    wanted = contract(todo)
    known = progress_store.read()[wanted.todo]
    if known.state != "passed" and not known.gave_up:
        if not give_up:
            return Worked(text("worked.locked", todo=wanted.todo), is_available=False)
        progress_store.update(wanted.todo, gave_up=True)
    for folder in _folders():
        file = folder / f"todo{wanted.todo}.md"
        if file.is_file():
            return Worked(file.read_text(encoding="utf-8"), is_available=True)
    return Worked(text("worked.absent", todo=wanted.todo), is_available=False)


def _folders() -> Iterator[Path]:
    chosen = os.environ.get("PDSCHED_SELFSTUDY")
    if chosen:
        yield Path(chosen)
        return
    here = Path.cwd()
    for parent in (here, *list(here.parents)[:3]):
        yield parent / FOLDER
    yield Path(__file__).resolve().parents[3] / FOLDER
