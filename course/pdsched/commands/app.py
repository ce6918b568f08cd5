"""The command line: options in, one module per command behind it."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from pdsched.messages import commands as _sentences  # noqa: F401 -- registers them
from pdsched.messages import text

app = typer.Typer(
    help=text("commands.app"),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _option(key: str, *names: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(*names, help=text(f"commands.opt.{key}"))
    return option


Workload = Annotated[str, _option("workload", "--workload")]
Requests = Annotated[int | None, _option("requests", "--requests", "-n")]
Rate = Annotated[float | None, _option("rate", "--rate")]
Concurrency = Annotated[int | None, _option("concurrency", "--concurrency")]
Seed = Annotated[int, _option("seed", "--seed")]
Policy = Annotated[str, _option("policy", "--policy")]
Hardware = Annotated[str, _option("hardware", "--hardware")]
Model = Annotated[str, _option("model", "--model")]
Tp = Annotated[int, _option("tp", "--tp")]
Precision = Annotated[str, _option("precision", "--precision")]
Budget = Annotated[int, _option("budget", "--budget")]
Chunk = Annotated[int | None, _option("chunk", "--chunk")]
Seqs = Annotated[int, _option("seqs", "--max-num-seqs")]
Workers = Annotated[str, _option("workers", "--workers")]
Link = Annotated[str, _option("link", "--link")]
SloOption = Annotated[str, _option("slo", "--slo")]
Ttft = Annotated[str, _option("ttft", "--ttft-definition")]
Json = Annotated[Path | None, _option("json", "--json")]
Csv = Annotated[Path | None, _option("csv", "--csv")]
Html = Annotated[Path | None, _option("html", "--html")]


@app.command(help=text("commands.simulate"))
def simulate(
    *,
    workload: Workload = "chat",
    requests: Requests = None,
    rate: Rate = None,
    concurrency: Concurrency = None,
    seed: Seed = 0,
    policy: Policy = "vllm_v1",
    hardware: Hardware = "h100",
    model: Model = "llama-3.1-8b",
    tp: Tp = 1,
    precision: Precision = "bf16",
    budget: Budget = 8192,
    chunk: Chunk = None,
    max_num_seqs: Seqs = 256,
    workers: Workers = "1",
    link: Link = "nvlink-h100",
    slo: SloOption = "",
    ttft_definition: Ttft = "prefill",
    json: Json = None,
    csv: Csv = None,
    html: Html = None,
    trace: Annotated[Path | None, _option("trace", "--trace")] = None,
) -> None:
    """Simulate one workload."""
    from pdsched.commands import simulate as command
    from pdsched.experiment import Experiment, parse_pd, parse_slo

    with _errors_in_one_line():
        experiment = Experiment(
            workload=workload,
            num_requests=requests,
            rate_per_s=rate,
            concurrency=concurrency,
            seed=seed,
            model=model,
            hardware=hardware,
            tensor_parallel=tp,
            precision=precision,
            policy=policy,
            max_num_batched_tokens=budget,
            chunk_tokens=chunk,
            max_num_seqs=max_num_seqs,
            link=link,
            ttft_definition=ttft_definition,
            **parse_pd(workers),
            **parse_slo(slo),  # type: ignore[arg-type]  # its keys are float fields
        )
        command.run(experiment, json_path=json, csv_path=csv, html_path=html, trace_path=trace)


@app.command(help=text("commands.sweep"))
def sweep(
    *,
    workload: Workload = "chat",
    requests: Requests = 500,
    seed: Seed = 0,
    hardware: Hardware = "h100",
    model: Model = "llama-3.1-8b",
    tp: Tp = 1,
    precision: Precision = "bf16",
    max_num_seqs: Seqs = 256,
    link: Link = "nvlink-h100",
    slo: SloOption = "ttft=1000,tpot=50",
    ttft_definition: Ttft = "prefill",
    budgets: Annotated[str, _option("budgets", "--budgets")] = "",
    chunks: Annotated[str, _option("chunks", "--chunks")] = "",
    workers: Annotated[str, _option("layouts", "--workers")] = "",
    loads: Annotated[str, _option("loads", "--loads")] = "",
    policies: Annotated[str, _option("policies", "--policies")] = "",
    json: Json = None,
    csv: Csv = None,
    html: Html = None,
    jobs: Annotated[int | None, _option("jobs", "--jobs")] = None,
    dask: Annotated[str | None, _option("dask", "--dask")] = None,
) -> None:
    """Sweep settings."""
    from pdsched.commands import sweep as command
    from pdsched.experiment import Experiment, parse_slo

    with _errors_in_one_line():
        base = Experiment(
            workload=workload,
            num_requests=requests,
            seed=seed,
            model=model,
            hardware=hardware,
            tensor_parallel=tp,
            precision=precision,
            max_num_seqs=max_num_seqs,
            link=link,
            ttft_definition=ttft_definition,
            **parse_slo(slo),  # type: ignore[arg-type]
        )
        axes = command.axes(
            policies=policies, budgets=budgets, chunks=chunks, layouts=workers, loads=loads
        )
        command.run(base, axes, json_path=json, csv_path=csv, html_path=html, jobs=jobs, dask=dask)


@app.command(help=text("commands.validate"))
def validate(
    measured: Annotated[
        Path | None, typer.Argument(help=text("commands.opt.measured"), show_default=False)
    ] = None,
    json: Json = None,
    document: Annotated[Path | None, _option("document", "--document")] = None,
) -> None:
    """Compare with measurements."""
    from pdsched.commands import validate as command

    with _errors_in_one_line():
        if measured is not None:
            command.run_file(measured, json_path=json)
        if document is not None or measured is None:
            command.run_published(document)


@app.command(help=text("commands.bench"))
def bench(
    *,
    url: Annotated[str, _option("url", "--url")],
    served_model: Annotated[str, _option("served_model", "--model")] = "",
    workload: Workload = "chat",
    requests: Annotated[int, _option("requests", "--requests", "-n")] = 100,
    rate: Rate = None,
    concurrency: Concurrency = None,
    seed: Seed = 0,
    slo: SloOption = "",
    max_prompt: Annotated[int | None, _option("max_prompt", "--max-prompt-tokens")] = None,
    max_output: Annotated[int | None, _option("max_output", "--max-output-tokens")] = None,
    chat: Annotated[bool, _option("chat", "--chat")] = False,
    timeout: Annotated[float | None, _option("timeout", "--timeout")] = None,
    out: Json = None,
) -> None:
    """Send a workload to a real server."""
    from pdsched.commands import bench as command
    from pdsched.experiment import parse_slo
    from pdsched.metrics import Slo

    with _errors_in_one_line():
        options = command.BenchOptions(
            url=url,
            model=served_model,
            workload=workload,
            num_requests=requests,
            rate_per_s=rate,
            concurrency=concurrency,
            max_prompt_tokens=max_prompt,
            max_output_tokens=max_output,
            chat=chat,
            seed=seed,
            slo=Slo(*(parse_slo(slo).get(f"{name}_slo_ms") for name in ("ttft", "tpot"))),
            timeouts=command.timeouts(timeout),
            out=out,
        )
        raise typer.Exit(command.run(options))


@app.command(help=text("commands.plans"))
def plans(file: Annotated[Path, typer.Argument()]) -> None:
    """Replay recorded plans."""
    from pdsched.commands import plans as command

    raise typer.Exit(command.run(file))


@app.command(help=text("commands.doctor"))
def doctor() -> None:
    """Look at this machine."""
    from pdsched import environment

    typer.echo(str(environment.doctor()))


@contextmanager
def _errors_in_one_line() -> Iterator[None]:
    """A wrong value is one line on stderr and exit code 2; a bug keeps its traceback."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]  # takes more
        try:
            yield
        except (ValueError, OSError) as error:
            words = " ".join(str(error).split())  # a broken plan tells its inputs line by line
            print(text("commands.error", error=words), file=sys.stderr)
            raise typer.Exit(2) from None


def _show_warning(message: Warning | str, *_: object) -> None:
    print(text("commands.warning", message=message), file=sys.stderr)
