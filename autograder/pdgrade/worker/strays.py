"""Clean up after workers where no pid namespace does it: processes and folders left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import stat

from . import linux
from .config import Caps

_MAX_ROUNDS = 200


def offer_to_oom_killer() -> None:
    """Should the machine run out of memory, workers go first, not the grader."""
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("900")


def mapped_bytes() -> int:
    """Address space this process uses now; a generous guess where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 1 << 30


def tasks_of_this_user() -> int:
    """Threads that this user runs on the machine now, as RLIMIT_NPROC counts them."""
    count = 0
    uid = os.getuid()
    for pid in _pids():
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}").st_uid == uid:
                count += len(os.listdir(f"/proc/{pid}/task"))
    return count


def _pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _parent_and_session(pid: int) -> tuple[int, int]:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return -1, -1
    return int(fields[1]), int(fields[3])


def _kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def kill_session(leader: int) -> None:
    """Kill the process group that a worker led."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def reap_others(workers: set[int]) -> None:
    """Collect dead processes that were handed to this one (it is their subreaper)."""
    while linux.available:
        try:
            # WNOWAIT first: a worker's own status is collected elsewhere.
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if found is None or found.si_pid in workers:
            return
        os.waitpid(found.si_pid, 0)


def kill_orphans(workers: set[int]) -> None:
    """Kill what was handed to this process and all below it, until nothing is left."""
    if not linux.available:
        return
    for _ in range(_MAX_ROUNDS):
        parents = {pid: _parent_and_session(pid)[0] for pid in _pids()}
        doomed = {p for p, parent in parents.items() if parent == os.getpid() and p not in workers}
        if not doomed:
            return
        grown = True
        while grown:
            below = {p for p, parent in parents.items() if parent in doomed} - doomed
            doomed |= below
            grown = bool(below)
        # Stopped first, so that none forks while the others are being killed.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in doomed:
                _kill(pid, number)
        for pid in doomed:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)


def kill_uid(uid: int) -> None:
    """Kill every process of a worker's uid; only a process of that uid can say "all of mine"."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def over_disk_limit(folder: str, caps: Caps) -> str:
    """``"disk"`` or ``"files"`` if a worker's folder holds more than it may, else empty."""
    count = size = 0
    folders = [folder]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:
            continue
        for entry in entries:
            count += 1
            with contextlib.suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                size += found.st_blocks * 512
                if stat.S_ISDIR(found.st_mode):
                    folders.append(entry.path)
            if count > caps.files:
                return "files"
    return "disk" if size > caps.disk else ""


def remove_folder(folder: str) -> None:
    """Remove a worker's folder, however deep it was nested or how its modes were set.

    Goes down and up by single names: a path through all levels would be too long for the kernel.
    """
    with contextlib.suppress(OSError):
        os.chdir(folder)
        _empty_this_folder()
    os.chdir("/")
    with contextlib.suppress(OSError):
        os.rmdir(folder)


def _empty_this_folder() -> None:
    """Empty the current folder, depth first.

    Raises:
        OSError: something cannot be removed.
    """
    above: list[str] = []
    while True:
        below = ""
        for entry in os.scandir("."):
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.name)
            elif not below:
                below = entry.name
        if below:
            os.chmod(below, 0o700)
            os.chdir(below)
            above.append(below)
        elif above:
            os.chdir("..")
            os.rmdir(above.pop())
        else:
            return
