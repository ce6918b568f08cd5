"""What untrusted code may use, per call, per question and per submission."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, fields

from pdgrade.worker.config import Caps

_MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """Limits of one call, one question's worker, and one submission.

    Wall limits are the parent's clock, the others are the kernel's. `memory_mib` is address space
    on top of what the warm interpreter maps; `disk_mib` and `files` hold for the worker's private
    folder; `restarts` is how many fresh workers a question gets after calls that ended one;
    `output_mib` ends a worker that writes more, `output_kept_kib` of it are kept to show.

    Raises:
        ValueError: a limit is negative, or zero where zero means nothing can run.
    """

    call_wall_s: float = 3.0
    cell_wall_s: float = 10.0
    question_wall_s: float = 20.0
    submission_wall_s: float = 120.0
    cpu_s: int = 30
    memory_mib: int = 1024
    disk_mib: int = 16
    files: int = 256
    open_files: int = 64
    threads: int = 32
    processes: int = 0
    restarts: int = 2
    output_mib: int = 32
    output_kept_kib: int = 16
    message_kib: int = 2048

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            least = 0 if entry.name in ("processes", "restarts", "output_kept_kib") else 1e-3
            if value < least:
                raise ValueError(f"{entry.name} must be at least {least:g}, got {value!r}")

    @property
    def caps(self) -> Caps:
        """The part that the kernel enforces, in bytes."""
        return Caps(
            memory=self.memory_mib * _MIB,
            cpu_s=self.cpu_s,
            file_size=self.disk_mib * _MIB,
            disk=self.disk_mib * _MIB,
            files=self.files,
            open_files=self.open_files,
            threads=self.threads,
            processes=self.processes,
            message=self.message_kib * 1024,
        )


@dataclass
class SubmissionBudget:
    """What one submission has left, and what was learnt about it; shared by its questions.

    Attributes:
        wall_s: wall time in all.
        guilty_cells: labels of cells that ended a worker; later questions leave them out.
    """

    wall_s: float
    guilty_cells: dict[str, str] = field(default_factory=dict)
    _started: float = field(default_factory=time.monotonic)

    @property
    def left_s(self) -> float:
        """Wall time left; never negative."""
        return max(0.0, self._started + self.wall_s - time.monotonic())
