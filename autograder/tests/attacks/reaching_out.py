"""Reaching out: network, signals, other processes' limits, the terminal, the page."""

from attack import attack, beside

ATTACKS = [
    beside(
        "TCP to the machine",
        "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1).sendall(b'out')",
        needs="landlock",
    ),
    beside(
        "UDP to the machine",
        "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'out', "
        "('127.0.0.1', PORT))",
        needs="landlock",
    ),
    beside(
        "HTTP",
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:PORT/', timeout=1)",
        needs="landlock",
    ),
    beside(
        "abstract UNIX socket",
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('\\0pdgrade-attack-PID')\n"
        "s.sendall(b'out')",
        needs="landlock",
    ),
    beside(
        "datagram through a socket pair",
        "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "a.sendto(b'out', '\\0pdgrade-attack-PID')",
        needs="landlock",
    ),
    beside(
        "signals to the grader",
        "import os, signal\nfor send in (lambda: os.kill(PID, signal.SIGUSR1),\n"
        "             lambda: os.kill(os.getppid(), signal.SIGUSR1),\n"
        "             lambda: os.killpg(PID, signal.SIGUSR1)):\n    try: send()\n"
        "    except OSError: pass",
        needs="uid",
    ),
    beside(
        "signals through a descriptor's owner",
        "import fcntl, os, signal\nr, w = os.pipe()\nfcntl.fcntl(r, fcntl.F_SETOWN, PID)\n"
        "fcntl.fcntl(r, 10, signal.SIGUSR1)\n"
        "fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)\nos.write(w, b'x')",
        needs="uid",
    ),
    beside(
        "limits and priority of the grader",
        "import os, resource\nfor act in (lambda: resource.prlimit(PID, resource.RLIMIT_NOFILE, "
        "(3, 3)),\n            lambda: os.setpriority(os.PRIO_PROCESS, PID, 19)):\n"
        "    try: act()\n    except OSError: pass",
        needs="uid",
    ),
    beside(
        "raising its own limits",
        "import resource\nfor n in (resource.RLIMIT_AS, resource.RLIMIT_CPU):\n"
        "    resource.setrlimit(n, (-1, -1))",
    ),
    beside(
        "modes, times and sizes of other people's files",
        "import os\nfor p in ('COURSE', 'COURSE/gradebook.db', 'COURSE/source/step1.ipynb'):\n"
        "    for act in (lambda: os.chmod(p, 0o777), lambda: os.utime(p, (0, 0)),\n"
        "                lambda: os.truncate(p, 0), lambda: os.setxattr(p, 'user.x', b'1'),\n"
        "                lambda: os.chown(p, 0, 0), lambda: os.rename(p, p + 'x'),\n"
        "                lambda: os.open(p, os.O_RDWR | os.O_TRUNC), lambda: os.remove(p)):\n"
        "        try: act()\n        except OSError: pass",
        needs="uid",
    ),
    beside(
        "modes and leases of the standard library through a descriptor",
        "import fcntl, json, os\nfd = os.open(json.__file__, os.O_RDONLY)\n"
        "for act in (lambda: os.fchmod(fd, 0), lambda: os.utime(fd, (0, 0)),\n"
        "            lambda: os.fchown(fd, 0, 0), lambda: fcntl.fcntl(fd, 1024, fcntl.F_WRLCK)):\n"
        "    try: act()\n    except OSError: continue\n",
        needs="landlock",
    ),
    beside(
        "becoming somebody else",
        "import os\nfor act in (os.setuid, os.setgid):\n    try: act(0)\n    except OSError: pass\n"
        "os.setgroups([0])",
        needs="uid",
    ),
    beside(
        "new namespaces and mounts",
        "import ctypes\nlibc = ctypes.CDLL(None)\nassert libc.unshare(0x10000000) != 0\n"
        "assert libc.mount(b'none', b'/', b'tmpfs', 0, None) != 0\nlibc.chroot(b'.')",
    ),
    beside(
        "system calls of another architecture",
        "import ctypes, mmap\ncode = bytes([0xB8, 20, 0, 0, 0, 0xCD, 0x80, 0xC3])  # int 0x80\n"
        "m = mmap.mmap(-1, 4096, prot=7)\nm.write(code)\n"
        "address = ctypes.addressof(ctypes.c_char.from_buffer(m))\nprint(address)",
    ),
    beside(
        "x32 system calls",
        "import ctypes\nassert ctypes.CDLL(None).syscall(0x40000000 + 57) == -1",
        needs="landlock",
    ),
    attack(
        "markup and terminal codes in everything that is shown",
        "print('<script>alert(1)</script>\\x1b]0;pwned\\x07\\u202e')\n"
        "def double(items):\n"
        "    raise ValueError('<img src=x onerror=alert(1)>\\x1b[2J\\x00\\u202e')",
    ),
    attack(
        "markup as a result",
        "def double(items):\n    return '</td><script>alert(1)</script>\\x1b[31m\\u2066'",
    ),
    attack("lone surrogates", "print('\\ud800')\ndef double(items): return '\\ud800' * 3"),
]
