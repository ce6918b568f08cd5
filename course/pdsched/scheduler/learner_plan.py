"""Let somebody's ``plan_iteration_budget`` run a worker, and check every plan it makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from pdsched.scheduler.call_limit import CallLimit, CallTimeoutError
from pdsched.scheduler.job import Job
from pdsched.scheduler.plan import DECODE_ALL, NOTHING, StepPlan
from pdsched.scheduler.plan_checks import BrokenRuleError, ReadPlan, broken, read_plan
from pdsched.scheduler.plan_error import PlanError, PlanUnwrittenError, safe_repr
from pdsched.scheduler.state import WorkerState

PlanFunction = Callable[..., object]


@dataclass(frozen=True)
class PlanFunctionScheduler:
    """A policy made of a function with the contract of TODO 3.

    The function sees the suffixes of started prefills and of every waiting request for which a
    seat and KV blocks are free, and the requests ready to decode. What it schedules happens.

    Attributes:
        function: the plan function.
        policy: passed on as ``policy``.
        max_prefill_chunk_tokens: passed on; ``None`` is the budget.
        decode_reserve_tokens: passed on.
        limit: stops a call that does not return.
        name: what tables and pictures call it.
    """

    function: PlanFunction
    policy: str
    max_prefill_chunk_tokens: int | None
    decode_reserve_tokens: int
    limit: CallLimit = field(repr=False, compare=False)
    name: str = ""
    chunked: bool = True

    def for_worker(self) -> PlanFunctionScheduler:
        """Itself: nothing is kept between iterations."""
        return self

    def schedule(self, state: WorkerState) -> StepPlan:
        """Ask the function; see `Scheduler.schedule`.

        Raises:
            PlanError: the function raised, took too long, changed its inputs, or its plan
                breaks a rule.
        """
        state.make_room_for_decodes()
        offered = _offered(state)
        ready = list(state.decodes.ids)
        if not offered and not ready:
            return NOTHING
        suffixes = {
            key: job.remaining_tokens - (0 if job.admission >= 0 else state.hit_tokens(job))
            for key, job in offered.items()
        }
        plan = self._ask(state, suffixes, ready)
        if not offered:  # the simulator may repeat this plan: it must depend on nothing else
            self._ask(state, suffixes, ready, same_as=plan)
            if plan.decode_ids is None:
                state.grow_decodes()
                preempted = state.take_preempted()
                return StepPlan(None, (), preempted) if preempted else DECODE_ALL
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
        try:
            returned = self._call(given_suffixes, given_ready, budget, cap)
            if given_suffixes != suffixes or list(given_suffixes) != list(suffixes):
                raise broken("mutated", name="prefill_suffixes", value=safe_repr(given_suffixes))
            if given_ready != ready:
                raise broken("mutated", name="decode_request_ids", value=safe_repr(given_ready))
            plan = read_plan(returned, suffixes, ready, budget, cap)
            if same_as is not None and plan != same_as:
                raise broken("impure", second=safe_repr(returned))
        except BrokenRuleError as error:
            unwritten = isinstance(error.__cause__, NotImplementedError)
            raise (PlanUnwrittenError if unwritten else PlanError)(
                str(error),
                iteration=state.iteration,
                inputs={
                    "prefill_suffixes": suffixes,
                    "decode_request_ids": ready,
                    "max_num_batched_tokens": budget,
                    "max_prefill_chunk_tokens": cap,
                    "policy": self.policy,
                    "decode_reserve_tokens": self.decode_reserve_tokens,
                },
                plan=returned,
            ) from error.__cause__
        return plan

    def _call(self, suffixes: dict[str, int], ready: list[str], budget: int, cap: int) -> object:
        limit = self.limit
        limit.begin()
        try:
            return self.function(
                suffixes,
                ready,
                budget,
                cap,
                policy=self.policy,
                decode_reserve_tokens=self.decode_reserve_tokens,
            )
        except CallTimeoutError:
            raise broken("too_slow", seconds=limit.seconds) from None
        except NotImplementedError as error:
            raise broken("unwritten") from error
        except (Exception, SystemExit) as error:
            shown = f"{type(error).__name__}: {error}"
            raise broken("raised", error=shown) from error
        finally:
            limit.end()


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
    if max_prefill_chunk_tokens is not None and max_prefill_chunk_tokens < 1:
        raise ValueError(
            f"max_prefill_chunk_tokens must be at least 1, got {max_prefill_chunk_tokens!r}"
        )
    if decode_reserve_tokens < 0:
        raise ValueError(f"decode_reserve_tokens must be >= 0, got {decode_reserve_tokens!r}")
    if not time_limit_s > 0:
        raise ValueError(f"time_limit_s must be positive, got {time_limit_s!r}")
    return PlanFunctionScheduler(
        function,
        policy,
        max_prefill_chunk_tokens,
        decode_reserve_tokens,
        CallLimit(time_limit_s),
        name or f"plan_iteration_budget({policy})",
    )


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
    chunks: list[tuple[Job, int]] = []
    for request_id, tokens in plan.chunks:
        job = offered[request_id]
        if request_id not in state.prefilling:
            state.admit(job)
            state.hold(job, job.known_tokens)
        chunks.append((job, tokens))
    preempted = state.take_preempted()
    if plan.decode_ids is None:
        state.grow_decodes()
        return StepPlan(None, chunks, preempted)
    return StepPlan(_grow(state, plan.decode_ids), chunks, preempted)


def _grow(state: WorkerState, decode_ids: Sequence[str]) -> list[Job]:
    chosen = [state.decodes.members[request_id] for request_id in decode_ids]
    if state.pool is not None:
        state.pool.take(sum(map(state.decodes.new_blocks_of, chosen)))
    return chosen
