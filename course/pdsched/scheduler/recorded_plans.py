"""Plans recorded from a real vLLM V1 scheduler, and our scheduler's plans for the same arrivals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pdsched.kvcache import KVCache
from pdsched.textfile import named, parsed_json

Plan = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A request that is added just before a step is scheduled."""

    step: int
    request_id: str
    prompt_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Recording:
    """One scenario: settings, arrivals and the plan of each step, ``{request_id: tokens}``."""

    name: str
    max_num_batched_tokens: int
    max_num_seqs: int
    enable_chunked_prefill: bool
    long_prefill_token_threshold: int
    num_kv_blocks: int
    block_size: int
    arrivals: tuple[Arrival, ...]
    plans: tuple[Plan, ...]

    @property
    def cache(self) -> KVCache:
        """The KV cache, one block of which vLLM keeps for itself."""
        return KVCache(self.num_kv_blocks, self.block_size, reserved_blocks=1)


def read_recordings(path: Path) -> Iterator[Recording]:
    """Scenarios of a JSONL file.

    Raises:
        ValueError: a line is no scenario; the message names the line and what is wrong.
        OSError: the file cannot be read.
    """
    with named(path.name), path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield _recording_of(parsed_json(line), number)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                what = f"{type(error).__name__}: {error}"
                raise ValueError(f"{path.name}, line {number}: not a scenario ({what})") from error


def _recording_of(fields: Mapping[str, object], number: int) -> Recording:
    if not isinstance(fields, dict):
        raise TypeError("must be an object")
    arrivals = fields["arrivals"]
    plans = fields["plan"]
    if not isinstance(arrivals, dict) or not isinstance(plans, list):
        raise TypeError("'arrivals' must be an object and 'plan' a list")
    chunked = fields.get("enable_chunked_prefill", True)
    if not isinstance(chunked, bool):
        raise TypeError(f"'enable_chunked_prefill' must be true or false, got {chunked!r}")
    return Recording(
        name=str(fields.get("name", f"line {number}")),
        max_num_batched_tokens=_count(fields, "max_num_batched_tokens"),
        max_num_seqs=_count(fields, "max_num_seqs"),
        enable_chunked_prefill=chunked,
        long_prefill_token_threshold=_count(fields, "long_prefill_token_threshold", default=0),
        num_kv_blocks=_count(fields, "num_kv_blocks"),
        block_size=_count(fields, "block_size", default=16),
        arrivals=tuple(
            _arrival(step, added, len(plans))
            for step in sorted(arrivals, key=int)
            for added in arrivals[step]
        ),
        plans=tuple(_plan(step, plan) for step, plan in enumerate(plans)),
    )


def _arrival(step: str, added: object, steps: int) -> Arrival:
    """An arrival; one after the last plan would be replayed up to there, however far it is."""
    if not 0 <= int(step) < steps:
        raise ValueError(f"an arrival's step must be between 0 and {steps - 1}, got {step}")
    if not isinstance(added, list) or len(added) != 3:
        raise TypeError(f"an arrival must be [id, prompt, output], got {added!r}")
    request_id, prompt, output = added
    if type(prompt) is not int or type(output) is not int:
        raise TypeError(f"prompt and output of an arrival must be integers, got {added!r}")
    return Arrival(int(step), str(request_id), prompt, output)


def _plan(step: int, plan: object) -> Plan:
    if not isinstance(plan, dict) or any(type(tokens) is not int for tokens in plan.values()):
        raise TypeError(f"plan {step} must be an object of integers, got {plan!r}")
    return plan


def _count(fields: Mapping[str, object], name: str, default: int | None = None) -> int:
    value = fields[name] if default is None else fields.get(name, default)
    if type(value) is not int:
        raise TypeError(f"{name!r} must be an integer, got {value!r}")
    return value
