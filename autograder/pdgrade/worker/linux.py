"""The few Linux calls the sandbox needs and Python does not offer, through ctypes.

Constants are from the kernel's UAPI headers (`linux/sched.h`, `linux/mount.h`, `linux/prctl.h`,
`linux/capability.h`) and are the same on every architecture unless said otherwise.
"""

from __future__ import annotations

import ctypes
import os
import sys

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522

# System calls whose numbers are the same on x86_64 and aarch64 (all calls newer than 424 are).
SYS_LANDLOCK_CREATE_RULESET = 444
SYS_LANDLOCK_ADD_RULE = 445
SYS_LANDLOCK_RESTRICT_SELF = 446
SYS_MOUNT_SETATTR = 442
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

available = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True) if available else None
if _libc is not None:
    _libc.syscall.restype = ctypes.c_long


def call(name: str, *args: object) -> int:
    """Call a libc function that returns -1 on failure.

    Raises:
        OSError: it failed, or this is not Linux.
    """
    if _libc is None:
        raise OSError(0, f"{name} needs Linux")
    result = int(getattr(_libc, name)(*args))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def syscall(number: int, *args: object) -> int:
    """A system call by number.

    Raises:
        OSError: it failed.
    """
    longs = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    return call("syscall", ctypes.c_long(number), *longs)


def prctl(option: int, value: int) -> None:
    """``prctl(option, value)``.

    Raises:
        OSError: it failed.
    """
    zero = ctypes.c_ulong(0)
    call("prctl", ctypes.c_int(option), ctypes.c_ulong(value), zero, zero, zero)


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """``mount(2)``.

    Raises:
        OSError: it failed.
    """
    call(
        "mount",
        os.fsencode(source),
        os.fsencode(target),
        os.fsencode(kind),
        ctypes.c_ulong(flags),
        os.fsencode(options) if options else None,
    )


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilityData(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


def drop_capabilities() -> None:
    """Give up every capability; without NO_NEW_PRIVS an exec could still bring some back.

    Raises:
        OSError: the kernel refused.
    """
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    call("capset", ctypes.byref(header), ctypes.byref((_CapabilityData * 2)()))
