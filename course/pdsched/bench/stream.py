"""Bytes of an HTTP response in, payloads of server-sent events out; no waiting, no clock."""

from __future__ import annotations


class MalformedResponseError(ValueError):
    """What came is not HTTP, or not a well-formed event stream."""


class ResponseParser:
    """Incremental parser of one response (chunked, with a length, or until close).

    Attributes:
        status: HTTP status; 0 until the head is complete.
        is_event_stream: whether the body is ``text/event-stream``.
        body: the body so far of a response that is not an event stream.
        complete: whether the whole response is here.
    """

    def __init__(self) -> None:
        self.status = 0
        self.is_event_stream = False
        self.body = bytearray()
        self.complete = False
        self._raw = bytearray()
        self._events = bytearray()
        self._chunked = False
        self._length: int | None = None

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes; return the payloads of the events that they complete.

        Raises:
            MalformedResponseError: these bytes cannot be a response.
        """
        self._raw += data
        if self.status == 0 and not self._head():
            return []
        body = self._dechunk() if self._chunked else self._take_all()
        if not self.is_event_stream:
            self.body += body
            return []
        self._events += body
        return self._payloads()

    def _head(self) -> bool:
        end = self._raw.find(b"\r\n\r\n")
        if end < 0:
            if len(self._raw) > 65_536 or not b"HTTP/".startswith(bytes(self._raw[:5])):
                raise MalformedResponseError(f"not HTTP: {bytes(self._raw[:60])!r}")
            return False
        status_line, *lines = bytes(self._raw[:end]).decode("latin-1").split("\r\n")
        parts = status_line.split()
        if len(parts) < 2 or not parts[0].startswith("HTTP/") or not parts[1].isdigit():
            raise MalformedResponseError(f"not an HTTP status line: {status_line[:60]!r}")
        headers = {k.strip().lower(): v.strip() for k, _, v in (x.partition(":") for x in lines)}
        self._chunked = headers.get("transfer-encoding", "").lower() == "chunked"
        if not self._chunked and headers.get("content-length", "").isdigit():
            self._length = int(headers["content-length"])
        self.is_event_stream = headers.get("content-type", "").startswith("text/event-stream")
        self.status = int(parts[1])
        del self._raw[: end + 4]
        return True

    def _dechunk(self) -> bytes:
        raw, start, out = self._raw, 0, []
        while not self.complete:
            line_end = raw.find(b"\r\n", start)
            if line_end < 0:
                break
            try:
                size = int(raw[start:line_end].split(b";")[0], 16)
            except ValueError:
                sample = bytes(raw[start : start + 40])
                raise MalformedResponseError(f"not an HTTP chunk size: {sample!r}") from None
            if size and len(raw) < line_end + 2 + size + 2:
                break
            out.append(bytes(raw[line_end + 2 : line_end + 2 + size]))
            start = line_end + 2 + size + 2
            self.complete = size == 0
        del raw[:start]
        return b"".join(out)

    def _take_all(self) -> bytes:
        body = bytes(self._raw)
        self._raw.clear()
        if self._length is not None:
            self._length -= len(body)
            self.complete = self._length <= 0
        return body

    def _payloads(self) -> list[bytes]:
        """Cut complete events; an event ends at an empty line."""
        if b"\r" in self._events:
            self._events = self._events.replace(b"\r\n", b"\n")
        *events, rest = self._events.split(b"\n\n")
        if not events:
            return []
        self._events = bytearray(rest)
        payloads = []
        for event in events:
            data = [
                bytes(line[5:]).strip() for line in event.split(b"\n") if line.startswith(b"data:")
            ]
            if data:  # otherwise a comment or a keep-alive
                payloads.append(b"\n".join(data))
        return payloads
