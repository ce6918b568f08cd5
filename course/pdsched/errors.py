"""An exception in words, whatever class the learner raised."""

from __future__ import annotations

from pdsched.interruption import Interruption


def message_of(error: BaseException) -> str:
    """Its message; empty where the class's own ``__str__`` raises."""
    try:
        return str(error)
    except (KeyboardInterrupt, Interruption):
        raise
    except BaseException:  # a learner's class may raise anything
        return ""


def words_of(error: BaseException) -> str:
    """``KeyError: 'x'``, or the class alone."""
    message = message_of(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
