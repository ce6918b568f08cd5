"""What the trusted side tells the template once, at its start, and about each worker."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

CONFIG_NONCE = b"pdgrade-template"
MAX_CONFIG_BYTES = 1 << 20
#: Exit status of a worker: a promised layer could not be applied, nothing was run.
NOT_CONFINED = 97
#: Exit status of a worker: something happened to the channel, or to what serves it.
CHANNEL_LOST = 98


@dataclass(frozen=True)
class Caps:
    """Kernel limits of one worker; sizes in bytes."""

    memory: int
    cpu_s: int
    file_size: int
    disk: int
    files: int
    open_files: int
    threads: int
    processes: int
    message: int


@dataclass(frozen=True)
class Config:
    """How a template confines its workers.

    Attributes:
        namespaces: enter mount, pid, network, ipc and uts namespaces first.
        landlock: restrict files, TCP, signals by Landlock.
        seccomp: filter system calls.
        uid_base: workers run as unused uids from here on; 0 keeps the uid.
        base: a private folder of this template.
        read_paths: what a worker may read: the interpreter and its libraries.
        masked_paths: parts of `read_paths` that it must not see.
        search_path: `sys.path` of the workers.
        preload: modules imported before the first fork; a missing one is skipped.
        caps: limits of each worker.
    """

    namespaces: bool
    landlock: bool
    seccomp: bool
    uid_base: int
    base: str
    read_paths: tuple[str, ...]
    masked_paths: tuple[str, ...]
    search_path: tuple[str, ...]
    preload: tuple[str, ...]
    caps: Caps

    def to_json(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Config:
        """Rebuild from `to_json`."""
        lists = ("read_paths", "masked_paths", "search_path", "preload")
        fields: dict[str, Any] = {
            key: tuple(value) if key in lists else value for key, value in data.items()
        }
        return cls(**{**fields, "caps": Caps(**data["caps"])})
