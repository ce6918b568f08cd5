"""``pdsched bench``: send a workload to a server and print what every token's time says."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pdsched.bench import LoadRun, RequestResult, Target, Timeouts, run_load
from pdsched.bench.session import BenchError, choose_model, evidence, notes
from pdsched.commands.output import check_writable
from pdsched.messages import text
from pdsched.metrics import Slo
from pdsched.workload import Request, workload

API_KEY_VARIABLE = "OPENAI_API_KEY"


@dataclass(frozen=True)
class BenchOptions:
    """What the command line asks for.

    Attributes:
        url: ``http://host:port``, with or without ``/v1``.
        model: the server's name of it; empty takes the first it lists.
        workload: a preset, public trace or file; see `pdsched.workload.workload`.
        num_requests: how many of it.
        rate_per_s: mean arrival rate; the workload's own when None.
        concurrency: closed loop: so many in flight, arrival times ignored.
        max_prompt_tokens: longer prompts are cut (small servers).
        max_output_tokens: longer outputs are cut.
        chat: use the chat route.
        seed: of workload and prompts.
        slo: limits for goodput.
        timeouts: how long to wait.
        out: evidence file to write.
    """

    url: str
    model: str = ""
    workload: str = "chat"
    num_requests: int = 100
    rate_per_s: float | None = None
    concurrency: int | None = None
    max_prompt_tokens: int | None = None
    max_output_tokens: int | None = None
    chat: bool = False
    seed: int = 0
    slo: Slo = field(default_factory=Slo)
    timeouts: Timeouts = field(default_factory=Timeouts)
    out: Path | None = None

    def requests(self) -> tuple[Request, ...]:
        """The workload, cut to what the server can hold.

        Raises:
            ValueError: unknown workload, or a number out of range.
        """
        for name in ("concurrency", "max_prompt_tokens", "max_output_tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        chosen = workload(
            self.workload,
            num_requests=self.num_requests,
            rate_per_s=self.rate_per_s,
            seed=self.seed,
        )
        return tuple(self._cut(request) for request in chosen)

    def _cut(self, request: Request) -> Request:
        prompt_tokens = min(request.prompt_tokens, self.max_prompt_tokens or request.prompt_tokens)
        output_tokens = min(request.output_tokens, self.max_output_tokens or request.output_tokens)
        return replace(
            request,
            arrival_ms=0.0 if self.concurrency else request.arrival_ms,
            prompt_tokens=prompt_tokens,
            output_tokens=output_tokens,
            cached_tokens=min(request.cached_tokens, prompt_tokens),
        )


def timeouts(seconds: float | None) -> Timeouts:
    """The usual patience, or this many seconds without a token.

    Raises:
        ValueError: not above zero.
    """
    if seconds is None:
        return Timeouts()
    if not seconds > 0:
        raise ValueError(text("bench.bad_timeout", seconds=seconds))
    return Timeouts(first_token_s=seconds, between_tokens_s=seconds)


def run(options: BenchOptions) -> int:
    """Run the benchmark and print table and notes.

    Returns:
        0 when every request finished, 1 when some did not, 2 when it could not begin.
    """
    try:
        check_writable(options.out)
        requests = options.requests()
        key = os.environ.get(API_KEY_VARIABLE, "")
        target = Target.from_url(options.url, options.model, chat=options.chat, api_key=key)
        load, target = asyncio.run(_session(target, requests, options))
    except (ValueError, OSError) as error:  # a BenchError says it in the reader's language
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 1
    table = evidence(
        load,
        target,
        seed=options.seed,
        slo=options.slo,
        workload=f"{options.workload} x {len(requests)}",
        loop=f"closed, {options.concurrency}" if options.concurrency else "open",
    )
    print(table)
    for note in notes(load):
        print(f"- {note}")
    if options.out is not None:
        print(text("bench.saved", path=table.save(options.out)))
    return 0 if len(load.finished) == len(load.results) else 1


async def _session(
    target: Target, requests: Sequence[Request], options: BenchOptions
) -> tuple[LoadRun, Target]:
    model = await choose_model(target, options.timeouts.connect_s)
    target = replace(target, model=model)
    progress = _Progress(len(requests))
    load = asyncio.ensure_future(
        run_load(
            target,
            requests,
            seed=options.seed,
            max_in_flight=options.concurrency,
            timeouts=options.timeouts,
            on_result=progress.add if sys.stderr.isatty() else None,
        )
    )
    loop = asyncio.get_running_loop()
    try:  # Ctrl-C ends the run early; what is finished is still reported
        import signal

        loop.add_signal_handler(signal.SIGINT, load.cancel)
    except (NotImplementedError, RuntimeError, ValueError):
        pass
    return await load, target


class _Progress:
    def __init__(self, total: int) -> None:
        self.total = total
        self.done = self.failed = 0

    def add(self, result: RequestResult) -> None:
        self.done += 1
        self.failed += result.failure is not None
        line = text("bench.progress", done=self.done, total=self.total, failed=self.failed)
        end = "\n" if self.done == self.total else "\r"
        print(line, end=end, file=sys.stderr, flush=True)


__all__ = ["BenchError", "BenchOptions", "run"]
