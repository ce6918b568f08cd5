"""Which panels are on the page, so that each follows a cell that redefines its function.

One callback in IPython serves all of them. Running a panel's cell again closes the panel it showed
before; ipywidgets would otherwise keep it, and its callbacks, for as long as the kernel lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pdsched import environment
from pdsched.messages import text

if TYPE_CHECKING:
    from pdsched.panels.live import LivePanel

MOST: Final = 12  # panels kept alive where cells cannot be told apart


@dataclass(frozen=True, slots=True)
class _Entry:
    panel: LivePanel
    cell: str | None
    run: int


_entries: list[_Entry] = []
_listening: list[Any] = []  # the IPython shell the callback is registered with


def add(panel: LivePanel) -> None:
    """Keep ``panel`` up to date from now on; close the one its cell showed before."""
    shell = environment.shell()
    cell, run = environment.cell_id(), getattr(shell, "execution_count", 0)
    for entry in list(_entries):
        if cell is not None and entry.cell == cell and entry.run != run:
            remove(entry.panel)
    _entries.append(_Entry(panel, cell, run))
    while len(_entries) > MOST:
        remove(_entries[0].panel, text("panels.replaced"))
    if shell is not None and not _listening:
        shell.events.register("post_run_cell", after_cell)
        _listening.append(shell)


def remove(panel: LivePanel, words: str = "") -> None:
    """Close ``panel`` and forget it; the last one takes the callback along."""
    _entries[:] = [entry for entry in _entries if entry.panel is not panel]
    panel.close(words)
    if not _entries and _listening:
        _listening.pop().events.unregister("post_run_cell", after_cell)


def panels() -> tuple[LivePanel, ...]:
    """The panels kept up to date, oldest first."""
    return tuple(entry.panel for entry in _entries)


def after_cell(_result: object = None) -> None:
    """Let every panel follow the cell that just ran."""
    for entry in list(_entries):
        if entry.panel.box.comm is None:
            remove(entry.panel)
        else:
            entry.panel.refresh_if_stale()


def bundle(panel: LivePanel) -> dict[str, Any]:
    """The display of a panel: the widget where one can be shown, else its static twin."""
    picture = panel.picture_now()._repr_mimebundle_()
    if environment.renderer() == "static":
        return picture
    return {
        "text/plain": picture["text/plain"],
        "application/vnd.jupyter.widget-view+json": {
            "version_major": 2,
            "version_minor": 0,
            "model_id": panel.box.model_id,
        },
    }
