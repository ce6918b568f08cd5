"""Command line of the server: prints one JSON line when it listens."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import Sequence

from pdsched.engine import Engine, ModelConfig
from pdsched.engine.loop import ServingLoop, in_admission_order
from pdsched.engine.server.api import ByteTokenizer
from pdsched.engine.server.app import Lifetime, Server
from pdsched.engine.server.backend import Backend, EngineBackend, MetronomeBackend
from pdsched.engine.server.faults import KINDS, Fault


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m pdsched.engine.server",
        description="OpenAI-compatible streaming server over the NumPy engine (127.0.0.1 only).",
    )
    add = parser.add_argument
    add("--port", type=int, default=0, help="0 takes a free one")
    add("--model-name", default="pdsched-tiny")
    add("--layers", type=int, default=4)
    add("--width", type=int, default=256)
    add("--pages", type=int, default=2_048, help="KV pages of 16 tokens")
    add("--max-num-batched-tokens", type=int, default=2_048)
    add("--max-prefill-chunk-tokens", type=int, default=None)
    add("--max-num-seqs", type=int, default=256)
    add("--seed", type=int, default=0)
    add("--metronome-ms", type=float, help="no model: a token each so many ms per stream")
    add("--max-seconds", type=float, default=3_600.0, help="ends after this long")
    add("--idle-seconds", type=float, default=600.0, help="ends after this long without request")
    add("--fault", choices=KINDS, default="none", help="misbehave, to prove a client")
    add("--fault-after-tokens", type=int, default=2)
    add("--fault-delay-ms", type=float, default=1_000.0)
    add("--fault-every", type=int, default=1)
    return parser.parse_args(arguments)


def _backend(options: argparse.Namespace) -> Backend:
    if options.metronome_ms:
        return MetronomeBackend(options.metronome_ms)
    heads = max(1, options.width // 32)
    config = ModelConfig(
        num_layers=options.layers,
        model_width=options.width,
        num_heads=heads,
        num_kv_heads=heads // 2 or 1,
        mlp_width=3 * options.width,
    )
    engine = Engine(config, num_pages=options.pages, seed=options.seed)
    budget = options.max_num_batched_tokens
    planner = in_admission_order(budget, options.max_prefill_chunk_tokens)
    return EngineBackend(ServingLoop(engine, planner, max_num_seqs=options.max_num_seqs))


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the lifetime ends or the process is told to stop."""
    options = _parse(arguments)
    server = Server(
        _backend(options),
        ByteTokenizer(),
        model=options.model_name,
        fault=Fault(
            options.fault, options.fault_after_tokens, options.fault_delay_ms, options.fault_every
        ),
        lifetime=Lifetime(options.max_seconds, options.idle_seconds),
    )

    def ready(port: int) -> None:
        told = {"url": f"http://127.0.0.1:{port}", "model": options.model_name}
        print(json.dumps(told), flush=True)

    async def until_told() -> None:
        task = asyncio.current_task()
        assert task is not None
        with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers here
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await server.serve(options.port, ready)

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(until_told())
    return 0


if __name__ == "__main__":
    sys.exit(main())
