"""The isolation ladder: which layers this machine offers, and what a worker may read.

Rungs, strongest first: ``namespaces`` (own mount, pid, network, ipc and uts namespaces),
``landlock`` (Landlock and seccomp), ``uid`` (an unused uid per worker; needs root), ``rlimits``
(limits, own session, clean environment and descriptors; always). A rung is used together with
every weaker one that is there too.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from pdgrade.worker import landlock, seccomp

Rung = Literal["namespaces", "landlock", "uid", "rlimits"]
RUNGS: Final[tuple[Rung, ...]] = ("namespaces", "landlock", "uid", "rlimits")

_LIBRARIES = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
)


class IsolationError(RuntimeError):
    """The isolation that was asked for is not to be had here; nothing was run."""


@dataclass(frozen=True)
class Isolation:
    """The layers in force.

    Attributes:
        namespaces: own mount, pid, network, ipc and uts namespaces.
        landlock: files, TCP, abstract sockets and signals by allow-list.
        seccomp: system calls by allow-list.
        uid: an unused uid per worker.
    """

    namespaces: bool = False
    landlock: bool = False
    seccomp: bool = False
    uid: bool = False

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the layers, strongest first; ``rlimits`` is always one."""
        names = ("namespaces", "landlock", "seccomp", "uid")
        return (*(name for name in names if getattr(self, name)), "rlimits")

    @property
    def rung(self) -> Rung:
        """The strongest rung that is complete."""
        if self.namespaces:
            return "namespaces"
        if self.landlock and self.seccomp:
            return "landlock"
        return "uid" if self.uid else "rlimits"

    def __str__(self) -> str:
        return "+".join(self.layers)

    @classmethod
    def read(cls, text: str) -> Isolation:
        """The isolation that `str` wrote; unknown layers are ignored."""
        return cls(**{f.name: f.name in text.split("+") for f in fields(cls)})

    def satisfies(self, required: Rung) -> bool:
        """Whether this is the required rung or a stronger one."""
        return RUNGS.index(self.rung) <= RUNGS.index(required)

    @property
    def open_to_learners(self) -> tuple[str, ...]:
        """What learner code could still do: keys of the messages ``grader.open.*``."""
        gaps = []
        if not (self.namespaces or self.landlock or self.uid):
            gaps.append("files")
        if not (self.namespaces or self.seccomp):
            gaps += ["network"]
        if not (self.namespaces or self.seccomp or self.uid):
            gaps += ["signals", "processes"]
        if sys.platform != "linux":
            gaps.append("memory")
        return tuple(gaps)


def candidates(strongest: Rung) -> Iterator[Isolation]:
    """Combinations to try on this machine, best first, none above `strongest`."""
    linux = sys.platform == "linux"
    root = linux and os.geteuid() == 0
    allowed = RUNGS[RUNGS.index(strongest) :]
    spaces = (True, False) if linux and "namespaces" in allowed else (False,)
    filters = _filters() if linux and "landlock" in allowed else ((False, False),)
    uids = (True, False) if root and "uid" in allowed else (False,)
    for namespaces in spaces:
        for uid in uids:
            if uid and not namespaces and not _others_can_read_python():
                continue
            for with_landlock, with_seccomp in filters:
                yield Isolation(namespaces, with_landlock, with_seccomp, uid)


def why_not(rung: Rung) -> str:
    """Why `candidates` has nothing for a rung; empty if it has something to try."""
    if any(isolation.rung == rung for isolation in candidates(rung)):
        return ""
    if sys.platform != "linux":
        return f"needs Linux, this is {sys.platform}"
    if rung == "uid":
        private = "others cannot reach this Python's folders, so only with namespaces"
        return private if os.geteuid() == 0 else "needs root"
    return "the kernel does not offer it"


def _filters() -> tuple[tuple[bool, bool], ...]:
    both = (landlock.abi() > 0, seccomp.available())
    tried = (both, (both[0], False), (False, both[1]), (False, False))
    return tuple(dict.fromkeys(tried))


def _others_can_read_python() -> bool:
    """Whether a user who is not the owner reaches the interpreter and its libraries."""
    return all(
        path.exists() and all(parent.stat().st_mode & 0o001 for parent in (path, *path.parents))
        for path in (Path(sysconfig.get_path("stdlib")), *_site_folders(), *_course())
    )


def search_path() -> tuple[str, ...]:
    """`sys.path` for workers: the standard library, installed packages, and the course."""
    stdlib = sysconfig.get_path("stdlib")
    dynamic = sysconfig.get_config_var("DESTSHARED") or f"{stdlib}/lib-dynload"
    course = [path.parent for path in _course() if path.parent not in _site_folders()]
    return tuple(map(str, (stdlib, dynamic, *_site_folders(), *course)))


def read_paths() -> tuple[str, ...]:
    """What a worker needs to read, and the files those links lead to; outermost first."""
    base = Path(sys.base_prefix)
    wanted = [*map(Path, _LIBRARIES), *_site_folders(), *_course()]
    wanted += [Path(sysconfig.get_path("stdlib")), base / "lib", base / "lib64"]
    found = {str(path): None for path in wanted if path.exists()}
    found |= {str(path.resolve()): None for path in wanted if path.exists()}
    return tuple(sorted(found, key=len))


def masked_paths(protected: Iterable[Path]) -> tuple[str, ...]:
    """Of the paths to protect (this package always), those that lie inside `read_paths`."""
    own = Path(__file__).resolve().parent
    hidden = {str(path.resolve()) for path in (own, *protected)}
    shown = read_paths()
    inside = {h for h in hidden if any(h.startswith(path.rstrip("/") + "/") for path in shown)}
    return tuple(sorted(inside))


def _site_folders() -> tuple[Path, ...]:
    """The folders installed packages are imported from."""
    names = ("site-packages", "dist-packages")
    folders = [Path(path) for path in sys.path if Path(path).name in names]
    return tuple(folder for folder in dict.fromkeys(folders) if folder.is_dir())


def _course() -> tuple[Path, ...]:
    """The folder of `pdsched`, which learners import too; it holds nothing secret."""
    spec = find_spec("pdsched")
    return tuple(map(Path, spec.submodule_search_locations or ())) if spec else ()
