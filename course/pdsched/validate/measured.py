"""Compare the simulator with measured serving runs in a CSV.

Columns: ``model_path, system, precision, isl, osl, concurrency, tp_size, silicon_ttft_ms,
silicon_tpot_ms`` (others are ignored). A row is a closed loop: ``concurrency`` requests of ``isl``
prompt and ``osl`` output tokens in flight, a new one for each that finishes.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pdsched.hardware import GPUS, MODELS, kv_capacity_tokens
from pdsched.textfile import named
from pdsched.validate.names import gpu_preset, model_preset, precision_preset

_LARGEST: Final = 1_000_000  # of a length, a degree or a concurrency
_MOST_IN_FLIGHT: Final = 100_000
_SHORTEST_MS: Final = 0.001
_NEEDED: Final = ("system", "isl", "osl", "concurrency")
_ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "model": ("model_path", "model", "model_name"),
    "tp": ("tp_size", "tp", "tensor_parallel"),
    "tpot": ("silicon_tpot_ms", "tpot_ms", "tpot"),
    "ttft": ("silicon_ttft_ms", "ttft_ms", "ttft"),
}


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One measured closed loop, with its names mapped to presets.

    Attributes:
        model: model preset.
        gpu: GPU preset.
        precision: ``bf16`` or ``fp8``.
        tensor_parallel: degree.
        prompt_tokens: of every request.
        output_tokens: of every request.
        concurrency: requests in flight.
        tpot_ms: measured mean time per output token.
        ttft_ms: measured mean time to first token; NaN where the file has none.
    """

    model: str
    gpu: str
    precision: str
    tensor_parallel: int
    prompt_tokens: int
    output_tokens: int
    concurrency: int
    tpot_ms: float
    ttft_ms: float


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """What a CSV held.

    Attributes:
        runs: rows that can be simulated.
        skipped: why other rows were not, with how many each.
    """

    runs: tuple[MeasuredRun, ...]
    skipped: Mapping[str, int]


def read_measured(path: str | Path) -> MeasuredFile:
    """Read the rows, skipping and naming those no preset matches.

    Raises:
        ValueError: a column is missing.
        FileNotFoundError: no such file.
    """
    with named(path), Path(path).open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines)
        columns = _columns(path, reader.fieldnames or ())
        runs: list[MeasuredRun] = []
        skipped: Counter[str] = Counter()
        for row in reader:
            run = _run({name: (row.get(column) or "") for name, column in columns.items()})
            if isinstance(run, MeasuredRun):
                runs.append(run)
            else:
                skipped[run] += 1
    return MeasuredFile(tuple(runs), dict(skipped))


def _columns(path: str | Path, fields: Sequence[str]) -> dict[str, str]:
    columns = {name: name for name in (*_NEEDED, "precision") if name in fields}
    for name, aliases in _ALIASES.items():
        for alias in aliases:
            if alias in fields:
                columns[name] = alias
                break
    missing = [name for name in (*_NEEDED, "model", "tpot") if name not in columns]
    if missing:
        named = ", ".join(" or ".join(_ALIASES.get(name, (name,))) for name in missing)
        raise ValueError(f"{path}: missing column {named}")
    return columns


def _run(row: Mapping[str, str]) -> MeasuredRun | str:
    """The row as a run, or the reason it is skipped."""
    model, gpu = model_preset(row["model"]), gpu_preset(row["system"])
    precision = precision_preset(row.get("precision", ""), row["model"])
    if model is None:
        return f"no preset for model {row['model']!r}"
    if gpu is None:
        return f"no preset for system {row['system']!r}"
    if precision is None:
        return f"no preset for precision {row['precision'] or row['model']!r}"
    try:
        prompt, output = _count(row["isl"]), _count(row["osl"])
        concurrency, degree = _count(row["concurrency"]), _count(row.get("tp") or "1")
        tpot_ms, ttft_ms = float(row["tpot"]), float(row.get("ttft") or "nan")
    except (ValueError, OverflowError):
        return "a length, degree or time is not a number"
    run = MeasuredRun(model, gpu, precision, degree, prompt, output, concurrency, tpot_ms, ttft_ms)
    return _impossible(run) or run


