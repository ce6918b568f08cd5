"""Lab 7: one load client for any server; the simulator laid over what it measured."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.client import HTTPConnection, HTTPException
from typing import Any, TypeVar

import pdsched.messages.labs  # noqa: F401  registers the catalog
from pdsched.bench import LoadRun, Target, Timeouts, run_load
from pdsched.bench.measured import measured_timeline
from pdsched.bench.session import choose_model
from pdsched.cost import CostModel
from pdsched.engine import interference
from pdsched.engine.server import ServerProcess, launched
from pdsched.evidence import Evidence, measured_conditions
from pdsched.figures import Picture
from pdsched.labs import pictures
from pdsched.messages import text
from pdsched.metrics import Metrics, summarize
from pdsched.scheduler import make
from pdsched.simulator import simulate
from pdsched.workload import Request, synthetic

T = TypeVar("T")
SERVER_BUDGET = 192
SERVER_CHUNK = 128


@contextmanager
def numpy_server(*, chunk_tokens: int = SERVER_CHUNK) -> Iterator[ServerProcess]:
    """The NumPy engine behind HTTP, in its own process, for the length of the block."""
    options = {
        "--max-num-batched-tokens": SERVER_BUDGET,
        "--max-prefill-chunk-tokens": chunk_tokens,
        "--max-seconds": 600,
        "--idle-seconds": 120,
    }
    arguments = [str(part) for option in options.items() for part in option]
    with launched(*arguments) as server:
        yield server


def small_chat(num_requests: int, rate_per_s: float, *, seed: int = 0) -> tuple[Request, ...]:
    """Chat-shaped requests that a NumPy engine can serve: prompts to 512 tokens, outputs to 32."""
    return tuple(
        replace(
            request,
            prompt_tokens=min(request.prompt_tokens, 512),
            output_tokens=min(request.output_tokens, 32),
        )
        for request in synthetic("chat", num_requests, rate_per_s=rate_per_s, seed=seed)
    )


@dataclass(frozen=True)
class LoadCurve:
    """Measured and simulated metrics at each load, on the same requests."""

    rates_per_s: tuple[float, ...]
    measured: Mapping[float, Metrics]
    simulated: Mapping[float, Metrics]
    table: Evidence

    def picture(self) -> Picture:
        """TTFT P95 and TPOT P50, measured and simulated, over load."""
        lines = {}
        for told, each in (("measured", self.measured), ("simulated", self.simulated)):
            name = text(f"labs.backend.{told}")
            lines[f"TTFT P95 {name}"] = [(r, each[r].ttft_ms.p95 or 0.0) for r in self.rates_per_s]
            lines[f"TPOT P50 {name}"] = [(r, each[r].tpot_ms.p50 or 0.0) for r in self.rates_per_s]
        return pictures.curves(
            "lab7_overlay",
            text("labs.backend.title"),
            lines,
            x=text("labs.bench.rate"),
            y="ms",
            log_y=True,
        )


def load_curve(
    url: str,
    cost: CostModel,
    *,
    rates_per_s: Sequence[float],
    num_requests: int = 30,
    seed: int = 0,
    model: str = "",
) -> LoadCurve:
    """Measure a server at several loads and simulate the same requests with ``cost``.

    The simulated server has `numpy_server`'s budget and chunk size and vLLM V1's order.

    Raises:
        BenchError: the server is not there.
        ValueError: a load had no finished request.
    """
    target = Target.from_url(url, model)
    target = replace(target, model=wait_for(choose_model(target)))
    measured: dict[float, Metrics] = {}
    simulated: dict[float, Metrics] = {}
    rows: list[dict[str, Any]] = []
    lag_ms = 0.0
    for rate in rates_per_s:
        requests = small_chat(num_requests, rate, seed=seed)
        run = wait_for(run_load(target, requests, seed=seed, timeouts=Timeouts()))
        measured[rate] = _metrics(run, target)
        simulated[rate] = _simulated(requests, cost)
        rows += _rows(rate, measured[rate], simulated[rate], run)
        lag_ms = max(lag_ms, run.worst_lag_ms)
    conditions = measured_conditions(
        threads="1 server, 1 client",
        seed=seed,
        cost_model=f"{cost.name}, {cost.error}",
        requests=num_requests,
        client_lag_ms=round(lag_ms, 1),
        **_interference(target),
    )
    table = Evidence(text("labs.backend.title"), "measured", rows, conditions)
    return LoadCurve(tuple(rates_per_s), measured, simulated, table)


def _interference(target: Target) -> dict[str, str]:
    """What other programs took from the server while it computed; only ours can tell."""
    connection = HTTPConnection(target.host, target.port, timeout=2)
    try:
        connection.request("GET", "/health")
        share = float(json.loads(connection.getresponse().read())["core_share"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return {}
    finally:
        connection.close()
    return {"interference": interference.told(share)}


def _metrics(run: LoadRun, target: Target) -> Metrics:
    finished = [result for result in run.finished if result.token_ms]
    if not finished:
        raise ValueError(text("labs.backend.nothing", failure=run.results[0].failure))
    return summarize(measured_timeline(finished, system=target.model))


def _simulated(requests: Sequence[Request], cost: CostModel) -> Metrics:
    scheduler = make("vllm_v1", long_prefill_token_threshold=SERVER_CHUNK)
    return summarize(simulate(requests, scheduler, cost, max_num_batched_tokens=SERVER_BUDGET))


def _rows(
    rate: float, measured: Metrics, simulated: Metrics, run: LoadRun
) -> Iterator[dict[str, Any]]:
    failed = len(run.results) - len(run.finished)
    for name, real, ours in (
        ("TTFT P95", measured.ttft_ms.p95, simulated.ttft_ms.p95),
        ("TPOT P50", measured.tpot_ms.p50, simulated.tpot_ms.p50),
        ("ITL P99", measured.itl_ms.p99, simulated.itl_ms.p99),
    ):
        yield {
            "load_per_s": rate,
            "plan": name,
            "predicted_ms": ours,
            "measured_ms": real,
            "error": f"{ours / real - 1:+.0%}" if ours and real else None,
            "failed": failed,
        }


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where a notebook already runs an event loop."""
    found: list[T] = []
    problem: list[BaseException] = []

    def run() -> None:
        try:
            found.append(asyncio.run(work))
        except BaseException as error:  # handed to the caller's thread
            problem.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if problem:
        raise problem[0]
    return found[0]


__all__ = ["LoadCurve", "load_curve", "numpy_server", "small_chat", "wait_for"]
