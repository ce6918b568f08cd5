"""The leaderboard: everybody's policy and the baselines in one order, as JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from pdgrade.challenge.scoring import Result
from pdgrade.grading.store import write_atomically
from pdgrade.report.class_report import cell_text
from pdsched.experiment import Experiment
from pdsched.labs.challenge import WORKLOADS

SCHEMA_VERSION: Final = 1
KINDS: Final = (".json", ".csv")
COLUMNS: Final = ("rank", "name", "kind", "score", *(w[0] for w in WORKLOADS), "status", "note")


class BoardError(ValueError):
    """The leaderboard cannot be written there."""


def rows_of(results: Sequence[Result]) -> list[dict[str, Any]]:
    """One row per policy, best first; equal scores share a rank, who has no score has none."""
    ranked = sorted(results, key=lambda r: (-r.score, r.status != "baseline", r.name))
    better = [r.score for r in ranked]
    return [
        {
            "rank": better.index(r.score) + 1 if r.standings else None,
            "name": r.name,
            "kind": "baseline" if r.status == "baseline" else "learner",
            "score": round(r.score, 4),
            **{w[0]: _rounded(r.ratio(w[0])) for w in WORKLOADS},
            "status": r.status,
            "note": r.note.text() if r.note else "",
        }
        for r in ranked
    ]


def check_target(path: Path) -> None:
    """Before any work begins: whether a leaderboard may be written there.

    Raises:
        BoardError: another kind of file, a folder, or a file that is no leaderboard.
    """
    if path.suffix not in KINDS:
        raise BoardError(f"--leaderboard must end in {' or '.join(KINDS)}, got {str(path)!r}")
    if not path.parent.is_dir():
        raise BoardError(f"no such folder: {path.parent}")
    if path.exists() and not _is_board(path):
        raise BoardError(f"{path} is not a leaderboard; move it away or choose another file")


def write(path: Path, rows: Sequence[dict[str, Any]], seeds: Sequence[int], isolation: str) -> None:
    """Write the file whole, readable by its owner only: it holds names beside scores.

    Raises:
        OSError: the disk is full or the folder cannot be written.
    """
    text = _csv(rows) if path.suffix == ".csv" else _json(rows, seeds, isolation)
    write_atomically(path, text, 0o600)


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS)
    writer.writeheader()
    writer.writerows({key: cell_text(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def _json(rows: Sequence[dict[str, Any]], seeds: Sequence[int], isolation: str) -> str:
    cost = Experiment().cost()
    body = {
        "schema_version": SCHEMA_VERSION,
        "evidence_level": "simulated",
        "cost_model": f"{cost.name} ({cost.error})",
        "made_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "seeds": list(seeds),
        "isolation": isolation,
        "leaderboard": list(rows),
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"


def _is_board(path: Path) -> bool:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".csv":
            return text.splitlines()[0] == ",".join(COLUMNS)
        return "leaderboard" in json.loads(text)
    except (OSError, ValueError, IndexError, TypeError):
        return False


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
