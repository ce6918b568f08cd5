"""``nbgrader autograde``, ``generate_feedback`` and formgrader's buttons, by the isolated path.

In ``nbgrader_config.py``::

    from pdgrade.nbgrader_plugin import install
    install(c)

nbgrader runs a learner's code inside its own kernel and has no setting for another way, so the
`start` of its two converters is replaced. The replacement acts only for configurations that went
through `install`, and ``PDGRADE_NBGRADER=off`` in the environment turns it off: then nbgrader
grades as it always did.
"""

from __future__ import annotations

import os
from typing import Any

SWITCH = "PDGRADE_NBGRADER"


def install(config: Any) -> None:
    """Let this configuration's autograde and generate_feedback run through pdgrade."""
    if os.environ.get(SWITCH, "on").lower() in ("off", "0", "no"):
        return
    from nbgrader.converters import Autograde, GenerateFeedback

    from pdgrade.nbgrader_plugin.converters import start_autograde, start_feedback

    config.PdGrade.isolated = True
    _replace_start(Autograde, start_autograde)
    _replace_start(GenerateFeedback, start_feedback)


def _replace_start(converter: Any, isolated_start: Any) -> None:
    """Give a converter class our `start`, once; other configurations keep the original."""
    if getattr(converter.start, "is_isolated", False):
        return
    original = converter.start

    def start(self: Any) -> None:
        if self.config.PdGrade.get("isolated") is True:
            isolated_start(self)
        else:
            original(self)

    start.is_isolated = True  # type: ignore[attr-defined]
    start.__doc__ = original.__doc__
    converter.start = start
