"""Odd submissions, each with the score, the status and the note that it must get.

The table in `cases` is the corpus: a submission is built in code from an honest one by the change
that real learners' files have gone through.
"""

from corpus.cases import CASES, Case

__all__ = ["CASES", "Case"]
