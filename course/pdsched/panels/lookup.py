"""Where a panel finds the learner's function: by name, at the moment it draws."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def current(name: str) -> Callable[..., Any] | None:
    """The function of that name in the notebook's namespace, None if there is none yet."""
    found = getattr(sys.modules.get("__main__"), name, None)
    return found if callable(found) else None
