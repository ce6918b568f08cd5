"""What the simulator asks of a cost model: the milliseconds of one iteration."""

from __future__ import annotations

from typing import Protocol


class CostModel(Protocol):
    """Time of one iteration of one worker, from what the iteration contains.

    Implementations are pure and cheap: a sweep calls `iteration_ms` millions of times. One that
    is linear in context may say so with a method ``decode_slope(num_decodes, first_context,
    last_context)``: milliseconds per context token of decode-only iterations between the two,
    or ``None`` where they are no straight line. The simulator then adds instead of calling.

    Attributes:
        name: short and unique, e.g. ``llama-3.1-8b on h100, tp1, bf16``.
        source: where the numbers come from.
        error: one sentence: how far it is from which measurements.
    """

    @property
    def name(self) -> str:
        """Short and unique name."""

    @property
    def source(self) -> str:
        """Where the numbers come from."""

    @property
    def error(self) -> str:
        """How far it is from which measurements, in one sentence."""

    def iteration_ms(  # noqa: PLR0917 -- the hot call; keywords would cost more than the sum
        self,
        prefill_tokens: int,
        prefill_past: int,
        prefill_pairs: float,
        num_decodes: int,
        decode_context: int,
        num_sampled: int,
        /,
    ) -> float:
        """Milliseconds of one iteration.

        Args:
            prefill_tokens: sum of the chunks' tokens.
            prefill_past: sum of the tokens already in KV for those requests.
            prefill_pairs: sum of ``chunk * (past + chunk / 2)``, the attention pairs.
            num_decodes: requests that decode one token each.
            decode_context: sum of their context lengths.
            num_sampled: decodes, plus prefills that complete their prompt in this iteration.
        """
