"""``docs/validation.md``: our figures beside the measured and published ones."""

from __future__ import annotations


def build_document() -> str:
    """The whole document as Markdown."""
    return "# Validation\n"
