"""What produces the tokens of a server: the engine, or a metronome for testing clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from pdsched.engine.loop import ServingLoop

Emit = Callable[[int, bool], None]  # token, whether it is the last one


class Backend(Protocol):
    """Takes requests and calls back with each token, on the event loop."""

    @property
    def core_share(self) -> float:
        """The share of a core that it got while it computed; 1 where nothing is computed."""

    def submit(self, request_id: str, prompt: tuple[int, ...], max_tokens: int, emit: Emit) -> None:
        """Begin a request.

        Raises:
            ValueError: it can never be served.
        """

    def cancel(self, request_id: str) -> None:
        """Stop a request whose client left."""

    async def run(self) -> None:
        """Work until cancelled."""


class EngineBackend:
    """Steps a `ServingLoop` on the event loop itself: after each iteration its tokens are sent.

    One thread does both on purpose. A second one would fight for the interpreter lock and put its
    switching interval (5 ms) into the very times being measured.
    """

    def __init__(self, loop: ServingLoop) -> None:
        self.loop = loop
        self._emit: dict[str, Emit] = {}
        self._work = asyncio.Event()

    @property
    def core_share(self) -> float:
        """See `ServingLoop.core_share`."""
        return self.loop.core_share

    def submit(self, request_id: str, prompt: tuple[int, ...], max_tokens: int, emit: Emit) -> None:
        """Queue the request for the engine."""
        self.loop.submit(request_id, prompt, max_tokens)
        self._emit[request_id] = emit
        self._work.set()

    def cancel(self, request_id: str) -> None:
        """Free what the request holds."""
        if self._emit.pop(request_id, None) is not None:
            self.loop.cancel(request_id)

    async def run(self) -> None:
        """Iterate while there is work; sleep otherwise."""
        while True:
            if not self.loop.busy:
                self._work.clear()
                await self._work.wait()
            step = self.loop.step()
            for request_id, token in step.sampled.items():
                last = request_id in step.finished
                emit = self._emit.pop(request_id) if last else self._emit[request_id]
                emit(token, last)
            await asyncio.sleep(0)  # let sockets move between two iterations


class MetronomeBackend:
    """No model: each stream gets a token per ``interval_ms``; shows how well a client measures."""

    core_share = 1.0

    def __init__(self, interval_ms: float) -> None:
        self.interval_s = interval_ms / 1_000
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def submit(self, request_id: str, prompt: tuple[int, ...], max_tokens: int, emit: Emit) -> None:
        """Start this stream's own beat."""
        loop = asyncio.get_running_loop()
        begun = loop.time()

        def beat(number: int) -> None:
            emit((prompt[0] + number) % 256, number == max_tokens)
            if number < max_tokens:
                at = begun + (number + 1) * self.interval_s
                self._timers[request_id] = loop.call_at(at, beat, number + 1)

        self._timers[request_id] = loop.call_at(begun + self.interval_s, beat, 1)

    def cancel(self, request_id: str) -> None:
        """Stop the beat."""
        timer = self._timers.pop(request_id, None)
        if timer is not None:
            timer.cancel()

    async def run(self) -> None:
        """Timers do the work."""
        await asyncio.Event().wait()
