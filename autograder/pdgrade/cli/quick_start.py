"""Import nbgrader in a fraction of the time: put off a grammar that is built at import.

nbformat imports jsonschema, which imports ``rfc3987_syntax``, which builds a parser for
international web addresses: two seconds, and no notebook schema asks for it. The stand-in builds
it when it is first called.
"""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from types import ModuleType

NAME = "rfc3987_syntax"


def put_off_the_grammar() -> None:
    """Let ``rfc3987_syntax`` be loaded at its first use instead of at its import."""
    if NAME in sys.modules or find_spec(NAME) is None:
        return
    stand_in = ModuleType(NAME)

    def is_valid_syntax(term: str, value: str) -> bool:
        """Load the real one and ask it."""
        if sys.modules.get(NAME) is stand_in:
            del sys.modules[NAME]
        return bool(importlib.import_module(NAME).is_valid_syntax(term, value))

    stand_in.is_valid_syntax = is_valid_syntax  # type: ignore[attr-defined]
    sys.modules[NAME] = stand_in
