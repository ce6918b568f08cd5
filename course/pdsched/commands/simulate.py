"""``pdsched simulate``: one experiment, its metrics as a table."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pdsched.commands.output import check_writable, number, write_csv, write_json
from pdsched.experiment import Experiment, ExperimentResult
from pdsched.messages import commands as _sentences  # noqa: F401 -- registers them
from pdsched.messages import text
from pdsched.metrics import Distribution, Metrics, summarize


def run(
    experiment: Experiment,
    *,
    json_path: Path | None = None,
    csv_path: Path | None = None,
    html_path: Path | None = None,
    trace_path: Path | None = None,
) -> None:
    """Simulate, print the table, write what was asked for.

    Raises:
        ValueError: the experiment cannot run.
        OSError: a file cannot be written.
    """
    check_writable(json_path, csv_path, html_path, trace_path)
    console = Console(markup=False)  # a file may be called anything
    with console.status(text("commands.running")):
        timeline = experiment.timeline(record_iterations=bool(trace_path or html_path))
        metrics = summarize(timeline, experiment.slo, experiment.ttft_definition)
    result = ExperimentResult(experiment, metrics)
    console.print(_table(result))
    console.print(text("commands.evidence", error=experiment.cost().error), style="dim")
    if json_path is not None:
        write_json(json_path, result.as_dict(), console)
    if csv_path is not None:
        write_csv(csv_path, [result.row()], console)
    if html_path is not None:
        from pdsched.figures import Picture, worker_lanes

        Picture(worker_lanes(timeline)).save(html_path)
        console.print(text("commands.written", path=html_path))
    if trace_path is not None:
        trace_path.write_text(json.dumps(timeline.to_chrome_trace()), encoding="utf-8")
        console.print(text("commands.written", path=trace_path))


def _table(result: ExperimentResult) -> Table:
    metrics, experiment = result.metrics, result.experiment
    table = Table(title=text("commands.title", cost=experiment.cost().name), title_justify="left")
    table.add_column(text("commands.metric"))
    for heading in (text("commands.mean"), "P50", "P90", "P95", "P99"):
        table.add_column(heading, justify="right")
    table.add_column(text("commands.unit"))
    latencies = {
        f"TTFT ({metrics.ttft_definition})": metrics.ttft_ms,
        "TPOT": metrics.tpot_ms,
        "ITL": metrics.itl_ms,
        "E2E": metrics.e2e_ms,
        text("commands.queue"): metrics.queue_ms,
    }
    if metrics.handoff.count:
        latencies[text("commands.handoff")] = metrics.handoff.exposed_ms
    for name, values in latencies.items():
        table.add_row(name, *_cells(values), "ms")
    table.add_section()
    for name, value, unit in _totals(metrics):
        table.add_row(name, value, "", "", "", "", unit)
    return table


def _cells(values: Distribution) -> list[str]:
    return [number(v) for v in (values.mean, values.p50, values.p90, values.p95, values.p99)]


def _totals(metrics: Metrics) -> list[tuple[str, str, str]]:
    per_s = text("commands.requests_per_s")
    rows = [
        (text("commands.request_throughput"), number(metrics.request_throughput_per_s), per_s),
        (
            text("commands.output_throughput"),
            number(metrics.output_token_throughput_per_s),
            text("commands.tokens_per_s"),
        ),
        (text("commands.goodput"), number(metrics.goodput_per_s), per_s),
        (text("commands.attainment"), f"{metrics.slo_attainment:.1%}", ""),
    ]
    for role, share in metrics.utilisation.items():
        rows.append((text("commands.utilisation", role=role), f"{share:.1%}", ""))
    for role, share in metrics.kv_use_peak.items():
        rows.append((text("commands.kv_peak", role=role), f"{share:.1%}", ""))
    rows.append((text("commands.preemptions"), str(metrics.preemptions), ""))
    return rows
