"""Using things up: processes, disk, memory, output, time; all bounded, the rest is graded."""

from attack import FULL, HONEST, attack, beside


def inside(name, body, **options):
    """Hostile code in every call."""
    return attack(name, f"def double(items):\n{body}\n", **options)


#: Processes, memory, disk: held by different means on different rungs.
SPACE = [
    beside(
        "fork bomb",
        "import os\nfor _ in range(60):\n    try: os.fork()\n    except OSError: break",
        needs="landlock",
    ),
    inside(
        "fork bomb in a call",
        "    import os\n    for _ in range(6):\n        os.fork()",
    ),
    beside(
        "thread bomb",
        "import threading, time\nfor _ in range(500):\n"
        "    try: threading.Thread(target=time.sleep, args=(100,), daemon=True).start()\n"
        "    except (RuntimeError, MemoryError): break",
    ),
    beside("one enormous file", "open('big', 'wb').truncate(1 << 40)"),
    beside(
        "a full disk of one file",
        "with open('big', 'wb') as f:\n    for _ in range(64): f.write(b'x' * (1 << 20))",
    ),
    attack(
        "a full disk of small files, in a call",
        "def double(items):\n    for n in range(100_000):\n        open(f'f{n}', 'w').close()",
    ),
    beside(
        "folders nested without end",
        "import os\nfor _ in range(3000):\n    try:\n        os.mkdir('d'); os.chdir('d')\n"
        "    except OSError: break",
        or_nothing=True,
    ),
    beside("memory", "x = bytearray(1 << 36)"),
    beside(
        "memory in small pieces",
        "kept = []\nwhile True: kept.append(bytearray(1 << 20))",
    ),
    inside(
        "memory, swallowing MemoryError",
        "    kept = []\n    while True:\n        try: kept.append(bytearray(1 << 22))\n"
        "        except MemoryError: pass",
    ),
    beside(
        "shared memory",
        "from multiprocessing.shared_memory import SharedMemory\n"
        "SharedMemory(create=True, size=1 << 30)",
        needs="landlock",
    ),
    beside(
        "anonymous shared mappings",
        "import mmap\nkept = [mmap.mmap(-1, 1 << 27) for _ in range(64)]",
    ),
    beside("descriptors", "import os\nkept = [os.pipe() for _ in range(10_000)]"),
]

#: Time, output and results: held by the parent, whatever the rung.
TIME = [
    attack("endless printing", "while True: print('x' * 1000)\n", HONEST, earns={}),
    beside("twenty megabytes on one line", "print('x' * (20 << 20))"),
    inside("printing in every call", "    while True: print('x' * 100_000)"),
    inside("an endless loop", "    while True: pass"),
    inside(
        "a loop that catches everything",
        "    while True:\n        try:\n            while True: pass\n"
        "        except BaseException: pass",
    ),
    inside("a loop in C", "    return sum(range(10**15))"),
    inside("an endless regular expression", "    import re; re.match('(a*)*b', 'a' * 64)"),
    inside("an endless power", "    return len(str(7 ** 7 ** 9))"),
    inside("sleeping", "    import time; time.sleep(10**6)"),
    inside("waiting for input", "    return [int(input()) for _ in items]"),
    inside("deadlock", "    import threading; l = threading.Lock(); l.acquire(); l.acquire()"),
    inside(
        "recursion into the C stack",
        "    import sys; sys.setrecursionlimit(10**9)\n    f = lambda n: f(n + 1)\n    f(0)",
    ),
    inside("a cyclic result", "    a = []; a.append(a); return a"),
    inside(
        "a result nested ten thousand deep",
        "    a = []\n    for _ in range(10_000): a = [a]\n    return a",
    ),
    inside("a result of a million items", "    return list(range(1_000_000))"),
    inside("a hundred megabytes of text", "    return 'x' * (100 << 20)"),
    inside("an integer of a million digits", "    return [1 << 4_000_000] * 2"),
    attack(
        "an endless comparison",
        "class L(list):\n    def __iter__(self):\n        while True: yield 1\n"
        "def double(items): return L([2, 4])",
        earns={"visible": 1.0},  # it does hold [2, 4]
    ),
    attack("a cell that never ends", "while True: pass", HONEST),
    attack("a cell that ends the process", "import os; os._exit(0)", HONEST),
    attack("a segmentation fault", "import ctypes; ctypes.string_at(0)", HONEST),
    beside("source that the compiler cannot take", "(" * 5000 + ")" * 5000),
    beside("a line of a million minuses", "x = " + "-" * 100_000 + "1"),
    beside("exit()", "exit()"),
    beside("quit in a handler", "import sys\ntry: sys.exit(1)\nfinally: quit()"),
    attack(
        "slow, but below the limit of a call",
        "import time\n" + HONEST.replace("return", "time.sleep(0.05)\n    return"),
        earns=FULL,
    ),
]
