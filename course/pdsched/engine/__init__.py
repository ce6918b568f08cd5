"""A real, small serving engine on the CPU: NumPy transformer, paged KV, ragged batch.

Importing this package pins the BLAS behind NumPy to one thread, if NumPy is not loaded yet: two
spinning BLAS threads beside any neighbour process make every time below meaningless.
Read `model` first (the whole engine), then `loop` (a scheduler drives it).
"""

from __future__ import annotations

from pdsched.engine import threads

threads.pin_one_thread()

from pdsched.engine.model import Engine, OutOfPagesError  # noqa: E402
from pdsched.engine.weights import ModelConfig, Weights  # noqa: E402

__all__ = ["Engine", "ModelConfig", "OutOfPagesError", "Weights"]
