"""A scheduler drives the engine: every iteration is planned, run, timed and kept.

`ServingLoop` is what a server or an experiment steps. Who runs is decided outside: a `Planner`
sees the pending work in admission order and answers with ``[(sequence_id, num_tokens), …]``;
`from_plan_function` turns the learner's ``plan_iteration_budget`` into one.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import count
from typing import Any

from pdsched.engine.interference import share
from pdsched.engine.model import PAGE_TOKENS, Engine
from pdsched.scheduler.plan_checks import BrokenRuleError, broken, read_plan
from pdsched.scheduler.plan_error import PlanError, PlanUnwrittenError


@dataclass(frozen=True)
class Pending:
    """One admitted request, as a planner sees it.

    Attributes:
        sequence_id: its name.
        num_computed: tokens already in the KV cache.
        num_uncomputed: tokens left to run; 1 when it decodes.
        is_decode: its prompt is done, it generates.
    """

    sequence_id: str
    num_computed: int
    num_uncomputed: int
    is_decode: bool


Planner = Callable[[Sequence[Pending]], Sequence[tuple[str, int]]]
PlanFunction = Callable[..., object]


def in_admission_order(
    max_num_batched_tokens: int, max_prefill_chunk_tokens: int | None = None
) -> Planner:
    """Oldest request first until the budget is spent, as vLLM walks its running list.

    Args:
        max_num_batched_tokens: budget of one iteration.
        max_prefill_chunk_tokens: largest piece of one prompt; ``None`` means the whole budget.
    """
    largest = max_prefill_chunk_tokens or max_num_batched_tokens

    def plan(pending: Sequence[Pending]) -> list[tuple[str, int]]:
        left, chosen = max_num_batched_tokens, []
        for work in pending:
            num_tokens = min(work.num_uncomputed, largest, left)
            if num_tokens:
                chosen.append((work.sequence_id, num_tokens))
                left -= num_tokens
        return chosen

    return plan


def from_plan_function(
    plan_iteration_budget: PlanFunction,
    max_num_batched_tokens: int,
    max_prefill_chunk_tokens: int,
    *,
    policy: str = "balanced",
    decode_reserve_tokens: int = 1,
) -> Planner:
    """Let a ``plan_iteration_budget`` (TODO 3) decide each iteration.

    The planner raises `pdsched.scheduler.PlanError`, with the call, when the function raises or
    its plan breaks a rule of the contract.
    """
    iteration = count()

    def plan(pending: Sequence[Pending]) -> list[tuple[str, int]]:
        suffixes = {w.sequence_id: w.num_uncomputed for w in pending if not w.is_decode}
        decodes = [w.sequence_id for w in pending if w.is_decode]
        inputs = {
            "prefill_suffixes": suffixes,
            "decode_request_ids": decodes,
            "max_num_batched_tokens": max_num_batched_tokens,
            "max_prefill_chunk_tokens": max_prefill_chunk_tokens,
            "policy": policy,
            "decode_reserve_tokens": decode_reserve_tokens,
        }
        number, answer = next(iteration), None
        try:
            answer = plan_iteration_budget(**deepcopy(inputs))
            read = read_plan(
                answer, suffixes, decodes, max_num_batched_tokens, max_prefill_chunk_tokens
            )
        except NotImplementedError as error:
            rule = str(broken("unwritten"))
            raise PlanUnwrittenError(rule, iteration=number, inputs=inputs) from error
        except BrokenRuleError as error:
            raise PlanError(str(error), iteration=number, inputs=inputs, plan=answer) from None
        except Exception as error:
            rule = str(broken("raised", error=f"{type(error).__name__}: {error}"))
            raise PlanError(rule, iteration=number, inputs=inputs) from error
        chosen = decodes if read.decode_ids is None else read.decode_ids
        return [*((name, 1) for name in chosen), *read.chunks.items()]

    return plan


@dataclass(frozen=True)
class Step:
    """One measured iteration.

    Attributes:
        start_ms: since the loop was made.
        end_ms: when its tokens were known.
        decodes: ``(sequence_id, context)`` of each decode.
        prefills: ``(sequence_id, num_tokens, num_computed before)`` of each chunk.
        sampled: token by sequence.
        finished: sequences that produced their last token in this iteration.
        num_waiting: requests not yet admitted (no room in KV).
        pages_used: KV pages in use when the iteration ran.
    """

    start_ms: float
    end_ms: float
    decodes: tuple[tuple[str, int], ...]
    prefills: tuple[tuple[str, int, int], ...]
    sampled: Mapping[str, int]
    finished: tuple[str, ...]
    num_waiting: int
    pages_used: int


class StuckError(RuntimeError):
    """The planner chose nothing although work is pending, or a request can never fit."""


class ServingLoop:
    """Admits requests, asks the planner, runs the engine, keeps the record."""

    def __init__(
        self,
        engine: Engine,
        planner: Planner,
        *,
        max_num_seqs: int = 256,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.engine = engine
        self.planner = planner
        self.max_num_seqs = max_num_seqs
        self.steps: list[Step] = []
        self._clock = clock
        self._began = clock()
        self._waiting: deque[tuple[str, list[int], int]] = deque()
        self._prompt: dict[str, int] = {}  # admitted, in admission order: prompt tokens
        self._until: dict[str, int] = {}  # length at which a sequence is finished
        self._held: set[str] = set()
        self._reserved_pages = 0
        self._cpu_s = self._wall_s = 0.0
        self._num_pages = len(engine.kv.pages)

    def now_ms(self) -> float:
        """Milliseconds since the loop was made."""
        return (self._clock() - self._began) * 1_000

    @property
    def core_share(self) -> float:
        """The share of a core that the iterations so far got; what is missing, others had."""
        return share(self._cpu_s, self._wall_s)

    def submit(self, sequence_id: str, prompt_tokens: Sequence[int], output_tokens: int) -> None:
        """Queue a request that ends after ``output_tokens`` tokens.

        Raises:
            ValueError: no output asked, or more KV than the whole cache.
        """
        self._check_size(sequence_id, len(prompt_tokens), output_tokens)
        self._waiting.append((sequence_id, list(prompt_tokens), output_tokens))

    def adopt(
        self,
        sequence_id: str,
        tokens: Sequence[int],
        num_computed: int,
        pages: Any,
        output_tokens: int,
    ) -> None:
        """Take over a request whose KV was computed elsewhere; it decodes from the next step on.

        ``tokens`` end with the first output token, which counts as one of ``output_tokens``.
        """
        self._check_size(sequence_id, num_computed, output_tokens)
        self.engine.import_kv(sequence_id, tokens, num_computed, pages)
        self._enter(sequence_id, num_computed, output_tokens)

    def cancel(self, sequence_id: str) -> None:
        """Drop a request wherever it is; unknown ones are ignored."""
        self._waiting = deque(w for w in self._waiting if w[0] != sequence_id)
        if sequence_id in self._prompt:
            self._leave(sequence_id)

    def hold(self, sequence_id: str) -> None:
        """Leave a running request out of all plans (its KV is about to move away)."""
        self._held.add(sequence_id)

    def has_room(self, num_tokens: int) -> bool:
        """Whether a request of that many tokens could be adopted now."""
        return self._reserved_pages + _pages(num_tokens) <= self._num_pages

    @property
    def busy(self) -> bool:
        """Whether any request is waiting or running."""
        return bool(self._waiting or self._prompt)

    @property
    def runnable(self) -> bool:
        """Whether `step` would find anything to plan."""
        self._admit()
        return len(self._held) < len(self._prompt)

    def step(self) -> Step:
        """Plan and run one iteration.

        Raises:
            StuckError: there is work, but the planner chose none of it.
        """
        self._admit()
        pending = [self._pending(name) for name in self._prompt if name not in self._held]
        chosen = list(self.planner(pending))
        if not chosen:
            raise StuckError(f"nothing planned; pending: {[work.sequence_id for work in pending]}")
        states = self.engine.sequences
        before = {name: states[name].num_computed for name, _ in chosen}
        cpu_s, wall_s = time.thread_time(), time.perf_counter()
        start_ms = self.now_ms()
        sampled = self.engine.step(chosen)
        end_ms = self.now_ms()
        self._wall_s += time.perf_counter() - wall_s
        self._cpu_s += time.thread_time() - cpu_s
        pages_used = self._num_pages - len(self.engine.kv.free_pages)
        finished = tuple(n for n in sampled if len(states[n].tokens) >= self._until[n])
        step = Step(
            start_ms,
            end_ms,
            tuple((n, before[n] + 1) for n, _ in chosen if before[n] >= self._prompt[n]),
            tuple((n, k, before[n]) for n, k in chosen if before[n] < self._prompt[n]),
            sampled,
            finished,
            len(self._waiting),
            pages_used,
        )
        for name in finished:
            self._leave(name)
        self.steps.append(step)
        return step

    def _pending(self, name: str) -> Pending:
        state = self.engine.sequences[name]
        is_decode = state.num_computed >= self._prompt[name]
        return Pending(name, state.num_computed, state.num_uncomputed, is_decode)

    def _check_size(self, sequence_id: str, prompt_tokens: int, output_tokens: int) -> None:
        if output_tokens < 1:
            raise ValueError(f"{sequence_id!r}: output_tokens must be at least 1")
        total = prompt_tokens + output_tokens
        if _pages(total) > self._num_pages or total > self.engine.config.max_positions:
            raise ValueError(
                f"{sequence_id!r} needs room for {total} tokens; the engine has "
                f"{min(self._num_pages * PAGE_TOKENS, self.engine.config.max_positions)}"
            )

    def _admit(self) -> None:
        """First come, first served; a request enters when its whole KV surely fits."""
        while self._waiting and len(self._prompt) < self.max_num_seqs:
            name, prompt, output_tokens = self._waiting[0]
            if not self.has_room(len(prompt) + output_tokens):
                return
            self._waiting.popleft()
            self.engine.add(name, prompt)
            self._enter(name, len(prompt), output_tokens)

    def _enter(self, name: str, prompt_tokens: int, output_tokens: int) -> None:
        self._prompt[name] = prompt_tokens
        self._until[name] = prompt_tokens + output_tokens
        self._reserved_pages += _pages(self._until[name])

    def _leave(self, name: str) -> None:
        self._prompt.pop(name)
        self._held.discard(name)
        self._reserved_pages -= _pages(self._until.pop(name))
        self.engine.release(name)


def _pages(num_tokens: int) -> int:
    return -(-num_tokens // PAGE_TOKENS)
