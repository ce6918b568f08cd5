"""Readers of request traces: Azure CSV, Mooncake JSONL and a plain CSV.

A file is recognised by its columns, never by its name. Every reader sorts by arrival, starts the
clock at the first request, and names file and line of whatever it cannot use.
"""

from __future__ import annotations

import csv
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import Any

from pdsched.textfile import named, parsed_json
from pdsched.workload.request import Request

MOONCAKE_BLOCK_TOKENS = 512
_AZURE = ("TIMESTAMP", "ContextTokens", "GeneratedTokens")
_PLAIN = ("arrival_ms", "prompt_tokens", "output_tokens")


class TraceError(ValueError):
    """A trace file that cannot be used; the message names file and line."""


def read_trace(path: str | Path) -> tuple[Request, ...]:
    """Read a trace of any known format.

    Raises:
        TraceError: unknown format, or a line that does not hold a request.
        FileNotFoundError: no such file.
    """
    path = Path(path)
    with _trace(path), path.open(encoding="utf-8-sig") as lines:
        first = lines.readline().strip()
    if first.startswith("{"):
        return read_mooncake_jsonl(path)
    columns = [name.strip() for name in first.split(",")]
    if set(_AZURE) <= set(columns):
        return read_azure_csv(path)
    if set(_PLAIN) <= set(columns):
        return read_csv(path)
    raise TraceError(
        f"{path}: unknown trace format; expected JSON lines with hash_ids, or a CSV with the "
        f"columns {', '.join(_AZURE)} or {', '.join(_PLAIN)}; got {first[:80]!r}"
    )


def read_azure_csv(path: str | Path) -> tuple[Request, ...]:
    """Azure LLM inference trace: ``TIMESTAMP,ContextTokens,GeneratedTokens``.

    Raises:
        TraceError: a line does not hold a request.
    """

    def request(number: int, row: dict[str, str]) -> Request:
        arrival_ms = _milliseconds(row["TIMESTAMP"])
        prompt, output = _count(row, "ContextTokens"), _count(row, "GeneratedTokens")
        return Request(f"azure-{number}", arrival_ms, prompt, output)

    return _from_rows(Path(path), _csv_rows(Path(path), _AZURE), request)


def read_csv(path: str | Path) -> tuple[Request, ...]:
    """A CSV with ``arrival_ms,prompt_tokens,output_tokens`` [``,request_id,cached_tokens``].

    Raises:
        TraceError: a column is missing or a line does not hold a request.
    """

    def request(number: int, row: dict[str, str]) -> Request:
        return Request(
            row.get("request_id") or f"row-{number}",
            _number(row, "arrival_ms"),
            _count(row, "prompt_tokens"),
            _count(row, "output_tokens"),
            _count(row, "cached_tokens") if row.get("cached_tokens") else 0,
        )

    return _from_rows(Path(path), _csv_rows(Path(path), _PLAIN), request)


def read_mooncake_jsonl(path: str | Path, *, cache_blocks: float = math.inf) -> tuple[Request, ...]:
    """Mooncake trace: ``timestamp`` (ms), ``input_length``, ``output_length``, ``hash_ids``.

    Prefix hits are the leading blocks seen before, in a cache of ``cache_blocks`` blocks of 512
    tokens that drops the least recently used one.

    Args:
        path: the JSONL file.
        cache_blocks: size of the prefix cache; 0 turns it off, infinity keeps everything.

    Raises:
        TraceError: a line does not hold a request.
        ValueError: ``cache_blocks`` is negative or NaN.
    """
    if not cache_blocks >= 0:
        raise ValueError(f"cache_blocks must be at least 0, got {cache_blocks!r}")
    cache: OrderedDict[int, None] = OrderedDict()

    def request(number: int, row: dict[str, Any]) -> Request:
        if not isinstance(row, dict):
            raise TypeError(f"must be a JSON object, got {str(row)[:60]}")
        if not isinstance(row["hash_ids"], list):
            raise TypeError(f"hash_ids must be a list, got {row['hash_ids']!r}")
        blocks = tuple(row["hash_ids"])
        hits = sum(1 for _ in takewhile(cache.__contains__, blocks))
        for block in blocks:
            cache[block] = None
            cache.move_to_end(block)
        while len(cache) > cache_blocks:
            cache.popitem(last=False)
        prompt = _count(row, "input_length")
        return Request(
            f"mooncake-{number}",
            _number(row, "timestamp"),
            prompt,
            _count(row, "output_length"),
            cached_tokens=max(0, min(hits * MOONCAKE_BLOCK_TOKENS, prompt - 1)),
            prefix_block_ids=blocks,
            prefix_block_tokens=MOONCAKE_BLOCK_TOKENS,
        )

    return _from_rows(Path(path), _json_rows(Path(path)), request)


def _csv_rows(path: Path, columns: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines, skipinitialspace=True)
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing:
            raise TraceError(f"{path}: missing column {', '.join(missing)}")
        for row in reader:
            yield reader.line_num, row


def _json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                try:
                    yield number, parsed_json(line)
                except ValueError as error:
                    raise TraceError(f"{path}, line {number}: not JSON ({error})") from None


def _from_rows(
    path: Path, rows: Iterable[tuple[int, Any]], make: Callable[[int, Any], Request]
) -> tuple[Request, ...]:
    requests = []
    with _trace(path):
        for number, (line, row) in enumerate(rows):
            try:
                requests.append(make(number, row))
            except KeyError as error:
                raise TraceError(f"{path}, line {line}: missing field {error}") from None
            except (TypeError, ValueError) as error:
                raise TraceError(f"{path}, line {line}: {error}") from None
    if not requests:
        raise TraceError(f"{path}: no requests")
    return rebased(requests)


@contextmanager
def _trace(path: Path) -> Iterator[None]:
    try:
        with named(path):
            yield
    except TraceError:
        raise
    except ValueError as error:
        raise TraceError(str(error)) from None


def _count(row: dict[str, Any], name: str) -> int:
    """A field as an integer, written as one in a CSV or given as one in JSON."""
    value = row[name]
    try:
        if isinstance(value, str):
            return int(value)
    except ValueError:
        pass
    if type(value) is not int:
        shown = value if value is None else str(value)[:60]
        raise ValueError(f"{name} must be an integer, got {shown!r}")
    return value


def _number(row: dict[str, Any], name: str) -> float:
    value = row[name]
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        shown = value if value is None else str(value)[:60]
        raise ValueError(f"{name} must be a finite number, got {shown!r}")
    return number


def rebased(requests: Iterable[Request]) -> tuple[Request, ...]:
    """The requests sorted by arrival, the first of them at 0 ms."""
    ordered = sorted(requests, key=lambda request: request.arrival_ms)
    start_ms = ordered[0].arrival_ms if ordered else 0.0
    return tuple(_at(request, request.arrival_ms - start_ms) for request in ordered)


def _at(request: Request, arrival_ms: float) -> Request:
    return Request(
        request.request_id,
        arrival_ms,
        request.prompt_tokens,
        request.output_tokens,
        request.cached_tokens,
        request.prefix_block_ids,
        request.prefix_block_tokens,
    )


def _milliseconds(stamp: str) -> float:
    """Milliseconds of an Azure timestamp, whose fraction has seven digits."""
    whole, _, fraction = stamp.strip().partition(".")
    moment = datetime.fromisoformat(whole)
    seconds = moment.toordinal() * 86_400 + moment.hour * 3_600 + moment.minute * 60
    return (seconds + moment.second) * 1_000 + float(f"0.{fraction or 0}") * 1_000
