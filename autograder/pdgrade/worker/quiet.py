"""Stand-ins for modules that only show things: importing them neither fails nor costs time.

Grading never draws, so a cell that imports a plotting library, the course's panels or
``google.colab`` must not sink the solution next to it. Every attribute of a stand-in can be called,
entered, indexed and iterated (as empty), and does nothing.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

QUIET_MODULES = (
    "IPython",
    "ipywidgets",
    "matplotlib",
    "plotly",
    "seaborn",
    "altair",
    "bokeh",
    "google.colab",
    "pdsched.panels",
    "pdsched.figures",
    "pdsched.environment",
    "pdsched.cloud",
    "pdsched.feedback",
    "pdsched.learner",
)


#: Calls whose result is usually unpacked, and into how many.
_UNPACKED = {"subplots": 2, "hist": 3}


class Silence:
    """Accepts everything and does nothing."""

    def __init__(self, name: str = "") -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Silence(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        # Used as a decorator, it leaves the function as it was.
        if len(args) == 1 and not kwargs and type(args[0]).__name__ == "function":
            return args[0]
        count = _UNPACKED.get(self._name, 0)
        return tuple(Silence() for _ in range(count)) if count else self

    def __enter__(self) -> Silence:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __setitem__(self, _: object, __: object) -> None:
        return None

    def __bool__(self) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __float__(self) -> float:
        return 0.0

    def __repr__(self) -> str:
        return "<not shown when graded>"

    def _same(self, *_: object) -> Silence:
        return self

    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _same
    __truediv__ = __rtruediv__ = __neg__ = __or__ = __and__ = _same


class _QuietModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Silence(name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        """Claim the quiet modules and everything below them."""
        if any(fullname == name or fullname.startswith(f"{name}.") for name in QUIET_MODULES):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if fullname == "google":  # only as the parent of google.colab
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """An empty module that has every attribute."""
        return _QuietModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to execute; ``import *`` brings nothing."""
        module.__all__ = []  # type: ignore[attr-defined]


def install() -> None:
    """Let the import system find the stand-ins before anything installed."""
    sys.meta_path.insert(0, _Finder())
