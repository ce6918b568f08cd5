"""``pdsched validate``: simulated beside measured and published."""

from __future__ import annotations

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table

from pdsched.commands.output import check_writable, write_json
from pdsched.messages import commands as _sentences  # noqa: F401 -- registers them
from pdsched.messages import text
from pdsched.validate import (
    ErrorGroup,
    grouped_errors,
    overall_error,
    read_measured,
    simulate_run,
)


def run_file(path: Path, *, json_path: Path | None = None) -> None:
    """Compare with a measured CSV and print the errors per (model, system, TP).

    Raises:
        ValueError: the file lacks columns or has no usable row.
        OSError: a file cannot be read or written.
    """
    check_writable(json_path)
    console = Console(markup=False)  # a file may be called anything
    found = read_measured(path)
    for reason, count in found.skipped.items():
        console.print(text("commands.skipped", count=count, reason=reason), style="yellow")
    if not found.runs:
        raise ValueError(text("commands.nothing_used"))
    label = text("commands.running")
    simulated = [
        simulate_run(run) for run in track(found.runs, label, console=console, transient=True)
    ]
    groups = grouped_errors(found.runs, simulated)
    rows, error, bias = overall_error(groups)
    console.print(_table(path, groups))
    console.print(text("commands.validated", rows=rows, error=error, bias=bias))
    if json_path is not None:
        content = {
            "file": path.name,
            "rows": rows,
            "tpot_mean_absolute_error": error,
            "tpot_bias": bias,
            "skipped": found.skipped,
            "groups": [_as_dict(group) for group in groups],
        }
        write_json(json_path, content, console)


def _as_dict(group: ErrorGroup) -> dict[str, object]:
    return {
        "model": group.model,
        "system": group.gpu,
        "precision": group.precision,
        "tp": group.tensor_parallel,
        "rows": group.rows,
        "tpot_mean_absolute_error": group.tpot_error,
        "tpot_bias": group.tpot_bias,
        "ttft_median_absolute_error": group.ttft_error,
    }


def _table(path: Path, groups: tuple[ErrorGroup, ...]) -> Table:
    table = Table(
        title=text("commands.validate_title", file=path.name), title_justify="left", box=SIMPLE_HEAD
    )
    table.add_column(text("commands.model"), no_wrap=True)
    table.add_column(text("commands.system"), no_wrap=True)
    table.add_column("", no_wrap=True)
    for heading in ("TP", text("commands.rows"), text("commands.tpot_error"),
                    text("commands.tpot_bias"), text("commands.ttft_error")):  # fmt: skip
        table.add_column(heading, justify="right")
    for group in groups:
        table.add_row(
            group.model,
            group.gpu,
            group.precision,
            str(group.tensor_parallel),
            str(group.rows),
            f"{group.tpot_error:.1%}",
            f"{group.tpot_bias:+.1%}",
            "–" if group.ttft_error != group.ttft_error else f"{group.ttft_error:.0%}",
        )
    return table


def run_published(document: Path | None) -> None:
    """Reproduce the published results; print the document or write it.

    Raises:
        OSError: the document cannot be written.
    """
    from pdsched.validate.document import build_document

    written = build_document()
    if document is None:
        Console().print(written, markup=False, highlight=False)
        return
    document.write_text(written, encoding="utf-8")
    Console(markup=False).print(text("commands.written", path=document))
