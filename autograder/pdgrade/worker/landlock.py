"""Landlock: an unprivileged allow-list of what a process may do with files, sockets and signals.

Rights are named as in the kernel's `linux/landlock.h`. Nothing is granted for executing a file:
a worker never needs to. What the running kernel's ABI does not know is left to seccomp.
"""

from __future__ import annotations

import ctypes
import os
import stat

from . import linux

READ_FILE, READ_DIR = 1 << 2, 1 << 3
_WRITE_FILE, _REMOVE_DIR, _REMOVE_FILE = 1 << 1, 1 << 4, 1 << 5
_MAKE_DIR, _MAKE_REG = 1 << 7, 1 << 8
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
#: Rights that exist for a single file; the others only make sense for a directory.
_FILE_RIGHTS = 1 | _WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL_DEV
READ = READ_FILE | READ_DIR
WRITE = READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _TRUNCATE

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_ALL_TCP = 0b11  # bind, connect
_ALL_SCOPES = 0b11  # abstract UNIX sockets, signals


class _RulesetAttr(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # Python 3.14 wants the layout of packed structures to be named
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def abi() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    try:
        return linux.syscall(
            linux.SYS_LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), _CREATE_RULESET_VERSION
        )
    except OSError:
        return 0


def handled_rights(version: int) -> int:
    """Every file right that this ABI can take away."""
    bits = {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)
    return (1 << bits) - 1


def ruleset(grants: list[tuple[str, int]]) -> int:
    """A ruleset that allows only `grants` (path, rights); missing paths do no harm.

    Raises:
        OSError: no Landlock here, or a rule was refused.
    """
    version = abi()
    if version == 0:
        raise OSError(0, "the kernel has no Landlock")
    handled = handled_rights(version)
    attr = _RulesetAttr(
        handled, _ALL_TCP if version >= 4 else 0, _ALL_SCOPES if version >= 6 else 0
    )
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = linux.syscall(
        linux.SYS_LANDLOCK_CREATE_RULESET, ctypes.byref(attr), ctypes.c_size_t(size), 0
    )
    for path, rights in grants:
        _allow(rules, path, rights & handled)
    return rules


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _FILE_RIGHTS
        rule = _PathBeneathAttr(rights, place)
        linux.syscall(linux.SYS_LANDLOCK_ADD_RULE, rules, _RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    finally:
        os.close(place)


def restrict_self(rules: int) -> None:
    """Apply a ruleset to this process for good; NO_NEW_PRIVS must be set.

    Raises:
        OSError: the kernel refused.
    """
    linux.syscall(linux.SYS_LANDLOCK_RESTRICT_SELF, rules, 0)
