"""Let somebody's ``plan_iteration_budget`` run a worker, and check every plan it makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from operator import index
from time import perf_counter
from typing import NoReturn

from pdsched.errors import words_of
from pdsched.interruption import Interruption
from pdsched.messages import text
from pdsched.scheduler.call_limit import CallLimit, CallTimeoutError
from pdsched.scheduler.job import Job
from pdsched.scheduler.plan import DECODE_ALL, NOTHING, StepPlan
from pdsched.scheduler.plan_checks import EVERYBODY, BrokenRuleError, ReadPlan, broken, read_plan
from pdsched.scheduler.plan_error import PlanError, PlanUnwrittenError, safe_repr
from pdsched.scheduler.state import WorkerState

PlanFunction = Callable[..., object]

_ALWAYS_ASK_AGAIN = 64  # plans that may be repeated: check the first ones, then a sample
_ASK_AGAIN_EVERY = 16


class PlanFunctionScheduler:
    """A policy made of a function with the contract of TODO 3.

    The function sees the suffixes of started prefills and of every waiting request for which a
    seat and KV blocks are free, and the requests ready to decode. What it schedules happens.

    Attributes:
        function: the plan function.
        policy: passed on as ``policy``.
        max_prefill_chunk_tokens: passed on; ``None`` is the budget.
        decode_reserve_tokens: passed on.
        limit: stops a call that does not return; watches only while it is entered, which
            `simulate` does with one limit for all workers.
        name: what tables and pictures call it.
    """

    chunked = True

    def __init__(
        self,
        function: PlanFunction,
        *,
        policy: str,
        max_prefill_chunk_tokens: int | None,
        decode_reserve_tokens: int,
        limit: CallLimit,
        name: str,
    ) -> None:
        self.function = function
        self.policy = policy
        self.max_prefill_chunk_tokens = max_prefill_chunk_tokens
        self.decode_reserve_tokens = decode_reserve_tokens
        self.limit = limit
        self.name = name
        self._ids: tuple[str, ...] = ()
        self._ready: list[str] = []
        self._asked_once = False
        self._everybody: dict[str, object] | None = None
        self._repeated = 0

    def for_worker(self) -> PlanFunctionScheduler:
        """A copy with its own limit: two threads may simulate with one policy."""
        return PlanFunctionScheduler(
            self.function,
            policy=self.policy,
            max_prefill_chunk_tokens=self.max_prefill_chunk_tokens,
            decode_reserve_tokens=self.decode_reserve_tokens,
            limit=CallLimit(self.limit.seconds),
            name=self.name,
        )

    def schedule(self, state: WorkerState) -> StepPlan:
        """Ask the function; see `Scheduler.schedule`.

        Raises:
            PlanError: the function raised, took too long, changed its inputs, or its plan
                breaks a rule.
        """
        if state.pool is not None:
            state.make_room_for_decodes()
        offered = _offered(state) if state.prefilling or state.waiting else {}
        ids = state.decodes.ids
        if ids is not self._ids:
            self._ids, self._ready = ids, list(ids)
            self._asked_once, self._everybody = False, None
        ready = self._ready
        if not offered:
            if not ready:
                return NOTHING
            plan = self._ask(state, {}, ready)
            if state.may_repeat:
                # A plan that is repeated must depend on nothing but its inputs: ask now and then.
                self._repeated += 1
                if self._repeated <= _ALWAYS_ASK_AGAIN or not self._repeated % _ASK_AGAIN_EVERY:
                    self._ask(state, {}, ready, same_as=plan)
            if plan.decode_ids is None and not state.preempted:
                if state.pool is not None:
                    state.grow_decodes()
                return DECODE_ALL
            return _carry_out(state, plan, {})
        suffixes = {
            key: job.remaining_tokens - (state.hit_tokens(job) if job.admission < 0 else 0)
            for key, job in offered.items()
        }
        plan = self._ask(state, suffixes, ready)
        return _carry_out(state, plan, offered)

    def _ask(
        self,
        state: WorkerState,
        suffixes: dict[str, int],
        ready: list[str],
        same_as: ReadPlan | None = None,
    ) -> ReadPlan:
        budget = state.max_num_batched_tokens
        cap = self.max_prefill_chunk_tokens or budget
        given_suffixes, given_ready = suffixes.copy(), ready.copy()
        returned: object = None
        limit = self.limit
        try:
            # Watched until the answer is read: what the function returns can be code as well.
            limit.began_s = perf_counter()
            try:
                returned = self.function(
                    given_suffixes,
                    given_ready,
                    budget,
                    cap,
                    policy=self.policy,
                    decode_reserve_tokens=self.decode_reserve_tokens,
                )
                if given_ready != ready or given_suffixes != suffixes:
                    _refuse_mutation(given_suffixes, given_ready, ready)
                known = self._everybody if not suffixes and type(returned) is dict else None
                if known is not None and returned == known:
                    plan = EVERYBODY  # the same as one that was checked for these inputs
                else:
                    plan = read_plan(returned, suffixes, ready, budget, cap)
                    if plan is EVERYBODY:
                        self._keep(returned, ready)
                if same_as is not None and plan != same_as:
                    _refuse_impurity(returned)
                if limit.rang:
                    limit.refuse()
            except (KeyboardInterrupt, Interruption):
                raise
            except BaseException as error:
                if limit.rang:
                    limit.settle()
                inputs = self._inputs(suffixes, ready, budget, cap)
                raise self._refusal(error, state.iteration, inputs, returned) from (
                    None if isinstance(error, BrokenRuleError) else error
                )
            finally:
                limit.began_s = 0.0
        except CallTimeoutError:
            limit.settle()
            rule = text("plan.too_slow", seconds=limit.seconds)
            inputs = self._inputs(suffixes, ready, budget, cap)
            raise PlanError(rule, iteration=state.iteration, inputs=inputs) from None
        return plan

    def _keep(self, returned: object, ready: list[str]) -> None:
        """Remember an answer that decodes everybody, where the same question comes again."""
        if self._asked_once:
            assert isinstance(returned, dict)
            self._everybody = returned | {"decode_request_ids": ready, "prefill_chunks": []}
        self._asked_once = True

    def _inputs(
        self, suffixes: dict[str, int], ready: list[str], budget: int, cap: int
    ) -> dict[str, object]:
        return {
            "prefill_suffixes": suffixes,
            "decode_request_ids": ready,
            "max_num_batched_tokens": budget,
            "max_prefill_chunk_tokens": cap,
            "policy": self.policy,
            "decode_reserve_tokens": self.decode_reserve_tokens,
        }

    def _refusal(
        self, error: BaseException, iteration: int, inputs: dict[str, object], returned: object
    ) -> PlanError:
        """What went wrong in or after a call."""
        if isinstance(error, NotImplementedError):
            rule = text("plan.unwritten")
            return PlanUnwrittenError(rule, iteration=iteration, inputs=inputs, plan=returned)
        if isinstance(error, BrokenRuleError):
            rule = str(error)
        else:
            rule = text("plan.raised", error=words_of(error))
        return PlanError(rule, iteration=iteration, inputs=inputs, plan=returned)


def from_plan_function(
    function: PlanFunction,
    *,
    policy: str = "balanced",
    max_prefill_chunk_tokens: int | None = None,
    decode_reserve_tokens: int = 1,
    time_limit_s: float = 2.0,
    name: str | None = None,
) -> PlanFunctionScheduler:
    """A policy from a function with the contract of ``plan_iteration_budget``.

    Args:
        function: called as ``function(prefill_suffixes, decode_request_ids,
            max_num_batched_tokens, max_prefill_chunk_tokens, policy=…,
            decode_reserve_tokens=…)`` in every iteration. It must be pure: where nothing can be
            prefilled, its plan is taken to hold as long as its inputs stay the same.
        policy: the function's ``policy``.
        max_prefill_chunk_tokens: the function's chunk cap; ``None`` is the token budget.
        decode_reserve_tokens: the function's reserve.
        time_limit_s: seconds one call may take.
        name: what tables and pictures call it; by default the policy's name.

    Raises:
        TypeError: ``function`` is not callable.
        ValueError: a number is out of range.
    """
    if not callable(function):
        raise TypeError(f"the plan function must be callable, got {function!r}")
    if max_prefill_chunk_tokens is not None:
        max_prefill_chunk_tokens = _count("max_prefill_chunk_tokens", max_prefill_chunk_tokens, 1)
    decode_reserve_tokens = _count("decode_reserve_tokens", decode_reserve_tokens, 0)
    seconds: object = time_limit_s
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise ValueError(f"time_limit_s must be a positive number, got {time_limit_s!r}")
    return PlanFunctionScheduler(
        function,
        policy=policy,
        max_prefill_chunk_tokens=max_prefill_chunk_tokens,
        decode_reserve_tokens=decode_reserve_tokens,
        limit=CallLimit(time_limit_s),
        name=name or f"plan_iteration_budget({policy})",
    )


def _count(name: str, value: object, smallest: int) -> int:
    """A plain integer (NumPy's become one), so that the function sees what its contract says."""
    if not isinstance(value, bool):
        with suppress(TypeError):
            count = index(value)  # type: ignore[arg-type]
            if count >= smallest:
                return count
    raise ValueError(f"{name} must be an integer of at least {smallest}, got {value!r}")


def _refuse_mutation(
    given_suffixes: dict[str, int], given_ready: list[str], ready: list[str]
) -> NoReturn:
    if given_ready != ready:
        raise broken("mutated", name="decode_request_ids", value=safe_repr(given_ready))
    raise broken("mutated", name="prefill_suffixes", value=safe_repr(given_suffixes))


def _refuse_impurity(returned: object) -> NoReturn:
    raise broken("impure", second=safe_repr(returned))


def _offered(state: WorkerState) -> dict[str, Job]:
    """Started prefills, then waiting requests that a seat and KV blocks are free for."""
    offered = dict(state.prefilling)
    if not state.waiting or state.free_seats <= 0:
        return offered
    pool = state.pool
    if pool is None:
        for job in islice(state.waiting, state.free_seats):
            offered[job.request_id] = job
        return offered
    spare = pool.free - state.decodes.new_blocks()
    if state.num_running:
        spare -= pool.watermark_blocks
    for job in islice(state.waiting, state.free_seats):
        spare -= pool.blocks_for(job.known_tokens)
        if spare < 0:
            break
        offered[job.request_id] = job
    return offered


def _carry_out(state: WorkerState, plan: ReadPlan, offered: dict[str, Job]) -> StepPlan:
    decode_ids, planned = plan
    chunks: list[tuple[Job, int]] = []
    for request_id, tokens in planned.items():
        job = offered[request_id]
        if job.admission < 0:
            state.admit(job)
            if state.pool is not None:
                state.hold(job, job.known_tokens)
        chunks.append((job, tokens))
    preempted = state.take_preempted() if state.preempted else ()
    if decode_ids is None:
        if state.pool is not None:
            state.grow_decodes()
        return StepPlan(None, chunks, preempted)
    return StepPlan(_grow(state, decode_ids), chunks, preempted)


def _grow(state: WorkerState, decode_ids: Sequence[str]) -> list[Job]:
    chosen = [state.decodes.members[request_id] for request_id in decode_ids]
    if state.pool is not None:
        state.pool.take(sum(map(state.decodes.new_blocks_of, chosen)))
    return chosen
