"""Namespaces: a worker sees a small read-only tree, no network, and no process but its own.

The template enters its own mount, pid, network, ipc and uts namespaces once and builds the tree;
every worker then gets a pid namespace and a private tmpfs of its own. As root this needs
CAP_SYS_ADMIN, otherwise a user namespace, which some containers refuse.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
from dataclasses import dataclass

from . import linux
from .config import Config

WORK = "/learner"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
#: ST_NOEXEC, ST_NOATIME, ST_NODIRATIME, ST_RELATIME of statvfs, with their mount flags: a user
#: namespace must keep them when it remounts.
_KEPT_FLAGS = ((8, linux.MS_NOEXEC), (1024, 1024), (2048, 2048), (4096, 1 << 21))


@dataclass(frozen=True)
class Inside:
    """Descriptors that stay useful once ``/proc`` is out of sight."""

    pid_namespace: int
    statm: int


def enter(config: Config) -> Inside:
    """Move this process's children into new namespaces with a tree of their own.

    Returns in the child that becomes process 1 of the new pid namespace; the calling process only
    waits for it and ends with it.

    Raises:
        OSError: some namespace is not to be had.
    """
    spaces = (
        linux.CLONE_NEWNS
        | linux.CLONE_NEWPID
        | linux.CLONE_NEWNET
        | linux.CLONE_NEWIPC
        | linux.CLONE_NEWUTS
    )
    try:
        linux.call("unshare", ctypes.c_int(spaces))
    except PermissionError:
        _unshare_with_user(spaces)
    first = os.fork()
    if first:
        _, status = os.waitpid(first, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    linux.prctl(linux.PR_SET_PDEATHSIG, 9)
    # The outer /proc still shows this process; mounting one of our own is refused in containers.
    flags = os.O_RDONLY | os.O_CLOEXEC
    inside = Inside(os.open("/proc/self/ns/pid", flags), os.open("/proc/self/statm", flags))
    _build_tree(config)
    return inside


def _unshare_with_user(spaces: int) -> None:
    """A user namespace in which this process's user is root, and the rest inside it."""
    uid, gid = os.getuid(), os.getgid()
    linux.call("unshare", ctypes.c_int(linux.CLONE_NEWUSER | spaces))
    for name, line in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(line)


def _build_tree(config: Config) -> None:
    """Make a tmpfs with only what workers read, read-only, and let it be the root."""
    linux.mount("none", "/", "", linux.MS_REC | linux.MS_PRIVATE)
    root = f"{config.base}/root"
    os.makedirs(root, exist_ok=True)
    linux.mount("pdgrade", root, "tmpfs", linux.MS_NOSUID | linux.MS_NODEV, "size=1m,mode=755")
    for path in (*config.read_paths, *_DEVICES):
        _show(root, path)
    for path in config.masked_paths:
        _mask(root + path)
    os.mkdir(root + WORK, 0o755)
    old = f"{root}/.old"
    os.mkdir(old)
    number = linux.SYS_PIVOT_ROOT[os.uname().machine]
    linux.syscall(number, ctypes.c_char_p(root.encode()), ctypes.c_char_p(old.encode()))
    os.chdir("/")
    linux.call("umount2", b"/.old", ctypes.c_int(linux.MNT_DETACH))
    os.rmdir("/.old")
    flags = linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY | linux.MS_NOSUID | linux.MS_NODEV
    linux.mount("none", "/", "", flags)


def _show(root: str, path: str) -> None:
    """Bind `path` read-only at the same place below `root`; links on the way are copied."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return
    target = root + path
    with contextlib.suppress(FileExistsError):
        os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.lexists(target):
        return  # already below something shown
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(path), target)
        return
    if stat.S_ISDIR(mode):
        os.mkdir(target, 0o755)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))
    linux.mount(path, target, "", linux.MS_BIND | linux.MS_REC)
    if not path.startswith("/dev/"):
        _make_read_only(target)


class _MountAttr(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns"))


def _make_read_only(target: str) -> None:
    """Make a mount and everything below it read-only (kernels before 5.12: only itself)."""
    attr = _MountAttr(_ATTR_RDONLY | _ATTR_NOSUID | _ATTR_NODEV, 0, 0, 0)
    place = ctypes.c_char_p(os.fsencode(target))
    size = ctypes.c_size_t(ctypes.sizeof(attr))
    try:
        linux.syscall(
            linux.SYS_MOUNT_SETATTR, _AT_FDCWD, place, _AT_RECURSIVE, ctypes.byref(attr), size
        )
    except OSError:
        found = os.statvfs(target).f_flag
        kept = sum(flag for held, flag in _KEPT_FLAGS if found & held)
        flags = linux.MS_REMOUNT | linux.MS_BIND | linux.MS_RDONLY
        linux.mount("none", target, "", flags | linux.MS_NOSUID | linux.MS_NODEV | kept)


def _mask(target: str) -> None:
    """Put something empty over a path that workers must not see."""
    if os.path.isdir(target):
        linux.mount("pdgrade", target, "tmpfs", linux.MS_RDONLY | linux.MS_NOSUID, "size=4k,mode=0")
    elif os.path.exists(target):
        linux.mount("/dev/null", target, "", linux.MS_BIND)


def new_pid_namespace() -> None:
    """The next process forked is process 1 of a new pid namespace.

    Raises:
        OSError: the kernel refused.
    """
    linux.call("unshare", ctypes.c_int(linux.CLONE_NEWPID))


def end_pid_namespace(own: int) -> None:
    """Further forks stay in this process's own pid namespace again.

    Raises:
        OSError: the kernel refused.
    """
    linux.call("setns", ctypes.c_int(own), ctypes.c_int(linux.CLONE_NEWPID))


def private_work_folder(config: Config, uid: int) -> None:
    """In a worker: a tmpfs of its own at `WORK`, bounded in bytes and files.

    Raises:
        OSError: the kernel refused.
    """
    linux.call("unshare", ctypes.c_int(linux.CLONE_NEWNS))
    linux.mount("none", "/", "", linux.MS_REC | linux.MS_PRIVATE)
    caps = config.caps
    options = f"size={caps.disk},nr_inodes={caps.files + 1},mode=700"
    if uid:
        options += f",uid={uid},gid={uid}"
    flags = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
    linux.mount("pdgrade", WORK, "tmpfs", flags, options)
