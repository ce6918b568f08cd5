"""Whose a temporary folder is, so that what a killed grader left can be removed."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from pathlib import Path
from typing import Final

_FILE: Final = "owner"
#: Of a folder that does not say whose it is, or says it from another container.
_ABANDONED_S: Final = 86_400.0


def sign(folder: Path) -> None:
    """Note in a folder that this process owns it; nothing where the system cannot tell."""
    line = _identity(os.getpid())
    if line:
        (folder / _FILE).write_text(line, encoding="ascii")
        (folder / _FILE).chmod(0o600)


def remove_abandoned(place: Path, prefix: str) -> None:
    """Remove our own folders whose owner is gone, or unknown and more than a day old."""
    for folder in place.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            facts = folder.lstat()
            age_s = time.time() - facts.st_mtime
            if facts.st_uid == os.getuid() and (_is_gone(folder) or age_s > _ABANDONED_S):
                shutil.rmtree(folder, ignore_errors=True)


def _is_gone(folder: Path) -> bool:
    try:
        signed = (folder / _FILE).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return False
    here = _identity(os.getpid()).split()
    if len(signed) != 4 or not here or signed[2:] != here[2:] or not signed[0].isdigit():
        return False
    return _identity(int(signed[0])).split() != signed


def _identity(pid: int) -> str:
    """Number and start of a process, with its pid namespace and boot; empty if there is none.

    A number is used again after a while, but not with the same start.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = Path("/proc/self/ns/pid").readlink()
    except OSError:
        return ""
    return f"{pid} {stat.rpartition(')')[2].split()[19]} {space} {boot}"
