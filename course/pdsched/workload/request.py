"""One request: when it arrives and how many tokens each of its phases has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from typing import Final


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a workload; it never changes while the simulator serves it.

    Attributes:
        request_id: unique within a workload.
        arrival_ms: milliseconds since the workload began.
        prompt_tokens: input length, cached part included.
        output_tokens: tokens to generate, the first one (sampled by prefill) included.
        cached_tokens: leading prompt tokens whose KV is already there. The scheduler still uses
            whole blocks only and recomputes at least one token.
        prefix_block_ids: identities of the prompt's blocks in order, where a trace gives them.
            Two requests share a prefix as far as these agree.
        prefix_block_tokens: tokens in each of those blocks.

    Raises:
        ValueError: a value is out of range; the message names field, value and what is allowed.
        TypeError: a count is not an integer or the id is not a string.
    """

    request_id: str
    arrival_ms: float
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    prefix_block_ids: tuple[int, ...] = ()
    prefix_block_tokens: int = 512

    def __post_init__(self) -> None:
        if not isinstance(self.request_id, str):
            raise TypeError(f"request_id must be a string, got {self.request_id!r}")
        if not self.request_id:
            raise ValueError("request_id must not be empty")
        for name, smallest in _SMALLEST.items():
            value = getattr(self, name)
            if type(value) is not int:  # numpy integers become plain ones; bool is not a count
                value = _as_count(self.request_id, name, value)
                object.__setattr__(self, name, value)
            if not smallest <= value <= MOST_TOKENS:
                raise ValueError(
                    f"request {self.request_id!r}: {name} must be at least {smallest} "
                    f"and at most {MOST_TOKENS:,}, got {value}"
                )
        if isinstance(self.arrival_ms, (str, bool)) or self.arrival_ms is None:
            raise TypeError(
                f"request {self.request_id!r}: arrival_ms must be a number, got {self.arrival_ms!r}"
            )
        if not 0 <= self.arrival_ms < math.inf:  # also false for NaN
            raise ValueError(
                f"request {self.request_id!r}: arrival_ms must be a finite number of at least 0, "
                f"got {self.arrival_ms!r}"
            )
        if self.cached_tokens > self.prompt_tokens:
            raise ValueError(
                f"request {self.request_id!r}: cached_tokens must be at most prompt_tokens "
                f"({self.prompt_tokens}), got {self.cached_tokens}"
            )


MOST_TOKENS: Final = 10_000_000  # beyond every model's context; more would simulate for hours

_SMALLEST = {
    "prompt_tokens": 1,
    "output_tokens": 1,
    "cached_tokens": 0,
    "prefix_block_tokens": 1,
}


def _as_count(request_id: str, name: str, value: object) -> int:
    if isinstance(value, bool):
        raise TypeError(f"request {request_id!r}: {name} must be an integer, got {value!r}")
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(
            f"request {request_id!r}: {name} must be an integer, got {value!r}"
        ) from None


def validate_workload(requests: Iterable[Request]) -> tuple[Request, ...]:
    """Return the requests as a tuple after checking them as a whole.

    Raises:
        ValueError: an id occurs twice, or arrivals go back in time.
        TypeError: an element is not a `Request`.
    """
    workload = tuple(requests)
    seen: set[str] = set()
    latest_ms = 0.0
    for position, request in enumerate(workload):
        if not isinstance(request, Request):
            raise TypeError(f"request {position} must be a Request, got {request!r}")
        if request.request_id in seen:
            raise ValueError(f"request_id {request.request_id!r} occurs twice")
        if request.arrival_ms < latest_ms:
            raise ValueError(
                f"arrivals must be sorted: request {request.request_id!r} arrives at "
                f"{request.arrival_ms} ms, after one at {latest_ms} ms"
            )
        seen.add(request.request_id)
        latest_ms = request.arrival_ms
    return workload
