"""What a simulation returns: iterations, requests, handoffs and what each worker did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from pdsched.scheduler.plan import PrefillChunk

if TYPE_CHECKING:
    import pandas as pd

    from pdsched.simulator.gaps import TokenGaps

__all__ = ["Handoff", "Iteration", "PrefillChunk", "RequestRecord", "Timeline", "WorkerRecord"]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of one worker.

    Attributes:
        index: position in ``Timeline.iterations``.
        worker: the worker's name.
        start_ms: when it began.
        end_ms: when its tokens were there.
        decodes: requests that decoded one token.
        prefills: prompt chunks.
        max_num_batched_tokens: the budget.
        num_scheduled_tokens: decodes plus chunk tokens.
        num_running: admitted requests, this iteration's included.
        num_waiting: requests without a seat.
        kv_blocks_used: blocks held during the iteration; 0 where the cache is unlimited.
        kv_blocks_total: usable blocks, or ``None`` where the cache is unlimited.
        preempted: requests that lost their KV to make this plan possible.
    """

    index: int
    worker: str
    start_ms: float
    end_ms: float
    decodes: tuple[str, ...]
    prefills: tuple[PrefillChunk, ...]
    max_num_batched_tokens: int
    num_scheduled_tokens: int
    num_running: int
    num_waiting: int
    kv_blocks_used: int
    kv_blocks_total: int | None
    preempted: tuple[str, ...]

    @property
    def duration_ms(self) -> float:
        """Milliseconds from start to end."""
        return self.end_ms - self.start_ms


class RequestRecord(NamedTuple):  # a tuple: a million of them are made in a second
    """What one request lived through; times are milliseconds since the workload began.

    Attributes:
        request_id: which request.
        arrival_ms: when it reached the server (in a closed loop: when it was sent).
        first_scheduled_ms: start of the iteration that first worked on it.
        first_token_ms: end of the prefill that sampled its first token.
        decode_first_token_ms: end of its first decode step on the decode worker when the two
            phases run apart; the same as ``first_token_ms`` otherwise.
        finish_ms: end of the iteration that sampled its last token.
        prompt_tokens: input length.
        output_tokens: generated tokens, all of them delivered.
        cached_tokens: prompt tokens spared by prefix hits (whole blocks).
        preemptions: times it lost its KV.
        recomputed_tokens: tokens computed again after preemptions or failed handoffs.
        prefill_worker: who sampled its first token.
        decode_worker: who sampled its last token.
        pool: the routing decision: ``prefill_pool``, ``decode_pool`` or ``shared_pool``.
    """

    request_id: str
    arrival_ms: float
    first_scheduled_ms: float
    first_token_ms: float
    decode_first_token_ms: float
    finish_ms: float
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int
    preemptions: int
    recomputed_tokens: int
    prefill_worker: str
    decode_worker: str
    pool: str

    def ttft_ms(self, definition: str = "prefill") -> float:
        """Time to first token.

        Args:
            definition: ``"prefill"`` counts the token that prefill samples, ``"decode"`` the
                first one after the handoff. They differ only where the phases run apart.

        Raises:
            ValueError: any other definition.
        """
        if definition == "prefill":
            return self.first_token_ms - self.arrival_ms
        if definition == "decode":
            return self.decode_first_token_ms - self.arrival_ms
        raise ValueError(f"ttft_definition must be 'prefill' or 'decode', got {definition!r}")

    @property
    def tpot_ms(self) -> float | None:
        """Mean time per output token after the first; ``None`` for a single token."""
        if self.output_tokens < 2:
            return None
        return (self.finish_ms - self.first_token_ms) / (self.output_tokens - 1)

    @property
    def e2e_ms(self) -> float:
        """Request latency, arrival to last token."""
        return self.finish_ms - self.arrival_ms


@dataclass(frozen=True, slots=True)
class Handoff:
    """One attempt to move a request's KV from its prefill worker to a decode worker.

    Attributes:
        request_id: whose KV.
        source: prefill worker.
        target: decode worker.
        attempt: 1 for the first.
        ready_ms: when the KV was ready to leave.
        admitted_ms: when the decode side had reserved blocks for it.
        start_ms: when the link began to send.
        end_ms: when it arrived, or failed.
        num_bytes: bytes sent.
        outcome: ``"ok"``, ``"failed"`` (sent again), ``"timeout"`` (the decode side did not
            admit it in time) or ``"recompute"`` (given up: prefilled again where it decodes).
    """

    request_id: str
    source: str
    target: str
    attempt: int
    ready_ms: float
    admitted_ms: float
    start_ms: float
    end_ms: float
    num_bytes: int
    outcome: str

    @property
    def exposed_ms(self) -> float:
        """From KV ready to the end of this attempt: admission, queue and transfer."""
        return self.end_ms - self.ready_ms


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """What one worker did.

    Attributes:
        name: the worker.
        role: ``"shared"``, ``"prefill"`` or ``"decode"``.
        iterations: iterations run.
        busy_ms: time inside iterations.
        prefill_tokens: prompt tokens computed, recomputation included.
        decode_tokens: tokens decoded.
        preemptions: times it took a request's KV.
        kv_blocks_total: usable blocks, ``None`` where unlimited.
        kv_blocks_peak: most blocks held.
        kv_block_ms: blocks held, integrated over the iterations' time.
        stranded_block_ms: blocks kept for finished prefills whose KV had not left yet.
    """

    name: str
    role: str
    iterations: int
    busy_ms: float
    prefill_tokens: int
    decode_tokens: int
    preemptions: int
    kv_blocks_total: int | None
    kv_blocks_peak: int
    kv_block_ms: float
    stranded_block_ms: float


@dataclass(frozen=True)
class Timeline:
    """A finished simulation.

    Attributes:
        iterations: every iteration in order of start, built when looked at; empty when the
            simulation did not record them.
        requests: one record per request, in order of arrival.
        handoffs: attempts to move KV, in order of end.
        workers: what each worker did.
        gaps: inter-token times of all requests, weighted.
        scheduler: the policy's name.
        cost: the cost model's name; every time in here is simulated by it.
        cost_error: what the cost model says about its own error.
        settings: the arguments of the simulation that shaped it.
    """

    iterations: Sequence[Iteration]
    requests: Sequence[RequestRecord]
    handoffs: Sequence[Handoff]
    workers: Sequence[WorkerRecord]
    gaps: TokenGaps
    scheduler: str
    cost: str
    cost_error: str
    settings: Mapping[str, object] = field(default_factory=dict)

    @property
    def start_ms(self) -> float:
        """First arrival."""
        return min((record.arrival_ms for record in self.requests), default=0.0)

    @property
    def end_ms(self) -> float:
        """Last token."""
        return max((record.finish_ms for record in self.requests), default=0.0)

    def token_times(self, request_id: str) -> list[float]:
        """When each output token of one request was sampled, from the recorded iterations.

        Raises:
            ValueError: the request is unknown, or iterations were not recorded.
        """
        from pdsched.simulator.export import token_times

        return token_times(self, request_id)

    def to_dataframe(self, what: str = "requests") -> pd.DataFrame:
        """One row per request, iteration, handoff or worker (needs pandas).

        Raises:
            ValueError: ``what`` is none of these.
        """
        from pdsched.simulator.export import to_dataframe

        return to_dataframe(self, what)

    def to_chrome_trace(self) -> dict[str, object]:
        """The Chrome trace event format, which Perfetto opens: write it with ``json.dump``."""
        from pdsched.simulator.export import to_chrome_trace

        return to_chrome_trace(self)
