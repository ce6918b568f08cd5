"""The four corners of prompt × output, which TODO 1 and TODO 4 both name."""

from __future__ import annotations

from typing import Literal

Corner = Literal["prefill", "decode", "both"]


def corner(prompt: int, output: int, prompt_limit: int, output_limit: int) -> Corner:
    """Which phase alone is long; ``both`` where both or neither are."""
    long_prompt, long_output = prompt > prompt_limit, output > output_limit
    if long_prompt == long_output:
        return "both"
    return "prefill" if long_prompt else "decode"
