"""Reading what is not theirs: tests, sources, gradebook, other people, environment, memory."""

from attack import HONEST, attack, beside

#: Everything found is printed, raised and written: wherever it lands, it must not be in the record.
TELL = """
def tell(*found):
    print(*found)
    open('found', 'a').write(repr(found))
    raise RuntimeError(repr(found))
"""


def reads(name, body, needs="uid", **options):
    return beside(name, TELL + body, needs=needs, **options)


ATTACKS = [
    reads("source notebook", "tell(open('COURSE/source/step1.ipynb').read())"),
    reads(
        "hidden tests", "import glob\ntell([open(p).read() for p in glob.glob('PACKAGE/hidden/*')])"
    ),
    reads("gradebook", "tell(open('COURSE/gradebook.db', 'rb').read())"),
    reads(
        "gradebook through sqlite",
        "import sqlite3\ndb = sqlite3.connect('COURSE/gradebook.db')\n"
        "db.execute('update grade set score = 198')\ndb.commit()\n"
        "tell(db.execute('select * from grade').fetchall())",
    ),
    reads("somebody else's work", "tell(open('COURSE/submitted/alice/step1.ipynb').read())"),
    reads(
        "searching the whole disk",
        "import os\nfor root, _, names in os.walk('COURSE'):\n    for name in names:\n"
        "        try: tell(open(os.path.join(root, name)).read())\n        except OSError: pass",
    ),
    reads("environment", "import os\ntell(dict(os.environ))", needs=""),
    reads("environment of this process in /proc", "tell(open('/proc/self/environ').read())"),
    reads("environment of the grader", "tell(open('/proc/PID/environ').read())"),
    reads("command line of the grader", "tell(open('/proc/PID/cmdline').read())", needs="landlock"),
    reads(
        "memory of the grader",
        "import re\nfor line in open('/proc/PID/maps'):\n    a, b = line.split()[0].split('-')\n"
        "    f = open('/proc/PID/mem', 'rb')\n    f.seek(int(a, 16))\n    tell(f.read(4096))",
    ),
    reads(
        "ptrace and process_vm_readv",
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "buffer = ctypes.create_string_buffer(8)\n"
        "here = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 8)\n"
        "there = (ctypes.c_size_t * 2)(0x400000, 8)\n"
        "for call in (lambda: libc.ptrace(16, PID, 0, 0),\n"
        "             lambda: libc.process_vm_readv(PID, here, 1, there, 1, 0)):\n"
        "    if call() != -1 or ctypes.get_errno() not in (1, 3, 38): tell('CAN' 'ARY')",
    ),
    reads(
        "importing the grader",
        "import sys\nsys.path.insert(0, 'PACKAGE/..')\nimport pdgrade.hidden.todo1 as m\n"
        "tell(open(m.__file__).read())",
    ),
    reads(
        "the grader's files through installed packages",
        "import os, site, sys\nfor p in sys.path:\n    for n in ('pdgrade', 'pdgrade/hidden'):\n"
        "        try: found = os.listdir(os.path.join(p, n))\n        except OSError: continue\n"
        "        for f in found:\n            try: tell(open(os.path.join(p, n, f)).read())\n"
        "            except OSError: pass",
    ),
    reads(
        "frames, garbage collector, inspect",
        "import gc, inspect, sys\nfound = []\nframe = sys._getframe()\nwhile frame:\n"
        "    found.append(repr(frame.f_locals)[:2000])\n    frame = frame.f_back\n"
        "found += [o for o in gc.get_objects() if isinstance(o, str) and 'hidden' in o][:50]\n"
        "found += [repr(o)[:500] for o in gc.get_objects() if type(o) is dict and 'tests' in o]\n"
        "tell(found)",
        needs="",
    ),
    reads(
        "inherited descriptors",
        "import os\nfound = []\nfor n in range(4, 256):\n    try: found.append(os.read(n, 100))\n"
        "    except OSError: pass\nassert found == [] or tell('CAN' 'ARY', found)",
        needs="",
    ),
    reads(
        "links to what is protected",
        "import os\nfor make in (os.symlink, os.link):\n"
        "    try: make('COURSE/gradebook.db', 'mine' + make.__name__)\n"
        "    except OSError: continue\n"
        "    tell(open('mine' + make.__name__, 'rb').read())",
    ),
    reads(
        "descriptors of other processes",
        "import os\nfor n in os.listdir('/proc/PID/fd'):\n"
        "    tell(open('/proc/PID/fd/' + n, 'rb').read(100))",
    ),
    reads(
        "devices",
        "import os\nfor d in ('/dev/mem', '/dev/kmem', '/dev/port', '/dev/kmsg'):\n"
        "    try: tell('CAN' 'ARY', open(d, 'rb').read(10))\n    except OSError: pass",
    ),
    reads("shadow passwords", "tell('CAN' 'ARY', open('/etc/shadow').read())"),
    # Hidden inputs are handed to the function; it must not be able to carry them out.
    attack("printing the hidden inputs", HONEST.replace("return", "print(items); return []; ")),
    attack(
        "hidden inputs on standard error, unbuffered",
        "import os\n" + HONEST.replace("return", "os.write(2, repr(items).encode()); return []; "),
    ),
    attack(
        "hidden inputs in the exception",
        "def double(items):\n    raise NotImplementedError(repr(items))",
    ),
    attack(
        "hidden inputs in the name of an exception",
        "def double(items):\n    raise type(str(items), (Exception,), {})(items)",
    ),
    attack(
        "hidden inputs in the name of a type",
        "def double(items):\n    return type('T' + str(items), (), {})()",
    ),
    attack(
        "hidden inputs as an exit status",
        "import os\ndef double(items):\n"
        "    os._exit(150 if items and abs(items[0]) > 900_000_000 else 0)",
    ),
    attack(
        "hidden inputs remembered into later results",
        "seen = []\ndef double(items):\n    seen.append(items)\n    return list(seen)",
    ),
    attack(
        "hidden inputs in a file for the next worker",
        "import os, tempfile\nprint([open(p).read() for p in os.listdir('.')])\n"
        "def double(items):\n    for d in ('.', tempfile.gettempdir(), '/tmp', '/dev/shm'):\n"
        "        try: open(d + '/pwned', 'a').write(repr(items))\n        except OSError: pass\n"
        "    os._exit(0)",
        needs="landlock",
    ),
]
