"""``pdsched …`` and ``python -m pdsched …``."""

from __future__ import annotations

import sys
from importlib import import_module

from pdsched.messages import commands as _sentences  # noqa: F401 -- registers them
from pdsched.messages import text

_LABS = ("typer", "rich")


def main() -> None:
    """Run the command line; without its packages, say which extra brings them."""
    for package in _LABS:
        try:
            import_module(package)
        except ImportError:
            sys.exit(text("commands.needs_labs", package=package))
    from pdsched.commands.app import app

    app()


if __name__ == "__main__":
    main()
