"""Timelines in other formats: pandas, and the trace events of Chrome and Perfetto."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from pdsched.simulator.timeline import Handoff, Iteration, RequestRecord, Timeline, WorkerRecord

if TYPE_CHECKING:
    import pandas as pd

_KINDS: dict[str, type] = {
    "requests": RequestRecord,
    "iterations": Iteration,
    "handoffs": Handoff,
    "workers": WorkerRecord,
}
_LINK_PROCESS = "link"


def to_dataframe(timeline: Timeline, what: str = "requests") -> pd.DataFrame:
    """One row per request, iteration, handoff or worker.

    Raises:
        ValueError: ``what`` is none of these.
        ModuleNotFoundError: pandas is not installed.
    """
    if what not in _KINDS:
        raise ValueError(f"what must be one of {', '.join(_KINDS)}, got {what!r}")
    import pandas as pd  # optional: the core runs without it

    names = _field_names(_KINDS[what])
    rows = ([getattr(record, name) for name in names] for record in getattr(timeline, what))
    frame: pd.DataFrame = pd.DataFrame(rows, columns=names)
    if what == "requests":
        frame["ttft_ms"] = [record.ttft_ms() for record in timeline.requests]
        frame["tpot_ms"] = [record.tpot_ms for record in timeline.requests]
        frame["e2e_ms"] = [record.e2e_ms for record in timeline.requests]
    return frame


def _field_names(kind: type) -> list[str]:
    if issubclass(kind, tuple):
        return list(kind._fields)  # type: ignore[attr-defined]  # a NamedTuple
    return [field.name for field in fields(kind)]  # type: ignore[arg-type]  # a dataclass


def token_times(timeline: Timeline, request_id: str) -> list[float]:
    """End of every iteration in which one request sampled a token.

    Raises:
        ValueError: the request is unknown, or iterations were not recorded.
    """
    record = next((r for r in timeline.requests if r.request_id == request_id), None)
    if record is None:
        raise ValueError(f"no request {request_id!r} in this timeline")
    if not timeline.iterations:
        raise ValueError("iterations were not recorded: simulate with record_iterations=True")
    times: list[float] = []
    known = record.prompt_tokens
    for iteration in timeline.iterations:
        sampled = request_id in iteration.decodes or any(
            chunk.request_id == request_id and chunk.num_computed_tokens + chunk.num_tokens == known
            for chunk in iteration.prefills
        )
        if sampled:
            times.append(iteration.end_ms)
            known += 1
    return times


def to_chrome_trace(timeline: Timeline) -> dict[str, object]:
    """Trace events: a process per worker, counters for budget, queue and KV, handoffs as spans.

    Times are microseconds, as the format wants; the dictionary is plain JSON.
    """
    process_of = {worker.name: number for number, worker in enumerate(timeline.workers, 1)}
    events: list[dict[str, object]] = [
        _process_name(number, name) for name, number in process_of.items()
    ]
    for iteration in timeline.iterations:
        events.extend(_iteration_events(iteration, process_of[iteration.worker]))
    if timeline.handoffs:
        link = len(process_of) + 1
        events.append(_process_name(link, _LINK_PROCESS))
        for handoff in timeline.handoffs:
            events.extend(_handoff_events(handoff, link))
    requests = len(process_of) + 2
    events.append(_process_name(requests, "requests"))
    for number, record in enumerate(timeline.requests, 1):
        events.extend(_request_events(record, requests, number))
    return {
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {
            "scheduler": timeline.scheduler,
            "cost_model": timeline.cost,
            "cost_model_error": timeline.cost_error,
            "evidence": "simulated",
        },
    }


def _process_name(process: int, name: str) -> dict[str, object]:
    return {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": name}}


def _span(  # noqa: PLR0917 -- the fields of one trace event, in the format's order
    name: str,
    category: str,
    process: int,
    thread: int,
    start_ms: float,
    end_ms: float,
    args: dict[str, object],
) -> dict[str, object]:
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "pid": process,
        "tid": thread,
        "ts": start_ms * 1000,
        "dur": (end_ms - start_ms) * 1000,
        "args": args,
    }


def _iteration_events(iteration: Iteration, process: int) -> list[dict[str, object]]:
    prefill = sum(chunk.num_tokens for chunk in iteration.prefills)
    decodes = len(iteration.decodes)
    kind = "mixed" if prefill and decodes else "prefill" if prefill else "decode"
    events = [
        _span(
            f"{kind} {prefill}+{decodes}",
            kind,
            process,
            0,
            iteration.start_ms,
            iteration.end_ms,
            {
                "index": iteration.index,
                "decodes": list(iteration.decodes),
                "prefills": [chunk._asdict() for chunk in iteration.prefills],
                "max_num_batched_tokens": iteration.max_num_batched_tokens,
                "preempted": list(iteration.preempted),
            },
        )
    ]
    counters: dict[str, dict[str, object]] = {
        "scheduled tokens": {"prefill": prefill, "decode": decodes},
        "requests": {"running": iteration.num_running, "waiting": iteration.num_waiting},
    }
    if iteration.kv_blocks_total is not None:
        counters["KV blocks"] = {"used": iteration.kv_blocks_used}
    for name, values in counters.items():
        events.append(
            {
                "ph": "C",
                "name": name,
                "pid": process,
                "tid": 0,
                "ts": iteration.start_ms * 1000,
                "args": values,
            }
        )
    return events


def _handoff_events(handoff: Handoff, process: int) -> list[dict[str, object]]:
    name = f"{handoff.request_id} → {handoff.target}"
    return [_span(name, "handoff", process, 0, handoff.start_ms, handoff.end_ms, asdict(handoff))]


def _request_events(record: RequestRecord, process: int, thread: int) -> list[dict[str, object]]:
    name = record.request_id
    spans = (
        ("queue", record.arrival_ms, record.first_scheduled_ms),
        ("prefill", record.first_scheduled_ms, record.first_token_ms),
        ("decode", record.first_token_ms, record.finish_ms),
    )
    return [
        _span(f"{name} {phase}", phase, process, thread, start_ms, end_ms, {"request_id": name})
        for phase, start_ms, end_ms in spans
        if end_ms > start_ms
    ]
