"""What a scheduler answers for one iteration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pdsched.scheduler.job import Job


class PrefillChunk(NamedTuple):
    """A piece of one prompt, computed in one iteration.

    Attributes:
        request_id: whose prompt.
        num_tokens: tokens computed now.
        num_computed_tokens: tokens whose KV was there before.
    """

    request_id: str
    num_tokens: int
    num_computed_tokens: int


class StepPlan(NamedTuple):
    """One iteration of one worker.

    Attributes:
        decodes: the jobs that decode one token; ``None`` means every decoding job (the common
            case, which costs the same for one job and for a thousand).
        chunks: (job, tokens) of each prefill chunk, in order.
        preempted: ids of the jobs that lost their KV while this plan was made.
    """

    decodes: Sequence[Job] | None
    chunks: Sequence[tuple[Job, int]] = ()
    preempted: tuple[str, ...] = ()


DECODE_ALL: Final = StepPlan(None)
NOTHING: Final = StepPlan(())
