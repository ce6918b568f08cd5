"""Take away from a fresh fork everything that learner code has no use for, in the right order."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from dataclasses import dataclass
from functools import cache

from . import landlock, linux, namespaces, seccomp
from .config import Config


@dataclass(frozen=True)
class Seat:
    """Where one worker lives.

    Attributes:
        folder: its working folder; with namespaces `namespaces.WORK`.
        uid: the uid it runs as; 0 keeps the template's.
        address_space: bytes mapped by the template, on top of which the memory limit counts.
        tasks: tasks of its user that exist already, on top of which the thread limit counts.
    """

    folder: str
    uid: int
    address_space: int
    tasks: int


def confine(config: Config, seat: Seat) -> None:
    """Confine this process for good.

    Raises:
        OSError: a layer that the template promised cannot be applied.
    """
    os.setsid()
    os.umask(0o077)
    if config.namespaces:
        namespaces.private_work_folder(config, seat.uid)
    os.chdir(seat.folder)
    rules = _rules(config, seat.folder) if config.landlock else -1
    _limit_resources(config, seat)
    _become(seat.uid)
    if linux.available:
        linux.drop_capabilities()
        linux.prctl(linux.PR_SET_DUMPABLE, 0)
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    if rules >= 0:
        landlock.restrict_self(rules)
        os.close(rules)
    if config.seccomp:
        seccomp.restrict_self()


def prepare(config: Config) -> None:
    """Do once, before the first fork, what would cost every worker the same."""
    readable(config)
    if config.seccomp:
        seccomp.program(os.uname().machine, os.getpid())


def _rules(config: Config, folder: str) -> int:
    null = ("/dev/null", landlock.READ_FILE | landlock.WRITE)
    if config.namespaces:  # the tree holds nothing but what may be read
        return landlock.ruleset([("/", landlock.READ), null, (folder, landlock.WRITE)])
    grants = [(path, landlock.READ) for path in readable(config)]
    listed = [(path, landlock.READ_DIR) for path in config.search_path]
    devices = [(path, landlock.READ_FILE) for path in ("/dev/zero", "/dev/urandom")]
    return landlock.ruleset([*grants, *listed, *devices, null, (folder, landlock.WRITE)])


@cache
def readable(config: Config) -> tuple[str, ...]:
    """`read_paths` without `masked_paths`: a folder that holds a masked one is given in parts."""
    found: list[str] = []
    for path in config.read_paths:
        _without_masked(path, config.masked_paths, found)
    return tuple(found)


def _without_masked(path: str, masked: tuple[str, ...], found: list[str]) -> None:
    if path in masked:
        return
    if not any(hidden.startswith(path.rstrip("/") + "/") for hidden in masked):
        found.append(path)
        return
    with contextlib.suppress(OSError):
        for name in os.listdir(path):
            _without_masked(f"{path.rstrip('/')}/{name}", masked, found)


def _limit_resources(config: Config, seat: Seat) -> None:
    caps = config.caps
    limits = {
        "RLIMIT_AS": seat.address_space + caps.memory,
        "RLIMIT_CPU": caps.cpu_s,
        "RLIMIT_FSIZE": caps.file_size,
        "RLIMIT_NOFILE": caps.open_files,
        "RLIMIT_NPROC": seat.tasks + caps.threads + caps.processes,
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
    }
    for name, value in limits.items():
        number = getattr(resource, name, None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # macOS refuses some of these values; there they are the only layer, and best effort.
        try:
            resource.setrlimit(number, (most, most))
        except (ValueError, OSError):
            if linux.available:
                raise


def _become(uid: int) -> None:
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
