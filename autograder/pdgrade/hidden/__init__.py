"""Hidden tests: one module per TODO, called from the hidden regions of the source notebooks.

``run_hidden("todo1_pure", summarize_request_mix)`` runs the property of that test cell. Its cases
come from a seed: the argument, else the one of the surrounding ``with seeded(seed):``, else a
fixed default, so that plain nbgrader works too. A failure shows a fresh example of the same kind
and never a graded input.
"""

from pdgrade.hidden.running import PROPERTIES, keeps, run_hidden, seeded

__all__ = ["PROPERTIES", "keeps", "run_hidden", "seeded"]
