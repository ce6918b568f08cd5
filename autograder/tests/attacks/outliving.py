"""Outliving the grading: threads, daemons, handlers, files that act later."""

from attack import HONEST, attack, beside

DAEMON = """
import os, time
def daemon():
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    while True:
        time.sleep(0.05)
        try: open('/tmp/pwned', 'w').write('x')
        except OSError: pass
"""

ATTACKS = [
    beside(
        "a thread that goes on",
        "import threading, time\ndef go():\n    while True: time.sleep(0.001)\n"
        "[threading.Thread(target=go, daemon=d).start() for d in (True, False)]",
    ),
    beside(
        "atexit and finalizers",
        "import atexit, weakref, os\n@atexit.register\ndef late():\n    open('/tmp/pwned', 'w')\n"
        "class D:\n    def __del__(self): open('/tmp/pwned', 'w')\nkept = D()",
        needs="landlock",
    ),
    beside("a daemon", DAEMON + "daemon()", needs="landlock"),
    attack(
        "a daemon from inside a call",
        DAEMON + HONEST.replace("return", "daemon(); return None;"),
        needs="landlock",
    ),
    beside(
        "a shell in the background",
        "import subprocess\n"
        "subprocess.Popen('nohup setsid sleep 1000 >/dev/null 2>&1 &', shell=True)",
    ),
    beside(
        "a pool of processes",
        "import multiprocessing as mp\np = [mp.Process(target=print) for _ in range(3)]\n"
        "[x.start() for x in p]",
    ),
    beside(
        "a process that ignores every signal",
        "import os, signal, time\nfor n in range(1, 65):\n"
        "    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nif os.fork() == 0:\n    os.setsid()\n"
        "    time.sleep(1000)",
    ),
    attack(
        "two processes on one channel",
        "import os\nos.fork()\ndef double(items):\n    return os.getpid()",
    ),
    attack(
        "another program on the channel",
        "import os, sys\nos.set_inheritable(3, True)\n"
        "os.execv('/bin/sh', ['sh', '-c', 'cat <&3 >&3'])\ndef double(items): return None",
    ),
    attack(
        "stopping itself",
        "import os, signal\ndef double(items):\n    os.kill(os.getpid(), signal.SIGSTOP)",
    ),
    attack(
        "an alarm that never lets go",
        "import signal\nsignal.signal(signal.SIGALRM, lambda *a: None)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\ndef double(items):\n"
        "    while True: pass",
    ),
    beside(
        "modules that shadow the standard library, for the next worker",
        "for n in ('sitecustomize', 'usercustomize', 'conftest', 'json', 'numpy', 'socket'):\n"
        "    open(n + '.py', 'w').write('open(\"/tmp/pwned\", \"w\"); raise SystemExit')",
    ),
    beside(
        "writing into the interpreter, the grader and the course",
        "import os, json, sys\nfor d in [os.path.dirname(json.__file__), 'PACKAGE', "
        "'PACKAGE/worker', 'COURSE', 'COURSE/source', *sys.path, '/tmp', '/etc', '/']:\n"
        "    try: open(d + '/pwned.py', 'w').write('x')\n    except OSError: pass",
        needs="landlock",
    ),
    beside(
        "writing into the home folder",
        "import os\nfor h in (os.path.expanduser('~'), '/root', '/home'):\n"
        "    try: open(h + '/pwned', 'w')\n    except OSError: pass",
        needs="landlock",
    ),
]
