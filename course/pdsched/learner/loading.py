"""``load()``: the learner's five functions, each ready or with the reason why not."""

from __future__ import annotations

import html
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pdsched.messages.learner  # noqa: F401  registers the catalog
from pdsched.contracts import CONTRACTS, Contract, FunctionUnavailable, contract
from pdsched.errors import words_of
from pdsched.learner import notebooks, solutions
from pdsched.messages import text

State = Literal["ready", "unwritten", "failing", "missing"]
Function = Callable[..., Any]


@dataclass(frozen=True)
class LoadedFunction:
    """One TODO of the learner.

    Attributes:
        contract: which TODO.
        state: ready, unwritten (still a stub), failing (its cell raised) or missing.
        function: always callable; a missing or failing one raises `FunctionUnavailable`.
        source: where it was found, for a reader.
        reason: what is wrong and what to do; empty when ready.
    """

    contract: Contract
    state: State
    function: Function
    source: str = ""
    reason: str = ""


class LearnerFunctions(Mapping[str, Function]):
    """The five functions by name, as items or attributes; shows itself as a table."""

    def __init__(self, loaded: Mapping[str, LoadedFunction]) -> None:
        self._loaded = dict(loaded)

    def __getitem__(self, name: str) -> Function:
        return self._loaded[name].function

    def __getattr__(self, name: str) -> Function:
        loaded = self.__dict__.get("_loaded", {})
        if name in loaded:
            return loaded[name].function  # type: ignore[no-any-return]
        raise AttributeError(f"{name!r} is not one of {', '.join(loaded)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)

    def named(self, state: State) -> tuple[str, ...]:
        """The names of the functions in a state."""
        return tuple(name for name, each in self._loaded.items() if each.state == state)

    def details(self) -> tuple[LoadedFunction, ...]:
        """All five, in the order of the TODOs."""
        return tuple(self._loaded.values())

    @property
    def complete(self) -> bool:
        """Whether all five are ready."""
        return len(self.named("ready")) == len(self)

    def __repr__(self) -> str:
        return "\n".join(" ".join(part for part in row if part) for row in self._rows())

    def _repr_html_(self) -> str:
        left = "text-align:left"
        rows = "".join(
            "<tr>"
            + "".join(f'<td style="{left}">{html.escape(part)}</td>' for part in row)
            + "</tr>"
            for row in self._rows()
        )
        return f"<table>{rows}</table>"

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for each in self.details():
            state = text(f"learner.state.{each.state}")
            name = f"TODO {each.contract.todo} {each.contract.function}"
            yield (state, name, each.source, each.reason)


_last_loaded: list[LearnerFunctions] = []


def load(folder: str | Path | None = None) -> LearnerFunctions:
    """The learner's functions: those of this notebook, else from the sibling notebooks.

    Only solution cells run, with the imports and helpers they use. Nothing is raised for what the
    learner's code does or lacks; each function says its own state.

    Args:
        folder: where the notebooks lie; None looks beside the running notebook, in the
            assignment's folder above it, and where Colab and ModelScope keep uploads.
    """
    places = notebooks.folders(None if folder is None else Path(folder))
    loaded = {each.function: _load_one(each, places) for each in CONTRACTS}
    _last_loaded[:] = [LearnerFunctions(loaded)]
    return _last_loaded[0]


def current(name: str) -> Function | None:
    """The function of that name in the running notebook, as it is defined right now.

    Falls back to what the last `load` found ready; None if there is neither.

    Raises:
        ValueError: `name` is not one of the five.
    """
    wanted = contract(name)
    found = _in_notebook(wanted.function)
    if found is None and _last_loaded:
        loaded = {each.contract.function: each for each in _last_loaded[0].details()}[name]
        return loaded.function if loaded.state in ("ready", "unwritten") else None
    return found


def _in_notebook(name: str) -> Function | None:
    found = vars(sys.modules["__main__"]).get(name) if "__main__" in sys.modules else None
    return found if callable(found) else None


def _load_one(wanted: Contract, places: list[Path]) -> LoadedFunction:
    here = _in_notebook(wanted.function)
    # A name bound to an earlier load's function may be older than the sibling notebook.
    if here is not None and not str(here.__module__).startswith(solutions.MODULE_PREFIX):
        return _defined_here(wanted, here)
    unreadable: list[str] = []
    for folder in places:
        for path in notebooks.notebooks(folder, wanted):
            try:
                solution = solutions.find(notebooks.code_cells(path), wanted)
            except (OSError, ValueError) as error:
                unreadable.append(str(error))
                continue
            if solution is not None:
                return _run_one(solution, wanted, path)
    reason = text("learner.missing", notebook=f"{wanted.notebook}.ipynb", folder=Path.cwd())
    if unreadable:
        reason += " " + text("learner.unreadable", files="; ".join(unreadable[:3]))
    return _unavailable(wanted, "missing", "", reason)


def _defined_here(wanted: Contract, function: Function) -> LoadedFunction:
    """A function of the running notebook; a stub is unwritten here as well."""
    place = text("learner.this_notebook")
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):  # no source to read: take it as it is
        source = ""
    if solutions.is_unwritten(source, wanted.function):
        return LoadedFunction(wanted, "unwritten", function, place, text("learner.unwritten_here"))
    return LoadedFunction(wanted, "ready", function, place)


def _run_one(solution: solutions.Solution, wanted: Contract, path: Path) -> LoadedFunction:
    try:
        function = solutions.run(solution, wanted)
    except (Exception, SystemExit) as error:
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) else ""
        reason = text("learner.failing", error=f"{words_of(error)}{line}")
        return _unavailable(wanted, "failing", path.name, reason)
    if solutions.is_unwritten(solution.source, wanted.function):
        reason = text("learner.unwritten", notebook=path.name)
        return LoadedFunction(wanted, "unwritten", function, path.name, reason)
    return LoadedFunction(wanted, "ready", function, path.name)


def _unavailable(wanted: Contract, state: State, source: str, reason: str) -> LoadedFunction:
    def unavailable(*_args: object, **_kwargs: object) -> object:
        raise FunctionUnavailable(reason)

    unavailable.__name__ = wanted.function
    return LoadedFunction(wanted, state, unavailable, source, reason)