def _impossible(run: MeasuredRun) -> str | None:
    """Why nobody can have measured this, or None."""
    counts = (run.prompt_tokens, run.output_tokens, run.concurrency, run.tensor_parallel)
    in_range = (
        min(counts) >= 1
        and run.output_tokens >= 2
        and max(counts) <= _LARGEST
        and run.concurrency <= _MOST_IN_FLIGHT
        and _SHORTEST_MS <= run.tpot_ms < math.inf
        and (math.isnan(run.ttft_ms) or 0 < run.ttft_ms < math.inf)
    )
    if in_range and MODELS[run.model].heads % run.tensor_parallel:
        return f"{run.tensor_parallel} GPUs cannot share the heads of {run.model}"
    if not in_range:
        return "a length, degree or time is out of range"
    room = kv_capacity_tokens(
        MODELS[run.model],
        GPUS[run.gpu],
        tensor_parallel=run.tensor_parallel,
        bytes_per_element=1 if run.precision == "fp8" else 2,
        memory_share=1.0,
    )
    if not room:
        cards = f"{run.tensor_parallel} x {run.gpu}"
        return f"{run.model} in {run.precision} does not fit into the memory of {cards}"
    return None


def _count(text: str) -> int:
    value = float(text)
    if not value.is_integer():
        raise ValueError(text)
    return int(value)


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Relative errors of the runs of one model, system, precision and degree.

    Attributes:
        model: model preset.
        gpu: GPU preset.
        precision: precision.
        tensor_parallel: degree.
        rows: runs compared.
        tpot_error: mean absolute relative TPOT error.
        tpot_bias: mean relative TPOT error; positive is too slow.
        ttft_error: median absolute relative TTFT error; NaN where nothing was measured.
    """

    model: str
    gpu: str
    precision: str
    tensor_parallel: int
    rows: int
    tpot_error: float
    tpot_bias: float
    ttft_error: float


def grouped_errors(
    runs: Sequence[MeasuredRun], simulated: Iterable[tuple[float, float]]
) -> tuple[ErrorGroup, ...]:
    """Errors per (model, system, precision, TP), in that order.

    Args:
        runs: what was measured.
        simulated: TPOT and TTFT in ms for each of them.
    """
    groups: dict[tuple[str, str, str, int], list[tuple[float, float]]] = {}
    for run, (tpot_ms, ttft_ms) in zip(runs, simulated, strict=True):
        key = (run.model, run.gpu, run.precision, run.tensor_parallel)
        errors = (tpot_ms / run.tpot_ms - 1, ttft_ms / run.ttft_ms - 1 if run.ttft_ms else math.nan)
        groups.setdefault(key, []).append(errors)
    return tuple(_group(*key, errors) for key, errors in sorted(groups.items()))


def _group(
    model: str, gpu: str, precision: str, degree: int, errors: Sequence[tuple[float, float]]
) -> ErrorGroup:
    tpot = [error for error, _ in errors]
    ttft = sorted(abs(error) for _, error in errors if not math.isnan(error))
    return ErrorGroup(
        model,
        gpu,
        precision,
        degree,
        rows=len(errors),
        tpot_error=sum(map(abs, tpot)) / len(tpot),
        tpot_bias=sum(tpot) / len(tpot),
        ttft_error=ttft[len(ttft) // 2] if ttft else math.nan,
    )


def overall_error(groups: Sequence[ErrorGroup]) -> tuple[int, float, float]:
    """Rows, mean absolute TPOT error and bias of all groups together."""
    rows = sum(group.rows for group in groups)
    if not rows:
        return 0, math.nan, math.nan
    error = sum(group.tpot_error * group.rows for group in groups) / rows
    bias = sum(group.tpot_bias * group.rows for group in groups) / rows
    return rows, error, bias
