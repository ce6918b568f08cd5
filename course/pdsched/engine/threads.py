"""One BLAS thread per process: set before NumPy is imported, told honestly when it was too late."""

from __future__ import annotations

import os
import sys
from typing import Final

VARIABLES: Final = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_numpy_came_first: list[bool] = []


def pin_one_thread() -> bool:
    """Ask every BLAS for one thread; ``False`` when NumPy was already loaded without that.

    A variable that is set already is left alone. Only the first call in a process decides.
    """
    if not _numpy_came_first:
        loaded = "numpy" in sys.modules
        _numpy_came_first.append(loaded and os.environ.get("OPENBLAS_NUM_THREADS") != "1")
    for variable in VARIABLES:
        os.environ.setdefault(variable, "1")
    return not _numpy_came_first[0]


def describe() -> str:
    """The thread count to print beside a measurement: a number, or why it is not known."""
    if _numpy_came_first and _numpy_came_first[0]:
        return f"unpinned (NumPy was imported first; up to {os.cpu_count()})"
    return os.environ.get("OPENBLAS_NUM_THREADS", "unpinned")
