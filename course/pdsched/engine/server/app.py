"""Routes, streams and the server's own end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pdsched.engine.server import http
from pdsched.engine.server.api import Bodies, Completion, Tokenizer, parse_completion
from pdsched.engine.server.backend import Backend
from pdsched.engine.server.faults import Fault
from pdsched.engine.server.http import HttpError, HttpRequest

_TOO_SLOW_BYTES = 1 << 20  # a client this far behind is dropped, like one that left


@dataclass(frozen=True)
class Lifetime:
    """When the server ends by itself, whoever forgot it.

    Attributes:
        max_seconds: after this long.
        idle_seconds: after this long without a request.
        follow_parent: when the process that started it is gone.
    """

    max_seconds: float = 3_600.0
    idle_seconds: float = 600.0
    follow_parent: bool = True


@dataclass
class Server:
    """One model behind OpenAI's completion routes."""

    backend: Backend
    tokenizer: Tokenizer
    model: str = "pdsched-tiny"
    fault: Fault = field(default_factory=Fault)
    lifetime: Lifetime = field(default_factory=Lifetime)

    def __post_init__(self) -> None:
        self._began = time.perf_counter()
        self._last_request = self._began
        self._parent = os.getppid()
        self._number = 0
        self._open_streams = 0

    async def serve(self, port: int, on_ready: Callable[[int], None]) -> None:
        """Listen on 127.0.0.1 until the lifetime ends; ``on_ready`` gets the port in use."""
        listener = await asyncio.start_server(
            self._connection, "127.0.0.1", port, limit=http.MAX_HEADER_BYTES, backlog=2_048
        )
        worker = asyncio.ensure_future(self.backend.run())
        end = asyncio.ensure_future(self._end_of_life())
        on_ready(listener.sockets[0].getsockname()[1])
        try:
            await asyncio.wait({worker, end}, return_when=asyncio.FIRST_COMPLETED)
            if worker.done():
                worker.result()  # a scheduler that got stuck is an error, not an end
        finally:
            for task in (worker, end):
                task.cancel()
            listener.close()

    async def _end_of_life(self) -> None:
        while True:
            await asyncio.sleep(0.2)
            now, limits = time.perf_counter(), self.lifetime
            if now - self._began > limits.max_seconds:
                return
            if not self._open_streams and now - self._last_request > limits.idle_seconds:
                return
            if limits.follow_parent and os.getppid() != self._parent:
                return

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Cancelled is what the server's own end does to connections: nothing to report.
        gone = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError)
        with contextlib.suppress(*gone):
            while True:
                try:
                    request = await http.read_request(reader)
                    if request is None:
                        break
                    self._last_request = time.perf_counter()
                    await self._answer(request, reader, writer)
                except HttpError as error:
                    writer.write(http.json_response(error.status, error.body()))
                    await writer.drain()
                    if error.status == 413:
                        break
        writer.close()

    async def _answer(
        self, request: HttpRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        known = {
            "/health": "GET",
            "/v1/models": "GET",
            "/v1/completions": "POST",
            "/v1/chat/completions": "POST",
        }
        if request.path not in known:
            raise HttpError(404, f"no such path: {request.path}", kind="NotFoundError")
        if request.method != known[request.path]:
            raise HttpError(405, f"{request.path} takes {known[request.path]}")
        if request.path == "/health":
            share = round(self.backend.core_share, 4)
            writer.write(http.json_response(200, {"status": "ok", "core_share": share}))
        elif request.path == "/v1/models":
            entry = {"id": self.model, "object": "model", "owned_by": "pdsched"}
            writer.write(http.json_response(200, {"object": "list", "data": [entry]}))
        else:
            chat = "chat" in request.path
            completion = parse_completion(
                request.body, chat=chat, model=self.model, tokenizer=self.tokenizer
            )
            self._number += 1
            self._open_streams += 1
            try:
                await self._complete(completion, self._number, reader, writer)
            finally:
                self._open_streams -= 1
                self._last_request = time.perf_counter()
        await writer.drain()

    async def _complete(
        self,
        completion: Completion,
        number: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        if self.fault.strikes(number):
            if self.fault.kind == "refuse":
                raise HttpError(503, "overloaded (injected fault)", kind="overloaded_error")
            if self.fault.kind == "slow":
                await asyncio.sleep(self.fault.delay_ms / 1_000)
        request_id = f"cmpl-{number}"
        answer = _Answer(self, completion, number, writer)
        try:
            self.backend.submit(request_id, completion.prompt, completion.max_tokens, answer.token)
        except ValueError as error:
            raise HttpError(400, str(error)) from error
        answer.begin()
        # No pipelining here: a byte, or the end, means that the client left.
        gone = asyncio.ensure_future(reader.read(1))
        either: list[asyncio.Future[Any]] = [gone, answer.done]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not answer.done.done():
                self.backend.cancel(request_id)
            gone.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await gone
        if not answer.done.done():
            raise ConnectionResetError("client left")

    def sent_ms(self) -> float:
        """The server's clock."""
        return (time.perf_counter() - self._began) * 1_000


class _Answer:
    """Turns tokens into chunks (or gathers them) and says when it is done."""

    def __init__(
        self,
        server: Server,
        completion: Completion,
        number: int,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._server = server
        self._completion = completion
        self._bodies = Bodies(f"cmpl-{number}", server.model, completion.chat)
        self._writer = writer
        self._tokens: list[int] = []
        self._fault = server.fault if server.fault.strikes(number) else Fault()

    def begin(self) -> None:
        """The request was taken: open the stream."""
        if self._completion.stream:
            self._writer.write(http.STREAM_HEAD)

    def token(self, token: int, last: bool) -> None:
        """One more token from the backend."""
        if self._fault.kind == "silent" and len(self._tokens) >= self._fault.after_tokens:
            return
        self._tokens.append(token)
        if self._completion.stream:
            self._send(token)
        if last and not self.done.done():
            self._finish()

    def _send(self, token: int) -> None:
        text = self._server.tokenizer.decode([token])
        chunk = self._bodies.chunk(text, finish=None, sent_ms=self._server.sent_ms())
        broken = len(self._tokens) == self._fault.after_tokens + 1
        if broken and self._fault.kind == "malformed":
            chunk = chunk[: len(chunk) // 2]
        transport = self._writer.transport
        if transport.is_closing():
            return
        cut = broken and self._fault.kind == "disconnect"
        if cut or transport.get_write_buffer_size() > _TOO_SLOW_BYTES:
            transport.abort()
        else:
            self._writer.write(http.event(chunk))

    def _finish(self) -> None:
        counts = (len(self._completion.prompt), len(self._tokens))
        if not self._completion.stream:
            text = self._server.tokenizer.decode(self._tokens)
            self._writer.write(http.json_response(200, self._bodies.whole(text, *counts)))
        elif not self._writer.transport.is_closing():
            self._writer.write(http.event(self._bodies.chunk("", finish="length")))
            if self._completion.include_usage:
                self._writer.write(http.event(self._bodies.usage(*counts)))
            self._writer.write(http.event("[DONE]") + http.STREAM_END)
        self.done.set_result(None)
