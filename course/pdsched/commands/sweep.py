"""``pdsched sweep``: a grid of experiments, as table, files and plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from pdsched.commands.output import check_writable, number, write_csv, write_json
from pdsched.experiment import Experiment, ExperimentResult, grid, parse_pd, run_all
from pdsched.messages import commands as _sentences  # noqa: F401 -- registers them
from pdsched.messages import text

if TYPE_CHECKING:
    from collections.abc import Iterator

Axes = Mapping[str, Sequence[Mapping[str, Any]]]
_Number = TypeVar("_Number", int, float)


def axes(*, policies: str, budgets: str, chunks: str, layouts: str, loads: str) -> Axes:
    """The axes of the grid from comma-separated options; an empty option is no axis.

    Raises:
        ValueError: a value does not parse, or there is no axis at all.
    """
    found: dict[str, list[Mapping[str, Any]]] = {
        "policy": [{"policy": name} for name in _names(policies)],
        "layout": [parse_pd(layout) for layout in _names(layouts)],
        "budget": [
            {"max_num_batched_tokens": value} for value in _numbers("--budgets", budgets, int)
        ],
        "chunk": [{"chunk_tokens": value} for value in _numbers("--chunks", chunks, int)],
        "load": [{"rate_per_s": value} for value in _numbers("--loads", loads, float)],
    }
    used = {name: values for name, values in found.items() if values}
    if not used:
        raise ValueError(text("commands.no_axis"))
    return used


def run(
    base: Experiment,
    axes: Axes,
    *,
    json_path: Path | None = None,
    csv_path: Path | None = None,
    html_path: Path | None = None,
    jobs: int | None = None,
    dask: str | None = None,
) -> None:
    """Run the grid, print the table, write what was asked for.

    Raises:
        ValueError: an experiment cannot run.
        OSError: a file cannot be written.
    """
    check_writable(json_path, csv_path, html_path)
    console = Console(markup=False)  # a file may be called anything
    experiments = grid(base, axes)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    )  # fmt: skip
    with _executor(dask) as executor, Progress(*columns, console=console) as progress:
        task = progress.add_task(text("commands.running"), total=len(experiments))
        results = run_all(
            experiments,
            executor=executor,
            max_workers=jobs,
            progress=lambda finished, _: progress.update(task, completed=finished),
        )
    console.print(_table(base, axes, results))
    best = max(results, key=_goodput_per_gpu)
    console.print(
        text("commands.best", what=label(best.experiment, axes), goodput=_goodput_per_gpu(best))
    )
    console.print(text("commands.evidence", error=base.cost().error), style="dim")
    if json_path is not None:
        write_json(json_path, [result.as_dict() for result in results], console)
    if csv_path is not None:
        write_csv(csv_path, [result.row() for result in results], console)
    if html_path is not None:
        from pdsched.commands.sweep_chart import write_html

        write_html(html_path, base, axes, results)
        console.print(text("commands.written", path=html_path))


def label(experiment: Experiment, axes: Axes) -> str:
    """The experiment's place in the grid, in words."""
    return ", ".join(f"{text(f'commands.{axis}')} {value(experiment, axis)}" for axis in axes)


def value(experiment: Experiment, axis: str) -> str:
    """One coordinate of the experiment, as a table shows it."""
    if axis == "layout":
        pools = [experiment.prefill_workers, experiment.decode_workers]
        shared = experiment.shared_workers
        if not pools[0]:
            return str(shared)
        return ":".join(map(str, [*pools, shared] if shared else pools))
    chosen = {
        "policy": experiment.policy,
        "budget": experiment.max_num_batched_tokens,
        "chunk": experiment.chunk_tokens,
        "load": experiment.rate_per_s,
    }[axis]
    return f"{chosen:g}" if isinstance(chosen, float) else str(chosen)


def _goodput_per_gpu(result: ExperimentResult) -> float:
    return result.metrics.goodput_per_s / result.experiment.gpus


def _table(base: Experiment, axes: Axes, results: Sequence[ExperimentResult]) -> Table:
    title = text(
        "commands.sweep_title", workload=base.workload, model=base.model, hardware=base.hardware
    )
    shown = [axis for axis in axes if len(axes[axis]) > 1] or list(axes)
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for axis in shown:
        table.add_column(text(f"commands.{axis}"), justify="right", no_wrap=True)
    headings = ("TTFT P50", "TTFT P95", "TPOT P95", "ITL P99")
    for heading in headings:
        table.add_column(f"{heading}\nms", justify="right")
    table.add_column("tok/s", justify="right")
    table.add_column(
        f"{text('commands.goodput')}\n{text('commands.per_gpu')}", justify="right", min_width=7
    )
    table.add_column("SLO", justify="right")
    best = max(map(_goodput_per_gpu, results))
    for result in results:
        metrics = result.metrics
        goodput = _goodput_per_gpu(result)
        table.add_row(
            *(value(result.experiment, axis) for axis in shown),
            number(metrics.ttft_ms.p50),
            number(metrics.ttft_ms.p95),
            number(metrics.tpot_ms.p95),
            number(metrics.itl_ms.p99),
            number(metrics.output_token_throughput_per_s),
            number(goodput),
            f"{metrics.slo_attainment:.1%}",
            style="bold" if goodput == best else None,
        )
    return table


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _numbers(option: str, listed: str, kind: type[_Number]) -> list[_Number]:
    try:
        return [kind(name) for name in _names(listed)]
    except ValueError:
        words = text(f"commands.kind.{kind.__name__}")
        raise ValueError(
            text("commands.bad_list", option=option, kind=words, value=listed)
        ) from None


@contextmanager
def _executor(dask: str | None) -> Iterator[Executor | None]:
    """A Dask cluster's executor, or None for processes of this machine."""
    if dask is None:
        yield None
        return
    try:
        from dask.distributed import Client
    except ImportError:
        raise ValueError("--dask needs: pip install 'pdsched[dask]'") from None
    with Client(dask) as client:
        yield client.get_executor()
