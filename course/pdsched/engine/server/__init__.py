"""An OpenAI-compatible streaming server over the NumPy engine, on 127.0.0.1 only.

``python -m pdsched.engine.server --port 0`` prints its address and stops by itself; `launched`
starts one beside you for the length of a ``with`` block.
"""

from __future__ import annotations

from pdsched.engine.server.process import ServerProcess, launched

__all__ = ["ServerProcess", "launched"]
