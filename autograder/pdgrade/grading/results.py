"""What comes back from a grading run, one submission at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pdgrade import records
from pdgrade.grading.process import Task
from pdgrade.records import SubmissionRecord


class BatchStopped(RuntimeError):  # noqa: N818  names the state: what is done is kept
    """The batch cannot go on (disk full, gradebook locked, no isolation); all done is kept."""


@dataclass(frozen=True)
class Result:
    """One submission done: its record, or why the grader itself failed on it."""

    task: Task
    record: SubmissionRecord | None
    failure: str = ""


def as_result(task: Task, answer: dict[str, Any]) -> Result:
    """A process's answer as a result.

    Raises:
        BatchStopped: the answer says that nothing more can be written.
    """
    if "stopped" in answer:
        raise BatchStopped(answer["stopped"])
    if "record" not in answer:
        return Result(task, None, str(answer.get("failed", "no answer")))
    try:
        return Result(task, records.from_json(answer["record"]))
    except ValueError as error:
        return Result(task, None, f"unreadable record: {error}")
