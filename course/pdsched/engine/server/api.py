"""OpenAI's completion bodies: what a request may ask, and what each streamed chunk says."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pdsched.engine.server.http import HttpError


class Tokenizer(Protocol):
    """Text to token ids and back."""

    vocab_size: int

    def encode(self, text: str) -> list[int]:
        """Token ids of a text."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Text of some tokens."""


class ByteTokenizer:
    """Bytes in; one CJK character per token out, so that what random weights say can be counted."""

    def __init__(self, vocab_size: int = 512) -> None:
        self.vocab_size = vocab_size

    def encode(self, text: str) -> list[int]:
        """UTF-8 bytes."""
        return list(text.encode())

    def decode(self, tokens: Sequence[int]) -> str:
        """One character per token."""
        return "".join(chr(0x4E00 + token) for token in tokens)


@dataclass(frozen=True)
class Completion:
    """A validated request.

    Attributes:
        prompt: token ids.
        max_tokens: output length; this server never stops earlier.
        stream: chunks or one body.
        include_usage: whether a last chunk reports token counts.
        chat: the chat form or the plain one.
    """

    prompt: tuple[int, ...]
    max_tokens: int
    stream: bool
    include_usage: bool
    chat: bool


def parse_completion(body: bytes, *, chat: bool, model: str, tokenizer: Tokenizer) -> Completion:
    """Check a request body.

    Raises:
        HttpError: 404 for another model, 400 for anything else that this server cannot do.
    """
    try:
        asked = json.loads(body)
    except ValueError as error:
        raise HttpError(400, f"body is not JSON: {error}") from error
    if not isinstance(asked, dict):
        raise HttpError(400, "body must be a JSON object")
    if asked.get("model") != model:
        name = asked.get("model")
        message = f"The model `{name}` does not exist. Available: {model}"
        raise HttpError(404, message, kind="NotFoundError", code="model_not_found")
    max_tokens = asked.get("max_completion_tokens", asked.get("max_tokens", 16))
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise HttpError(400, f"max_tokens must be a positive integer, got {max_tokens!r}")
    if asked.get("temperature") not in (None, 0) or asked.get("n", 1) != 1:
        raise HttpError(400, "this server decodes greedily: temperature 0 and n=1 only")
    text = _chat_text(asked.get("messages")) if chat else asked.get("prompt")
    return Completion(
        _prompt_tokens(text, tokenizer),
        max_tokens,
        stream=bool(asked.get("stream", False)),
        include_usage=bool((asked.get("stream_options") or {}).get("include_usage", False)),
        chat=chat,
    )


def _chat_text(messages: Any) -> str:
    if not isinstance(messages, list) or not messages:
        raise HttpError(400, "messages must be a non-empty list")
    try:
        return "\n".join(f"{m['role']}: {m['content']}" for m in messages) + "\nassistant: "
    except (TypeError, KeyError) as error:
        raise HttpError(400, "each message needs role and content") from error


def _prompt_tokens(prompt: Any, tokenizer: Tokenizer) -> tuple[int, ...]:
    if isinstance(prompt, str):
        tokens = tokenizer.encode(prompt)
    elif isinstance(prompt, list) and all(type(token) is int for token in prompt):
        tokens = prompt
    else:
        raise HttpError(400, "prompt must be a string or a list of token ids")
    if not tokens:
        raise HttpError(400, "prompt is empty")
    if not 0 <= min(tokens) <= max(tokens) < tokenizer.vocab_size:
        raise HttpError(400, f"token ids must lie in 0..{tokenizer.vocab_size - 1}")
    return tuple(tokens)


@dataclass(frozen=True)
class Bodies:
    """The JSON bodies of one answer.

    ``sent_ms`` (an addition of this server) is the server's own clock, monotonic since it started,
    at the moment a token was handed to the socket: it lets a client measure its own distortion.
    """

    response_id: str
    model: str
    chat: bool

    def chunk(self, text: str, *, finish: str | None, sent_ms: float | None = None) -> str:
        """One streamed token, or the closing chunk with its finish reason."""
        choice: dict[str, Any] = {"index": 0, "finish_reason": finish}
        if self.chat:
            choice["delta"] = {"content": text} if text else {}
        else:
            choice["text"] = text
        body = self._frame("chat.completion.chunk" if self.chat else "text_completion")
        body["choices"] = [choice]
        if sent_ms is not None:
            body["sent_ms"] = round(sent_ms, 4)
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))

    def usage(self, prompt_tokens: int, completion_tokens: int) -> str:
        """The last chunk when usage was asked for."""
        body = self._frame("chat.completion.chunk" if self.chat else "text_completion")
        body |= {"choices": [], "usage": _usage(prompt_tokens, completion_tokens)}
        return json.dumps(body, separators=(",", ":"))

    def whole(self, text: str, prompt_tokens: int, completion_tokens: int) -> dict[str, Any]:
        """The answer of a request that does not stream."""
        choice: dict[str, Any] = {"index": 0, "finish_reason": "length"}
        choice |= (
            {"message": {"role": "assistant", "content": text}} if self.chat else {"text": text}
        )
        body = self._frame("chat.completion" if self.chat else "text_completion")
        return body | {"choices": [choice], "usage": _usage(prompt_tokens, completion_tokens)}

    def _frame(self, kind: str) -> dict[str, Any]:
        frame = {"id": self.response_id, "object": kind, "model": self.model}
        return frame | {"created": int(time.time())}


def _usage(prompt_tokens: int, completion_tokens: int) -> dict[str, int]:
    return {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }
