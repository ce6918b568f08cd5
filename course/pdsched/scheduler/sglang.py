"""SGLang: prefill first; an iteration is prefill or decode, or both with mixed chunk.

Follows SGLang's scheduler for the first-come-first-served policy without overlap, speculation
or priorities:

- While there is anything to prefill that fits, the iteration is a prefill of up to
  ``chunked_prefill_size`` tokens (here ``max_num_batched_tokens``). At most one request is
  partly prefilled at a time; it goes first.
- A request is admitted if its prompt and its output fit beside what the running requests are
  expected to grow by: their remaining output times ``new_token_ratio``, which decays with
  every decode step and rises after a retraction. After a request did not fit, none is tried
  until somebody finishes (``batch_is_full``).
- When decodes find no block, those with the least output (then the longest prompt) are
  retracted to the tail of the queue and recomputed later.
- With mixed chunk the running decodes join a prefill iteration and count against its budget.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from pdsched.scheduler.admission import grow_first
from pdsched.scheduler.job import Job
from pdsched.scheduler.plan import DECODE_ALL, NOTHING, StepPlan
from pdsched.scheduler.state import WorkerState

_CLIP_NEW_TOKENS = 4096  # SGLANG_CLIP_MAX_NEW_TOKENS_ESTIMATION
_INITIAL_RATIO = 0.7
_MIN_RATIO_FACTOR = 0.14
_DECAY_STEPS = 600
_RETRACT_STEPS = 20


@dataclass
class SglangScheduler:
    """The scheduler of SGLang.

    Attributes:
        mixed_chunk: ``--enable-mixed-chunk``.
        max_prefill_tokens: prompt tokens of one iteration, the chunk size apart.
        schedule_conservativeness: scales the expected growth.

    Raises:
        ValueError: a setting is not positive.
    """

    mixed_chunk: bool = False
    max_prefill_tokens: int = 16384
    schedule_conservativeness: float = 1.0
    chunked: bool = True
    _ratio: float = field(init=False, repr=False)
    _full: bool = field(default=False, init=False, repr=False)
    _seats_before: int = field(default=0, init=False, repr=False)
    _free_before: float = field(default=inf, init=False, repr=False)
    _steps_before: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.max_prefill_tokens < 1:
            raise ValueError(f"max_prefill_tokens must be positive: {self.max_prefill_tokens!r}")
        if not 0 < self.schedule_conservativeness < inf:
            raise ValueError(
                f"schedule_conservativeness must be positive: {self.schedule_conservativeness!r}"
            )
        self._initial = min(_INITIAL_RATIO * self.schedule_conservativeness, 1.0)
        self._smallest = min(self._initial * _MIN_RATIO_FACTOR, 1.0)
        self._ratio = self._initial

    @property
    def name(self) -> str:
        """``sglang`` or ``sglang_mixed``."""
        return "sglang_mixed" if self.mixed_chunk else "sglang"

    def for_worker(self) -> SglangScheduler:
        """A scheduler with its own expectation of growth."""
        return SglangScheduler(
            self.mixed_chunk, self.max_prefill_tokens, self.schedule_conservativeness
        )

    def schedule(self, state: WorkerState) -> StepPlan:
        """Plan the next iteration; see `Scheduler.schedule`."""
        self._catch_up(state)
        if state.only_decodes():
            return DECODE_ALL
        chunks = self._prefill(state)
        if chunks:
            mixed = self.mixed_chunk and bool(state.decodes.members)
            if mixed:
                state.grow_decodes()
            plan = StepPlan(None if mixed else (), chunks)
        else:
            plan = self._decode(state)
        self._seats_before = state.free_seats
        self._free_before = _free_blocks(state)
        return plan

    def _catch_up(self, state: WorkerState) -> None:
        """Account for decode steps and finished requests since the last call."""
        steps = state.decodes.step - self._steps_before
        self._steps_before = state.decodes.step
        decay = (self._initial - self._smallest) / _DECAY_STEPS
        self._ratio = max(self._ratio - steps * decay, self._smallest)
        if state.free_seats > self._seats_before or _free_blocks(state) > self._free_before:
            self._full = False  # somebody finished, or KV has left for a decode worker

    def _prefill(self, state: WorkerState) -> list[tuple[Job, int]]:
        """This iteration's chunks; admits what they belong to."""
        chunks: list[tuple[Job, int]] = []
        if not state.prefilling and (not state.waiting or self._full):
            return chunks
        mixed = len(state.decodes.members) if self.mixed_chunk else 0
        left = min(state.max_num_batched_tokens, self.max_prefill_tokens) - mixed
        growth = state.decodes.new_blocks() if mixed else 0
        for job in state.prefilling.values():  # one at most: the chunked request
            tokens = min(job.remaining_tokens, left, _room(state, job, growth))
            if tokens <= 0:
                return chunks
            state.hold(job, job.computed + tokens)
            chunks.append((job, tokens))
            left -= tokens
            if tokens < job.remaining_tokens:
                return chunks
        spare = self._spare_tokens(state) - mixed
        for job, _ in chunks:
            spare -= min(job.output_tokens - job.generated, _CLIP_NEW_TOKENS)
        while state.waiting:
            if min(state.free_seats, state.max_num_batched_tokens - state.num_running) <= 0:
                self._full = True
                break
            job = state.waiting[0]
            tokens = job.known_tokens - state.hit_tokens(job)
            output = min(job.output_tokens - job.generated, _CLIP_NEW_TOKENS)
            nobody = not state.num_running and not chunks
            if (tokens + output >= spare and not nobody) or _room(state, job, growth) < tokens:
                self._full = True
                break
            if left <= 0:
                break
            chunk = min(tokens, left)
            state.admit(job)
            state.hold(job, job.computed + chunk)
            chunks.append((job, chunk))
            left -= chunk
            spare -= chunk + (output if chunk == tokens else 0)
            if chunk < tokens:
                break
        return chunks

    def _spare_tokens(self, state: WorkerState) -> float:
        """Free tokens less what running requests are expected to need."""
        if state.pool is None:
            return inf
        members = state.decodes
        expected = sum(
            [
                min(job.output_tokens - members.generated(job), _CLIP_NEW_TOKENS)
                for job in members.members.values()
            ]
        )
        return state.pool.free * state.pool.block_tokens - expected * self._ratio

    def _decode(self, state: WorkerState) -> StepPlan:
        members = state.decodes.members
        if not members:
            return NOTHING
        if len(members) > state.max_num_batched_tokens:  # KV that arrived from prefill workers
            state.make_room_for_decodes()
            first_ones = grow_first(state, state.max_num_batched_tokens)
            return StepPlan(first_ones, (), state.take_preempted())
        if state.decodes_fit():
            state.grow_decodes()
            return DECODE_ALL
        first = True
        while first or not state.decodes_fit():
            first = False
            if len(members) == 1 and not state.decodes_fit() and state.prefilling:
                state.preempt(next(iter(state.prefilling.values())), to_tail=True)
                continue
            # The last one gives way too: KV on its way here may hold what it would need.
            victim = min(
                members.values(),
                key=lambda job: (state.decodes.generated(job), -job.prompt_tokens, -job.admission),
            )
            state.preempt(victim, to_tail=True)
        self._full = False
        decoded = sum(map(state.decodes.generated, members.values()))
        promised = sum([job.output_tokens for job in members.values()])
        self._ratio = min(1.0, (decoded + _RETRACT_STEPS * len(members)) / (promised + 1))
        state.grow_decodes()
        return StepPlan(None, (), state.take_preempted())


def _free_blocks(state: WorkerState) -> float:
    return inf if state.pool is None else state.pool.free


def _room(state: WorkerState, job: Job, growth: int) -> int:
    """Tokens of a job that its own and the free blocks, less ``growth``, can still take."""
    if state.pool is None:
        return job.known_tokens
    blocks = state.pool.free - growth + job.blocks
    held = job.computed if job.blocks else state.hit_tokens(job)
    return blocks * state.pool.block_tokens - held
