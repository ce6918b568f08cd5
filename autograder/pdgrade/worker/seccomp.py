"""A seccomp filter for workers: an allow-list of system calls, everything else fails with EPERM.

Kept are memory, files, time, threads and what Python needs to run. Not kept are new processes,
executing a file, sockets to anywhere, signals to anybody else, modes, times and leases of files
(which Landlock does not watch), namespaces, mounts, tracing, shared memory, keys, io_uring. Numbers
are from the kernel's tables for each architecture.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from functools import cache

from . import linux

_X86_64 = (
    "read 0 write 1 open 2 close 3 stat 4 fstat 5 lstat 6 poll 7 lseek 8 mmap 9 mprotect 10 "
    "munmap 11 brk 12 rt_sigaction 13 rt_sigprocmask 14 rt_sigreturn 15 pread64 17 pwrite64 18 "
    "readv 19 writev 20 access 21 pipe 22 select 23 sched_yield 24 mremap 25 msync 26 mincore 27 "
    "madvise 28 dup 32 dup2 33 pause 34 nanosleep 35 getitimer 36 alarm 37 setitimer 38 getpid 39 "
    "sendfile 40 sendto 44 recvfrom 45 sendmsg 46 recvmsg 47 shutdown 48 getsockname 51 "
    "getpeername 52 setsockopt 54 getsockopt 55 exit 60 wait4 61 uname 63 fsync 74 "
    "fdatasync 75 ftruncate 77 getdents 78 getcwd 79 chdir 80 fchdir 81 rename 82 "
    "mkdir 83 rmdir 84 creat 85 unlink 87 readlink 89 umask 95 "
    "gettimeofday 96 getrlimit 97 getrusage 98 sysinfo 99 times 100 getuid 102 getgid 104 "
    "geteuid 107 getegid 108 getppid 110 getpgrp 111 getgroups 115 getresuid 118 getresgid 120 "
    "getpgid 121 getsid 124 rt_sigpending 127 rt_sigtimedwait 128 rt_sigsuspend 130 "
    "sigaltstack 131 statfs 137 fstatfs 138 sched_getparam 143 sched_getscheduler 145 "
    "sched_get_priority_max 146 sched_get_priority_min 147 arch_prctl 158 gettid 186 time 201 "
    "futex 202 sched_getaffinity 204 getdents64 217 set_tid_address 218 restart_syscall 219 "
    "fadvise64 221 clock_gettime 228 clock_getres 229 clock_nanosleep 230 exit_group 231 "
    "epoll_wait 232 epoll_ctl 233 openat 257 mkdirat 258 newfstatat 262 unlinkat 263 "
    "renameat 264 readlinkat 267 faccessat 269 pselect6 270 ppoll 271 "
    "set_robust_list 273 get_robust_list 274 epoll_pwait 281 timerfd_create 283 "
    "fallocate 285 timerfd_settime 286 timerfd_gettime 287 eventfd2 290 epoll_create1 291 "
    "dup3 292 pipe2 293 preadv 295 pwritev 296 getcpu 309 renameat2 316 getrandom 318 "
    "membarrier 324 copy_file_range 326 preadv2 327 pwritev2 328 statx 332 rseq 334 "
    "close_range 436 faccessat2 439 epoll_pwait2 441"
)
_AARCH64 = (
    "getcwd 17 eventfd2 19 epoll_create1 20 epoll_ctl 21 epoll_pwait 22 dup 23 dup3 24 "
    "mkdirat 34 unlinkat 35 renameat 38 statfs 43 fstatfs 44 ftruncate 46 "
    "fallocate 47 faccessat 48 chdir 49 fchdir 50 openat 56 close 57 "
    "pipe2 59 getdents64 61 lseek 62 read 63 write 64 readv 65 writev 66 pread64 67 pwrite64 68 "
    "preadv 69 pwritev 70 sendfile 71 pselect6 72 ppoll 73 readlinkat 78 newfstatat 79 fstat 80 "
    "fsync 82 fdatasync 83 timerfd_create 85 timerfd_settime 86 timerfd_gettime 87 "
    "exit 93 exit_group 94 set_tid_address 96 futex 98 set_robust_list 99 get_robust_list 100 "
    "nanosleep 101 getitimer 102 setitimer 103 clock_gettime 113 clock_getres 114 "
    "clock_nanosleep 115 sched_getscheduler 120 sched_getparam 121 sched_getaffinity 123 "
    "sched_yield 124 sched_get_priority_max 125 sched_get_priority_min 126 restart_syscall 128 "
    "sigaltstack 132 rt_sigsuspend 133 rt_sigaction 134 rt_sigprocmask 135 rt_sigpending 136 "
    "rt_sigtimedwait 137 rt_sigreturn 139 getresuid 148 getresgid 150 times 153 getpgid 155 "
    "getsid 156 getgroups 158 uname 160 getrlimit 163 getrusage 165 umask 166 getcpu 168 "
    "gettimeofday 169 getpid 172 getppid 173 getuid 174 geteuid 175 getgid 176 getegid 177 "
    "gettid 178 sysinfo 179 getsockname 204 getpeername 205 sendto 206 recvfrom 207 "
    "setsockopt 208 getsockopt 209 shutdown 210 sendmsg 211 recvmsg 212 brk 214 munmap 215 "
    "mremap 216 mmap 222 fadvise64 223 mprotect 226 msync 227 mincore 232 madvise 233 wait4 260 "
    "renameat2 276 getrandom 278 membarrier 283 copy_file_range 285 preadv2 286 pwritev2 287 "
    "statx 291 rseq 293 close_range 436 faccessat2 439 epoll_pwait2 441"
)
#: Architecture: its AUDIT_ARCH value, what is allowed whatever the arguments, what depends on them.
_TABLES = {
    "x86_64": (
        0xC000003E,
        _X86_64,
        {"clone": 56, "kill": 62, "tgkill": 234, "prctl": 157, "prlimit64": 302,
         "ioctl": 16, "fcntl": 72, "socketpair": 53},
    ),
    "aarch64": (
        0xC00000B7,
        _AARCH64,
        {"clone": 220, "kill": 129, "tgkill": 131, "prctl": 167, "prlimit64": 261,
         "ioctl": 29, "fcntl": 25, "socketpair": 199},
    ),
}  # fmt: skip
#: glibc falls back to an older call when these are unknown.
_UNKNOWN_CALLS = (435, 437)  # clone3 (flags are out of the filter's sight), openat2

_CLONE_THREAD = 0x00010000
_CLONE_NEW_ANYTHING = 0x7E020080
_PRCTLS = (15, 16, 0x53564D41)  # PR_SET_NAME, PR_GET_NAME, PR_SET_VMA
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS TIOCGWINSZ FIONREAD FIO*
# F_DUPFD to F_SETLKW, the same for open file descriptions, F_DUPFD_CLOEXEC, F_GETPIPE_SZ; not
# F_SETOWN and F_SETSIG (signals by proxy), nor F_SETLEASE (holds up other openers).
#: No locks: one on a library's file would be seen by another worker, and could carry a hidden input
#: into the one that computes what is shown.
_FCNTLS = (0, 1, 2, 3, 4, 1030, 1032)
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE_MASK = 1, 1, 0xFF

_LOAD, _JUMP_EQUAL, _JUMP_ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x45, 0x54, 0x06
_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_REFUSE = 0x00050000 | errno.EPERM
_UNKNOWN = 0x00050000 | errno.ENOSYS
_NUMBER_AT, _ARCH_AT, _ARGS_AT = 0, 4, 16  # offsets in struct seccomp_data (little endian)

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_SOME_PID = 0x5EED1D1D  # larger than any pid, and than every other number in the filter


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def available() -> bool:
    """Whether this architecture has a table here and the kernel takes filters."""
    return linux.available and os.uname().machine in _TABLES


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _argument(index: int) -> bytes:
    """Load the low half of an argument: all that the checked ones use."""
    return _op(_LOAD, _ARGS_AT + 8 * index)


def _any_of(values: tuple[int, ...], then: int, otherwise: int) -> list[bytes]:
    """Return `then` if the loaded value is one of `values`, else `otherwise`."""
    tests = [_op(_JUMP_EQUAL, value, 0, 1) + _op(_RETURN, then) for value in values]
    return [*tests, _op(_RETURN, otherwise)]


def _argument_rules(pid: int) -> dict[str, list[bytes]]:
    """For each call that depends on its arguments, the rest of the program."""
    own = [_argument(0), *_any_of((pid,), _ALLOW, _REFUSE)]
    threads_only = [
        _argument(0),
        _op(_JUMP_ANY_BIT, _CLONE_NEW_ANYTHING, 0, 1) + _op(_RETURN, _REFUSE),
        _op(_JUMP_ANY_BIT, _CLONE_THREAD, 0, 1) + _op(_RETURN, _ALLOW),
        _op(_RETURN, _REFUSE),
    ]
    stream_pair = [
        _argument(0),
        _op(_JUMP_EQUAL, _AF_UNIX, 1, 0) + _op(_RETURN, _REFUSE),
        _argument(1),
        _op(_AND, _SOCK_TYPE_MASK),
        *_any_of((_SOCK_STREAM,), _ALLOW, _REFUSE),
    ]
    return {
        "clone": threads_only,
        "kill": own,
        "tgkill": own,
        "prlimit64": [_argument(0), *_any_of((0, pid), _ALLOW, _REFUSE)],
        "prctl": [_argument(0), *_any_of(_PRCTLS, _ALLOW, _REFUSE)],
        "ioctl": [_argument(1), *_any_of(_IOCTLS, _ALLOW, _REFUSE)],
        "fcntl": [_argument(1), *_any_of(_FCNTLS, _ALLOW, _REFUSE)],
        "socketpair": stream_pair,
    }


def program(machine: str, pid: int) -> bytes:
    """The filter for a process with this pid (as it sees itself), as BPF instructions.

    Raises:
        KeyError: no table for this architecture.
    """
    return _program(machine).replace(struct.pack("<I", _SOME_PID), struct.pack("<I", pid))


@cache
def _program(machine: str) -> bytes:
    """The filter for `_SOME_PID`; a template makes it once for all its workers."""
    arch, table, by_argument = _TABLES[machine]
    words = table.split()
    parts = [
        _op(_LOAD, _ARCH_AT),
        _op(_JUMP_EQUAL, arch, 1, 0) + _op(_RETURN, _KILL_PROCESS),
        _op(_LOAD, _NUMBER_AT),
    ]
    for name, rule in _argument_rules(_SOME_PID).items():
        body = b"".join(rule)
        parts.append(_op(_JUMP_EQUAL, by_argument[name], 0, len(body) // 8) + body)
    for number in _UNKNOWN_CALLS:
        parts.append(_op(_JUMP_EQUAL, number, 0, 1) + _op(_RETURN, _UNKNOWN))
    parts += _any_of(tuple(int(word) for word in words[1::2]), _ALLOW, _REFUSE)
    return b"".join(parts)


def restrict_self() -> None:
    """Apply the filter to this process for good; NO_NEW_PRIVS must be set.

    Raises:
        OSError: no table for this architecture, or the kernel refused.
    """
    machine = os.uname().machine
    if machine not in _TABLES:
        raise OSError(0, f"no table of system calls for {machine}")
    code = program(machine, os.getpid())
    buffer = ctypes.create_string_buffer(code, len(code))
    header = _Program(len(code) // 8, ctypes.addressof(buffer))
    linux.call(
        "prctl", ctypes.c_int(_PR_SET_SECCOMP), ctypes.c_ulong(_MODE_FILTER), ctypes.byref(header)
    )
