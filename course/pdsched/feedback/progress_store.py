"""Progress over the five TODOs, kept in a small file so that a kernel restart loses nothing.

The file lies in ``$PDSCHED_HOME``, else in ModelScope's lasting work folder where there is one,
else in ``~/.pdsched``; never beside the notebooks, which are handed in. A file that cannot be read
or written is no reason to fail a check: progress then lasts as long as the kernel.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final, Literal

from pdsched.contracts import CONTRACTS

SCHEMA_VERSION: Final = 1
FILE_NAME: Final = "progress.json"
MODELSCOPE_FOLDER: Final = Path("/mnt/workspace")

State = Literal["untouched", "unwritten", "started", "passed"]


@dataclass(frozen=True)
class TodoProgress:
    """Where a learner stands with one TODO.

    Attributes:
        todo: 1 to 5.
        state: of the last check.
        checks_passed: rules kept in the last check.
        checks_total: rules checked.
        hints_seen: the highest hint level asked for, 0 to 3.
        gave_up: whether the worked solution was asked for before passing.
        checked_at: UTC time of the last check, ISO 8601; empty before the first.
    """

    todo: int
    state: State = "untouched"
    checks_passed: int = 0
    checks_total: int = 0
    hints_seen: int = 0
    gave_up: bool = False
    checked_at: str = ""


Progress = dict[int, TodoProgress]

#: What this process knows; also the store where no file can be written.
_known: Progress = {}


def path() -> Path:
    """Where progress is kept."""
    chosen = os.environ.get("PDSCHED_HOME")
    if chosen:
        return Path(chosen) / FILE_NAME
    home = MODELSCOPE_FOLDER if MODELSCOPE_FOLDER.is_dir() else Path.home()
    return home / ".pdsched" / FILE_NAME


def read() -> Progress:
    """Progress of all five TODOs; untouched where nothing (readable) is kept."""
    kept = _read_file()
    return {
        each.todo: kept.get(each.todo) or _known.get(each.todo) or TodoProgress(each.todo)
        for each in CONTRACTS
    }


def update(todo: int, **changes: Any) -> Progress:
    """Change one TODO's fields and keep the result.

    Raises:
        TypeError: a change names no field of `TodoProgress`.
    """
    progress = read()
    progress[todo] = replace(progress[todo], **changes)
    _known[todo] = progress[todo]
    _write_file(progress)
    return progress


def record_check(todo: int, state: State, checks_passed: int, checks_total: int) -> Progress:
    """Keep the outcome of a check made now."""
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return update(
        todo,
        state=state,
        checks_passed=checks_passed,
        checks_total=checks_total,
        checked_at=now,
    )


def _read_file() -> Progress:
    try:
        record = json.loads(path().read_text(encoding="utf-8"))
        if record["schema_version"] != SCHEMA_VERSION:
            return {}
        return {each.todo: each for each in map(_todo_progress, record["todos"])}
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):
        return {}  # absent, damaged, or no home folder: start afresh


def _todo_progress(record: Mapping[str, Any]) -> TodoProgress:
    kept = TodoProgress(**{each.name: record[each.name] for each in fields(TodoProgress)})
    for each in fields(TodoProgress):
        value = getattr(kept, each.name)
        if type(value) is not type(getattr(TodoProgress(0), each.name)):
            raise TypeError(f"{each.name}: {value!r}")
    return kept


def _write_file(progress: Progress) -> None:
    record = {
        "schema_version": SCHEMA_VERSION,
        "todos": [asdict(each) for each in progress.values()],
    }
    with contextlib.suppress(OSError, RuntimeError):
        target = path()
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".progress-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(record, file, ensure_ascii=False, indent=1)
        Path(name).replace(target)
