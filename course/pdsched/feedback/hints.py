"""``hint(3)``: the next of three hints, only when asked for."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Final

import pdsched.messages.hints  # noqa: F401  registers the hints
from pdsched.contracts import contract
from pdsched.feedback import progress_store
from pdsched.feedback.display import CARD
from pdsched.messages import text

LEVELS: Final = 3


@dataclass(frozen=True)
class Hint:
    """One hint, shown as a card or as plain text."""

    title: str
    words: str
    more: str

    def __repr__(self) -> str:
        return f"{self.title}\n{self.words}\n{self.more}"

    def _repr_html_(self) -> str:
        return (
            f'<div class="pdsched-hint" style="{CARD}"><strong>{escape(self.title)}</strong>'
            f'<div style="margin:.3em 0">{escape(self.words)}</div>'
            f'<div style="opacity:.75">{escape(self.more)}</div></div>'
        )


def hint(todo: int | str, level: int | None = None) -> Hint:
    """A hint for a TODO; without a level the next one not seen yet (then the last one again).

    Raises:
        ValueError: there is no such TODO, or level is not 1, 2 or 3.
    """
    wanted = contract(todo)
    seen = progress_store.read()[wanted.todo].hints_seen
    chosen = min(seen + 1, LEVELS) if level is None else level
    if type(chosen) is not int or chosen not in range(1, LEVELS + 1):
        raise ValueError(f"level must be 1, 2 or 3, got {level!r}")
    progress_store.update(wanted.todo, hints_seen=max(seen, chosen))
    return Hint(
        text("hints.title", todo=wanted.todo, level=chosen),
        text(f"hints.todo{wanted.todo}.{chosen}"),
        text("hints.last" if chosen == LEVELS else "hints.more", todo=wanted.todo),
    )
