"""From a finished run to what a person reads: notes about what went wrong, and the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pdsched.messages.bench  # noqa: F401  registers the catalog
from pdsched.bench.client import Failure, RequestResult, Target, list_models
from pdsched.bench.load import LoadRun
from pdsched.bench.measured import measured_timeline, metrics_row
from pdsched.evidence import Evidence, measured_conditions
from pdsched.messages import text
from pdsched.metrics import Slo, summarize

LATE_CLIENT_MS = 20.0


class BenchError(ValueError):
    """The benchmark cannot begin; the text says why and what to do."""


async def choose_model(target: Target, timeout_s: float = 5.0) -> str:
    """The model to ask for: the one named, if the server has it, else its only one.

    Raises:
        BenchError: the server is not there, or it does not have that model.
    """
    listed = await list_models(target, timeout_s)
    url = f"{target.host}:{target.port}"
    if isinstance(listed, Failure):
        if listed.kind in {"refused", "connect_timeout", "first_token_timeout"}:
            raise BenchError(text("bench.unreachable", url=url, detail=listed.detail))
        if not target.model:
            raise BenchError(text("bench.no_model_list", url=url, detail=listed.detail))
        return target.model
    if not target.model and listed:
        return listed[0]
    if target.model not in listed:
        available = ", ".join(listed) or "-"
        raise BenchError(text("bench.wrong_model", model=target.model, available=available))
    return target.model


def notes(run: LoadRun) -> Iterator[str]:
    """What a reader must know before trusting the numbers."""
    failed: dict[str, list[RequestResult]] = {}
    for result in run.results:
        if result.failure is not None:
            failed.setdefault(result.failure.kind, []).append(result)
    for kind, results in failed.items():
        first = results[0]
        assert first.failure is not None
        yield text(
            "bench.failed",
            count=len(results),
            reason=text("bench.wrong_model_name" if kind == "wrong_model" else f"bench.{kind}"),
            request_id=first.request_id,
            detail=first.failure.detail,
        )
    if not run.finished:
        yield text("bench.none_finished")
    if run.worst_lag_ms > LATE_CLIENT_MS:
        yield text("bench.late_client", lag_ms=run.worst_lag_ms)
    bundled = sum(result.output_tokens > len(result.token_ms) for result in run.finished)
    if bundled:
        yield text("bench.bundled", count=bundled)


def evidence(
    run: LoadRun, target: Target, *, seed: int, plan: str = "", slo: Slo | None = None, **more: Any
) -> Evidence:
    """The run as measured evidence; per-request times ride along in the file.

    The API key is not part of it.
    """
    failed = len(run.results) - len(run.finished)
    row: dict[str, Any] = {"plan": plan or target.model}
    finished = [result for result in run.finished if result.token_ms]
    if finished:
        timeline = measured_timeline(finished, system=target.model)
        row = metrics_row(plan or target.model, summarize(timeline, slo))
    row |= {"finished": len(run.finished), "failed": failed}
    conditions = measured_conditions(
        threads="1 (client)",
        seed=seed,
        server=f"{target.host}:{target.port}{target.path}, {target.model}",
        client_lag_ms=round(run.worst_lag_ms, 2),
        **more,
    )
    return Evidence(
        text("bench.title", model=target.model),
        "measured",
        [row],
        conditions,
        requests=[_request_row(result) for result in run.results],
    )


def _request_row(result: RequestResult) -> dict[str, Any]:
    row: dict[str, Any] = {
        "request_id": result.request_id,
        "arrival_ms": round(result.arrival_ms, 3),
        "sent_ms": round(result.sent_ms, 3),
        "token_ms": [round(at, 3) for at in result.token_ms],
        "prompt_tokens": result.prompt_tokens,
        "output_tokens": result.output_tokens,
    }
    if result.failure is not None:
        row["failure"] = {"kind": result.failure.kind, "detail": result.failure.detail}
    return row
