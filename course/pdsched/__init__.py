"""Prefill/Decode scheduling you can move: simulator, live panels and checks of the course."""

__version__ = "0.1.0"
