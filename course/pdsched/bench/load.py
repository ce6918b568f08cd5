"""Send a workload at its own pace (open loop), or with a cap on requests in flight."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pdsched.bench import prompts
from pdsched.bench.client import Failure, RequestResult, Stream, Target, Timeouts, open_stream
from pdsched.messages import text
from pdsched.workload import Request

_WATCH_INTERVAL_S = 0.1
_GIVE_UP_AFTER_REFUSALS = 20


@dataclass(frozen=True)
class LoadRun:
    """Everything a run saw.

    Attributes:
        results: one per request, in workload order, finished or not.
        duration_ms: first request to last answer.
        worst_lag_ms: how late the client itself sent a request at worst; large values mean
            that the client, not the server, was the bottleneck.
    """

    results: tuple[RequestResult, ...]
    duration_ms: float
    worst_lag_ms: float

    @property
    def finished(self) -> tuple[RequestResult, ...]:
        """The requests that came to their end."""
        return tuple(r for r in self.results if r.failure is None)


async def run_load(
    target: Target,
    requests: Sequence[Request],
    *,
    seed: int = 0,
    max_in_flight: int | None = None,
    timeouts: Timeouts | None = None,
    on_result: Callable[[RequestResult], None] | None = None,
) -> LoadRun:
    """Send every request at its ``arrival_ms`` and wait for all answers.

    A failed request never stops the others; when the server refuses 20 connections in a row
    the rest is not sent. Cancelling the task ends the run early and keeps what was finished.

    Args:
        target: the server.
        requests: the workload, sorted by arrival.
        seed: of the prompts' tokens.
        max_in_flight: requests at a time (closed loop); None sends all on time.
        timeouts: how long to wait for what may not come.
        on_result: called with each result as it comes.
    """
    run = _Run(target, requests, seed=seed, max_in_flight=max_in_flight)
    run.timeouts = timeouts or run.timeouts
    run.on_result = on_result
    gc.collect()
    gc.disable()  # a collection in the middle would be measured as the server's stall
    try:
        return await run.all()
    finally:
        gc.enable()


class _Run:
    def __init__(
        self, target: Target, requests: Sequence[Request], *, seed: int, max_in_flight: int | None
    ) -> None:
        self.target = target
        self.requests = requests
        self.timeouts = Timeouts()
        self.on_result: Callable[[RequestResult], None] | None = None
        self.results: dict[str, RequestResult] = {}
        self.bodies = [prompts.body(r, target, seed=seed) for r in requests]  # before the clock
        self.slots = asyncio.Semaphore(max_in_flight or len(requests) or 1)
        self.open: set[Stream] = set()
        self.refusals = 0
        self.worst_lag_ms = 0.0
        self.began = time.perf_counter()

    def now_ms(self) -> float:
        return (time.perf_counter() - self.began) * 1_000

    async def all(self) -> LoadRun:
        watcher = asyncio.ensure_future(self._watch())
        tasks: list[asyncio.Task[None]] = []
        self.began = time.perf_counter()
        try:
            for request, body in zip(self.requests, self.bodies, strict=True):
                await asyncio.sleep(max(0.0, request.arrival_ms - self.now_ms()) / 1_000)
                await self.slots.acquire()
                tasks.append(asyncio.ensure_future(self._one(request, body)))
            await asyncio.gather(*tasks)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):  # stopped again while stopping
                await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            watcher.cancel()
        unsent = Failure("not_sent", text("bench.detail.ended"))
        results = tuple(
            self.results.get(r.request_id)
            or RequestResult(r.request_id, r.arrival_ms, failure=unsent)
            for r in self.requests
        )
        return LoadRun(results, self.now_ms(), self.worst_lag_ms)

    async def _one(self, request: Request, body: bytes) -> None:
        if self.refusals >= _GIVE_UP_AFTER_REFUSALS:
            detail = text("bench.detail.given_up", count=self.refusals)
            self._keep(request, None, Failure("not_sent", detail))
            self.slots.release()
            return
        closed = asyncio.Event()
        path = "/chat/completions" if self.target.chat else "/completions"
        stream = Stream(self.target.request("POST", path, body), self.now_ms, closed.set)
        try:
            await open_stream(self.target, stream, self.timeouts.connect_s)
            if stream.sent_ms >= 0:
                self.refusals = 0
                self.worst_lag_ms = max(self.worst_lag_ms, stream.sent_ms - request.arrival_ms)
                self.open.add(stream)
                await closed.wait()
            else:
                self.refusals += 1
        except asyncio.CancelledError:
            stream.fail("not_sent", text("bench.detail.stopped"))
            raise
        finally:
            self.open.discard(stream)
            self.slots.release()
            self._keep(request, stream, stream.failure)

    def _keep(self, request: Request, stream: Stream | None, failure: Failure | None) -> None:
        result = RequestResult(
            request.request_id,
            request.arrival_ms,
            prompt_tokens=request.prompt_tokens,
            failure=failure,
        )
        if stream is not None:
            result = replace(
                result,
                sent_ms=stream.sent_ms,
                token_ms=tuple(stream.token_ms),
                server_ms=tuple(stream.server_ms),
                prompt_tokens=stream.usage.get("prompt_tokens", request.prompt_tokens),
                output_tokens=stream.usage.get("completion_tokens", len(stream.token_ms)),
            )
        self.results[request.request_id] = result
        if self.on_result is not None:
            self.on_result(result)

    async def _watch(self) -> None:
        """One watchdog for all streams: a timer per token would cost more than the token."""
        limits = self.timeouts
        while True:
            await asyncio.sleep(_WATCH_INTERVAL_S)
            now = self.now_ms()
            for stream in tuple(self.open):
                quiet_s = (now - stream.last_ms) / 1_000
                if now - stream.sent_ms > limits.total_s * 1_000:
                    detail = text("bench.detail.total", seconds=limits.total_s)
                    stream.fail("total_timeout", detail)
                elif not stream.token_ms and quiet_s > limits.first_token_s:
                    detail = text("bench.detail.no_token", seconds=limits.first_token_s)
                    stream.fail("first_token_timeout", detail)
                elif stream.token_ms and quiet_s > limits.between_tokens_s:
                    detail = text(
                        "bench.detail.silent",
                        seconds=limits.between_tokens_s,
                        count=len(stream.token_ms),
                    )
                    stream.fail("between_tokens_timeout", detail)
