"""Cost models for tests: simple enough to compute by hand, and one with every term."""
# ruff: noqa: PLR0917 -- one argument per dimension drawn, or the protocol's own

from dataclasses import dataclass


@dataclass(frozen=True)
class TokenCost:
    """1 ms per iteration and 1 ms per token."""

    name: str = "1 + tokens"
    source: str = "test"
    error: str = "none"

    def iteration_ms(self, prefill_tokens, _past, _pairs, num_decodes, *_):
        return 1.0 + prefill_tokens + num_decodes


@dataclass(frozen=True)
class EveryTerm:
    """Sensitive to each argument, so that a wrong one shows."""

    name: str = "every term"
    source: str = "test"
    error: str = "none"

    def iteration_ms(self, prefill, past, pairs, decodes, context, sampled, /):
        return (
            1 + 0.1 * prefill + 0.003 * past + 0.0007 * pairs + 0.2 * decodes
            + 0.001 * context + 0.05 * sampled
        )  # fmt: skip


@dataclass(frozen=True)
class Linear(EveryTerm):
    """The same, and says that decode-only iterations are linear in context."""

    def decode_slope(self, _num_decodes, _first_context, _last_context):
        return 0.001
