"""As much HTTP/1.1 as one streaming server needs: read a request, write JSON or an event stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_HEADER_BYTES: Final = 16 * 1024
MAX_BODY_BYTES: Final = 8 * 1024 * 1024
_REASONS: Final = {
    200: "OK",
    400: "Bad Request",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


@dataclass(frozen=True)
class HttpRequest:
    """One parsed request."""

    method: str
    path: str
    body: bytes


class HttpError(Exception):
    """Answered to the client in OpenAI's error format.

    Attributes:
        status: HTTP status code.
        kind: OpenAI's error type.
        code: OpenAI's error code, or None.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.code = code

    def body(self) -> dict[str, Any]:
        """The JSON body."""
        return {
            "error": {"message": str(self), "type": self.kind, "param": None, "code": self.code}
        }


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request of a connection; None when the client closed it.

    Raises:
        HttpError: not HTTP, or larger than the server takes.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise HttpError(413, "request header is too large") from error
    request_line, _, header_block = head.decode("latin-1").partition("\r\n")
    parts = request_line.split()
    if len(parts) != 3:
        raise HttpError(400, f"not an HTTP request line: {request_line[:80]!r}")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in header_block.split("\r\n") if line)
    }
    length = headers.get("content-length", "0")
    if not length.isdigit():
        raise HttpError(400, f"Content-Length must be a number, got {length!r}")
    if int(length) > MAX_BODY_BYTES:
        raise HttpError(413, f"body of {length} bytes; at most {MAX_BODY_BYTES} are taken")
    body = await reader.readexactly(int(length)) if int(length) else b""
    return HttpRequest(parts[0].upper(), parts[1].partition("?")[0], body)


def json_response(status: int, body: Mapping[str, Any]) -> bytes:
    """A complete response."""
    payload = json.dumps(body, ensure_ascii=False).encode()
    head = (
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Unknown')}\r\n"
        "Content-Type: application/json; charset=utf-8\r\n"
        f"Content-Length: {len(payload)}\r\n\r\n"
    )
    return head.encode() + payload


STREAM_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    b"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
)
STREAM_END: Final = b"0\r\n\r\n"


def event(payload: str) -> bytes:
    """One server-sent event, as one HTTP chunk."""
    data = f"data: {payload}\n\n".encode()
    return b"%x\r\n%b\r\n" % (len(data), data)
