"""Numbers for tables, and files in JSON and CSV."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pdsched.messages import commands as _sentences  # noqa: F401 -- registers them
from pdsched.messages import text

if TYPE_CHECKING:
    from rich.console import Console


def number(value: float | None) -> str:
    """Three significant digits, or a dash where there is no value."""
    if value is None or math.isnan(value):
        return "–"
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def check_writable(*paths: Path | None) -> None:
    """Say before the work that a file cannot be written, not after it.

    Raises:
        OSError: naming the file.
    """
    for path in paths:
        if path is not None:
            new = not path.exists()
            path.open("ab").close()
            if new:
                path.unlink()


def write_json(path: Path, content: object, console: Console) -> None:
    """Write JSON; what JSON cannot say (infinity, NaN) becomes null."""
    path.write_text(json.dumps(_finite(content), indent=2, ensure_ascii=False), encoding="utf-8")
    console.print(text("commands.written", path=path))


def write_csv(path: Path, rows: Sequence[Mapping[str, object]], console: Console) -> None:
    """Write rows under the union of their columns, in order of appearance."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
    console.print(text("commands.written", path=path))


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
