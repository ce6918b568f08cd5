"""A request on its way through one worker, and the set of jobs that decode in step."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdsched.workload import Request

NEVER = -1.0


class Job:
    """Mutable state of one request.

    ``computed`` and ``generated`` are exact outside the decode set; inside it `DecodeSet`
    keeps them implicitly and brings them up to date when the job leaves.
    """

    __slots__ = (
        "admission",
        "arrival_ms",
        "blocks",
        "computed",
        "decode_first_token_ms",
        "decode_worker",
        "finish_ms",
        "finish_step",
        "first_scheduled_ms",
        "first_token_ms",
        "generated",
        "hit_tokens",
        "join_step",
        "last_token_ms",
        "order",
        "output_tokens",
        "pool",
        "preemptions",
        "prefill_worker",
        "prompt_tokens",
        "recomputed_tokens",
        "request",
        "request_id",
    )

    def __init__(self, request: Request, order: int, arrival_ms: float) -> None:
        self.request = request
        self.request_id = request.request_id
        self.order = order
        self.arrival_ms = arrival_ms
        self.prompt_tokens = request.prompt_tokens
        self.output_tokens = request.output_tokens
        self.computed = 0
        self.generated = 0
        self.blocks = 0
        self.admission = -1
        self.hit_tokens = 0
        self.join_step = 0
        self.finish_step = 0
        self.preemptions = 0
        self.recomputed_tokens = 0
        self.first_scheduled_ms = NEVER
        self.first_token_ms = NEVER
        self.decode_first_token_ms = NEVER
        self.last_token_ms = NEVER
        self.finish_ms = NEVER
        self.pool = ""
        self.prefill_worker = ""
        self.decode_worker = ""

    @property
    def known_tokens(self) -> int:
        """Prompt plus generated tokens: what must be in KV before the next one is sampled."""
        return self.prompt_tokens + self.generated

    @property
    def remaining_tokens(self) -> int:
        """Known tokens that are not computed yet."""
        return self.prompt_tokens + self.generated - self.computed


class DecodeSet:
    """The jobs that decode, advanced together.

    A step in which all of them decode costs the same for any size: the step counter moves, and
    a heap of finish steps says who is done. A job that is left out of a step is shifted by one
    step. ``last_ms`` is when those not in ``stalled`` got their latest token, and
    ``latest_admission`` no member was admitted after.
    """

    __slots__ = (
        "_bucket",
        "_finish_heap",
        "_ids",
        "block_tokens",
        "context",
        "last_ms",
        "latest_admission",
        "members",
        "stalled",
        "step",
    )

    def __init__(self, block_tokens: int = 0) -> None:
        self.members: dict[str, Job] = {}
        self.stalled: dict[str, float] = {}
        self.step = 0
        self.context = 0
        self.last_ms = 0.0
        self.latest_admission = -1
        self.block_tokens = block_tokens
        self._bucket = [0] * block_tokens
        self._finish_heap: list[tuple[int, int, Job]] = []
        self._ids: tuple[str, ...] | None = ()

    def __len__(self) -> int:
        return len(self.members)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids in the order in which the jobs began to decode."""
        if self._ids is None:
            self._ids = tuple(self.members)
        return self._ids

    def computed(self, job: Job) -> int:
        """Tokens of a member that are in KV."""
        return job.computed + self.step - job.join_step

    def generated(self, job: Job) -> int:
        """Tokens a member has sampled."""
        return job.generated + self.step - job.join_step

    def new_blocks(self) -> int:
        """KV blocks that one more token for every member needs."""
        return self._bucket[-self.step % self.block_tokens] if self.block_tokens else 0

    def new_blocks_at(self, step: int) -> int:
        """KV blocks that the step numbered ``step`` adds if every member decodes until then."""
        return self._bucket[-step % self.block_tokens]

    def new_blocks_of(self, job: Job) -> int:
        """KV blocks that one more token for this member needs."""
        return int(self.computed(job) % self.block_tokens == 0) if self.block_tokens else 0

    def steps_to_finish(self) -> int:
        """Steps, all decoding, until the first member is done."""
        heap = self._finish_heap
        while heap and (
            heap[0][0] != heap[0][2].finish_step or heap[0][2].request_id not in self.members
        ):
            heappop(heap)
        return heap[0][0] - self.step

    def join(self, job: Job) -> None:
        """Take in a job whose latest token came at ``job.last_token_ms``."""
        job.join_step = self.step
        job.finish_step = self.step + job.output_tokens - job.generated
        self.latest_admission = max(self.latest_admission, job.admission)
        self.members[job.request_id] = job
        self.context += job.computed
        heappush(self._finish_heap, (job.finish_step, job.order, job))
        if self.block_tokens:
            self._bucket[(job.computed - self.step) % self.block_tokens] += 1
        self.stalled[job.request_id] = job.last_token_ms
        self._ids = None

    def leave(self, job: Job) -> None:
        """Let a job go and bring its counters up to date."""
        del self.members[job.request_id]
        if self.block_tokens:
            self._bucket[(job.computed - job.join_step) % self.block_tokens] -= 1
        job.computed += self.step - job.join_step
        job.generated += self.step - job.join_step
        job.last_token_ms = self.stalled.pop(job.request_id, self.last_ms)
        job.finish_step = -1
        self.context -= job.computed
        self._ids = None

    def hold_back(self, job: Job) -> None:
        """Leave a member out of the step that `advance` does next."""
        if self.block_tokens:
            offset = job.computed - job.join_step
            self._bucket[offset % self.block_tokens] -= 1
            self._bucket[(offset - 1) % self.block_tokens] += 1
        job.join_step += 1
        job.finish_step += 1
        heappush(self._finish_heap, (job.finish_step, job.order, job))
        self.context -= 1
        self.stalled.setdefault(job.request_id, self.last_ms)
        if len(self._finish_heap) > 64 + 4 * len(self.members):
            self._finish_heap = [(j.finish_step, j.order, j) for j in self.members.values()]
            heapify(self._finish_heap)

    def advance(self, steps: int, end_ms: float) -> list[Job]:
        """Every member decodes ``steps`` tokens, the last at ``end_ms``; those done leave."""
        self.step += steps
        self.context += steps * len(self.members)
        self.last_ms = end_ms
        heap = self._finish_heap
        done: list[Job] = []
        while heap and heap[0][0] <= self.step:
            finish_step, _, job = heappop(heap)
            if finish_step == job.finish_step and job.request_id in self.members:
                self.leave(job)
                done.append(job)
        return done
