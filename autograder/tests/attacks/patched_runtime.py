"""Patching whatever might decide the marks: builtins, modules, hooks, the result channel."""

from attack import FULL, HONEST, attack, beside

IDLE = "\ndef double(items):\n    return None\n"

FIND_CHANNEL = """
import gc, json, struct, sys, socket
serve = sys.modules["pdgrade_worker.serve"]
frames = sys.modules["pdgrade_worker.frames"]
channel = next(o for o in gc.get_objects() if type(o) is serve._Channel)
nonce, sock = channel._nonce, channel._socket
def raw(data):
    sock.sendall(data)
def frame(text):
    raw(nonce + struct.pack(">I", len(text)) + text.encode())
"""

ATTACKS = [
    attack(
        "builtins that always agree",
        "import builtins\nbuiltins.all = builtins.any = lambda *a, **k: True\n"
        "builtins.isinstance = builtins.issubclass = lambda *a: True\n"
        "builtins.AssertionError = type('Never', (Exception,), {})" + IDLE,
    ),
    attack(
        "a fake grader in sys.modules",
        "import sys, types\nfake = types.ModuleType('pdgrade.hidden')\n"
        "fake.run_hidden = lambda *a, **k: None\n"
        "sys.modules['pdgrade'] = sys.modules['pdgrade.hidden'] = fake\n"
        "feedback = types.ModuleType('pdsched.feedback')\n"
        "feedback.expect = lambda *a, **k: fake\nsys.modules['pdsched.feedback'] = feedback" + IDLE,
    ),
    attack(
        "IPython hooks",
        "ip = get_ipython()\nip.events.register('pre_run_cell', print)\n"
        "ip.ast_transformers.append(object())\nip.input_transformers_post.append(lambda l: [])\n"
        "ip.kernel.do_execute = lambda *a, **k: {'status': 'ok'}" + IDLE,
    ),
    attack(
        "trace, profile, exception and display hooks",
        "import sys, threading\nsys.settrace(lambda *a: None)\nsys.setprofile(lambda *a: None)\n"
        "sys.excepthook = sys.displayhook = lambda *a: None\nthreading.settrace(print)" + IDLE,
    ),
    attack(
        "import hooks and a poisoned path",
        "import sys\nsys.path[:0] = ['COURSE', '/tmp']\nsys.meta_path.clear()\nsys.modules.clear()"
        + IDLE,
    ),
    attack(
        "ctypes patch of None and small integers",
        "import ctypes\nctypes.c_long.from_address(id(256) + 24).value = 4" + IDLE,
    ),
    attack(
        "worker code replaced: every value is said to be right",
        "import sys\nvalues = sys.modules['pdgrade_worker.values']\n"
        "values.encode_or_foreign = lambda v: {'verdict': 'passed', 'points': 99}" + IDLE,
    ),
    attack(
        "answers with a score in them",
        FIND_CHANNEL + "serve._answer = lambda namespace, message: {'id': message['id'], "
        "'value': None, 'points': 99, 'verdict': 'passed', 'status': 'graded'}" + IDLE,
    ),
    attack(
        "answers sent ahead of the questions",
        FIND_CHANNEL
        + "for n in range(200):\n    frame(json.dumps({'id': n, 'value': [2, 4]}))"
        + IDLE,
    ),
    attack(
        "a frame that says it is enormous",
        FIND_CHANNEL + "raw(nonce + struct.pack('>I', 0xFFFFFFFF) + b'x' * 1000)" + IDLE,
    ),
    attack(
        "deeply nested JSON",
        FIND_CHANNEL + "frame('{\"id\":1,\"value\":' + '[' * 300_000 + ']' * 300_000 + '}')" + IDLE,
    ),
    attack(
        "NaN, Infinity and endless digits as JSON",
        FIND_CHANNEL + 'frame(\'{"id":NaN,"value":Infinity}\')\n'
        "frame('{\"id\":' + '9' * 100_000 + '}')" + IDLE,
    ),
    attack(
        "an answer that is no object",
        FIND_CHANNEL + "for text in ('[]', '\"x\"', '1', 'null', ''):\n    frame(text)" + IDLE,
    ),
    attack(
        "malformed values",
        FIND_CHANNEL + "serve._answer = lambda n, m: {'id': m['id'], 'skipped': [], "
        "'functions': ['double'], 'value': {'d': [[[1], 2]]}}" + IDLE,
    ),
    attack(
        "colliding keys to keep the grader busy",
        FIND_CHANNEL + "keys = [n * (2**61 - 1) for n in range(60_000)]\n"
        "serve._answer = lambda n, m: {'id': m['id'], 'skipped': [], "
        "'functions': ['double'], 'value': {'s': keys}}" + IDLE,
    ),
    attack(
        "errors and arguments of the wrong shape",
        FIND_CHANNEL + "serve._answer = lambda n, m: {'id': m['id'], 'skipped': [], "
        "'functions': ['double'], 'error': [1], 'changed': {'a': 1}}" + IDLE,
    ),
    attack(
        "claims to define every builtin",
        FIND_CHANNEL + "def answer(namespace, message):\n"
        "    return {'id': message['id'], 'skipped': [], 'value': None,\n"
        "            'functions': ['double', 'expect', 'isinstance', 'AssertionError']}\n"
        "serve._answer = answer" + IDLE,
    ),
    attack(
        "printing frames to standard output",
        "import json\nprint(json.dumps({'id': 1, 'value': [2, 4], 'points': 5}))" + IDLE,
    ),
    attack(
        "closing every descriptor",
        "import os\nos.closerange(0, 256)" + IDLE,
    ),
    attack(
        "swapping the channel for a file",
        "import os\nos.dup2(os.open('x', os.O_RDWR | os.O_CREAT), 3)" + IDLE,
    ),
    attack(
        "hiding that the arguments were changed",
        # Patches what reports changes: the grader's own arguments stay as they were all the same,
        # so to it the function is pure, and it computes what is asked.
        "import sys\nvalues = sys.modules['pdgrade_worker.values']\n"
        "decode = values.decode\nvalues.decode = lambda data: decode(data)",
        HONEST.replace("return [2", "items.append(0); items.pop()\n    return [2"),
        earns=FULL,
    ),
    beside(
        "patched json, struct and socket modules",
        "import json, struct, builtins\njson.dumps = lambda *a, **k: '{}'\n"
        "json.loads = lambda *a, **k: {}",
    ),
    beside("a deleted namespace", "globals().clear()"),
    beside("redefined names of the tests", "expect = run_hidden = isinstance = sorted = None"),
]
