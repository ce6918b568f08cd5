"""One streaming request: connect, send, and note the time of every token as its bytes arrive."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import pdsched.messages.bench  # noqa: F401  registers the catalog
from pdsched.bench.stream import MalformedResponseError, ResponseParser
from pdsched.messages import text

Clock = Callable[[], float]  # milliseconds


@dataclass(frozen=True)
class Target:
    """Where requests go.

    Attributes:
        host: name or address.
        port: TCP port.
        tls: https.
        path: prefix before ``/completions``, usually ``/v1``.
        model: the name the server knows.
        chat: use ``/chat/completions`` instead of ``/completions``.
        api_key: sent as a bearer token when not empty; never stored in a result.
    """

    host: str
    port: int
    model: str
    tls: bool = False
    path: str = "/v1"
    chat: bool = False
    api_key: str = ""

    @classmethod
    def from_url(cls, url: str, model: str, *, chat: bool = False, api_key: str = "") -> Target:
        """From ``http://host:port`` or ``https://host/v1``.

        Raises:
            ValueError: not an http(s) address.
        """
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            tls = parts.scheme == "https"
            port = (443 if tls else 80) if parts.port is None else parts.port
            (parts.hostname or "").encode("idna")
        except ValueError:  # of its port, its brackets or its name
            raise ValueError(text("bench.bad_url", url=url)) from None
        if parts.scheme not in {"http", "https"} or not parts.hostname or not port:
            raise ValueError(text("bench.bad_url", url=url))
        path = parts.path.rstrip("/") or "/v1"
        return cls(parts.hostname, port, model, tls, path, chat, api_key)

    def request(self, method: str, path: str, body: bytes = b"") -> bytes:
        """The bytes of one HTTP request."""
        key = f"Authorization: Bearer {self.api_key}\r\n" if self.api_key else ""
        head = (
            f"{method} {self.path}{path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n{key}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            "Accept: text/event-stream\r\nConnection: close\r\n\r\n"
        )
        return head.encode() + body


@dataclass(frozen=True)
class Timeouts:
    """How long to wait, in seconds, for each thing that may not come."""

    connect_s: float = 5.0
    first_token_s: float = 120.0
    between_tokens_s: float = 30.0
    total_s: float = 600.0


FAILURES: Final = (
    "refused",
    "connect_timeout",
    "first_token_timeout",
    "between_tokens_timeout",
    "total_timeout",
    "disconnected",
    "malformed",
    "wrong_model",
    "http_error",
    "server_error",
    "not_sent",
)


@dataclass(frozen=True)
class Failure:
    """Why a request did not finish: one of `FAILURES`, and the words that came with it."""

    kind: str
    detail: str


@dataclass(frozen=True)
class RequestResult:
    """One request as the client saw it; all times in ms since the run began.

    Attributes:
        request_id: from the workload.
        arrival_ms: when the workload wanted it sent.
        sent_ms: when its bytes were handed to the socket, after connecting; -1 if never.
        token_ms: arrival of each token chunk, as soon as its bytes were read.
        server_ms: the server's own clock for each chunk, where it tells (ours does).
        prompt_tokens: as the server counted, else as asked.
        output_tokens: as the server counted, else the number of chunks.
        failure: why it did not finish; None when it did.
    """

    request_id: str
    arrival_ms: float
    sent_ms: float = -1.0
    token_ms: tuple[float, ...] = ()
    server_ms: tuple[float, ...] = ()
    prompt_tokens: int = 0
    output_tokens: int = 0
    failure: Failure | None = None

    @property
    def start_ms(self) -> float:
        """Latency counts from the moment it was sent."""
        return self.sent_ms


class Stream(asyncio.Protocol):
    """The connection of one request."""

    def __init__(self, request: bytes, clock: Clock, on_close: Callable[[], None]) -> None:
        self.sent_ms = -1.0
        self.last_ms = clock()
        self.token_ms: list[float] = []
        self.server_ms: list[float] = []
        self.usage: Mapping[str, int] = {}
        self.failure: Failure | None = None
        self.parser = ResponseParser()
        self._ended = False  # saw [DONE]
        self._finished = False  # saw a finish reason
        self._request = request
        self._clock = clock
        self._on_close = on_close
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the request."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.sent_ms = self.last_ms = self._clock()
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Take the time first, look at the bytes afterwards."""
        now = self._clock()
        self.last_ms = now
        try:
            for payload in self.parser.feed(data):
                self._event(payload, now)
        except MalformedResponseError as error:
            self.fail("malformed", str(error))
            return
        if self.parser.complete or self._ended:
            self.close()

    def _event(self, payload: bytes, now: float) -> None:
        if payload == b"[DONE]":
            self._ended = True
            return
        try:
            event = json.loads(payload)
            if event.get("error"):
                self.fail("server_error", str(event["error"].get("message", event["error"])))
                return
            self.usage = event.get("usage") or self.usage
            self._finished |= any(choice.get("finish_reason") for choice in event["choices"])
            if any(_is_token(choice) for choice in event["choices"]):
                self.token_ms.append(now)
                if "sent_ms" in event:
                    self.server_ms.append(event["sent_ms"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            start = payload[:120].decode(errors="replace")
            raise MalformedResponseError(text("bench.detail.not_json", start=start)) from error

    def fail(self, kind: str, detail: str) -> None:
        """Give up; the first reason stays."""
        self.failure = self.failure or Failure(kind, detail)
        self.close()

    def close(self) -> None:
        """End the connection."""
        if self._transport is not None:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Judge what came."""
        if self.failure is None:
            self.failure = self._judge(exc)
        self._on_close()

    def _judge(self, exc: Exception | None) -> Failure | None:
        status = self.parser.status
        if status == 200 and (self._ended or (self._finished and self.parser.complete)):
            return None
        if status == 200 and self.parser.complete and not self.parser.is_event_stream:
            return None  # a plain JSON answer, such as the model list
        if status not in {0, 200}:
            message = error_message(bytes(self.parser.body))
            named = status == 404 and "model" in message.lower()
            return Failure("wrong_model" if named else "http_error", f"HTTP {status}: {message}")
        detail = text("bench.detail.tokens", count=len(self.token_ms))
        return Failure("disconnected", f"{exc}; {detail}" if exc else detail)


def _is_token(choice: Mapping[str, Any]) -> bool:
    """Whether a chunk's choice carries a token (even one without text of its own)."""
    delta = choice.get("delta") or {}
    if choice.get("text") or delta.get("content") or delta.get("reasoning_content"):
        return True
    return not choice.get("finish_reason") and "role" not in delta


def error_message(body: bytes) -> str:
    """The message inside an OpenAI-style error body, or the start of whatever came."""
    try:
        error = json.loads(body)
        error = error.get("error", error)
        return str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError):
        return body[:200].decode(errors="replace")


async def open_stream(target: Target, stream: Stream, timeout_s: float) -> None:
    """Connect; a failure to do so is written into the stream, not raised."""
    loop = asyncio.get_running_loop()
    context = ssl.create_default_context() if target.tls else None
    try:
        connecting = loop.create_connection(lambda: stream, target.host, target.port, ssl=context)
        await asyncio.wait_for(connecting, timeout_s)
    except asyncio.TimeoutError:
        detail = text("bench.detail.connecting", seconds=timeout_s)
        stream.failure = Failure("connect_timeout", detail)
    except OSError as error:
        stream.failure = Failure("refused", _plainly(error))


def _plainly(error: OSError) -> str:
    """The system's words for it, without number, address or Python's own."""
    number = error.errno or 0  # below zero or missing: not the kernel's, such as an unknown name
    return os.strerror(number) if number > 0 else error.strerror or str(error)


async def list_models(target: Target, timeout_s: float = 5.0) -> tuple[str, ...] | Failure:
    """Names that the server serves, or why it cannot say."""
    closed = asyncio.Event()
    stream = Stream(
        target.request("GET", "/models"), lambda: time.perf_counter() * 1_000, closed.set
    )
    await open_stream(target, stream, timeout_s)
    if stream.failure is None:
        try:
            await asyncio.wait_for(closed.wait(), timeout_s)
        except asyncio.TimeoutError:
            stream.fail("first_token_timeout", text("bench.detail.no_models", seconds=timeout_s))
    if stream.failure is not None:
        return stream.failure
    try:
        return tuple(str(m["id"]) for m in json.loads(bytes(stream.parser.body))["data"])
    except (ValueError, KeyError, TypeError) as error:
        return Failure("malformed", f"/models: {error!r}")
