"""Results that lie about themselves, and exceptions that lie about what happened."""

from attack import FULL, attack


def returns(name, setup, result, **options):
    return attack(name, f"{setup}\n\ndef double(items):\n    return {result}", **options)


ALWAYS_EQUAL = """
class Yes{base}:
    __eq__ = lambda self, other: True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: 0
    __len__ = lambda self: 2
    __iter__ = lambda self: iter([2, 4])
    __getitem__ = lambda self, index: 2 * index
    __bool__ = lambda self: True
    __class__ = property(lambda self: list)
"""

ATTACKS = [
    returns("object equal to everything", ALWAYS_EQUAL.format(base=""), "Yes()"),
    returns("list subclass equal to everything", ALWAYS_EQUAL.format(base="(list)"), "Yes()"),
    returns("dict subclass equal to everything", ALWAYS_EQUAL.format(base="(dict)"), "Yes()"),
    returns("str subclass equal to everything", ALWAYS_EQUAL.format(base="(str)"), "Yes()"),
    returns(
        "int subclass inside a list",
        "class Any(int):\n    __eq__ = lambda s, o: True\n    __hash__ = lambda s: 0",
        "[Any(), Any()]",
    ),
    returns(
        "float subclass inside a list",
        "class Any(float):\n    __eq__ = lambda s, o: True\n    __hash__ = lambda s: 0",
        "[Any(), Any()]",
    ),
    returns("mock.ANY", "from unittest.mock import ANY, MagicMock", "[ANY, ANY]"),
    returns("MagicMock", "from unittest.mock import MagicMock", "MagicMock(return_value=True)"),
    returns(
        "ndarray subclass equal to everything",
        "import numpy as np\nclass A(np.ndarray):\n    __eq__ = lambda s, o: True",
        "np.zeros(2).view(A)",
    ),
    returns(
        "numpy protocol object",
        "class P:\n    __array_ufunc__ = lambda *a, **k: True\n"
        "    __array_function__ = lambda *a, **k: True\n    __array_priority__ = 1e9\n"
        "    __eq__ = lambda s, o: True\n    __hash__ = None",
        "P()",
    ),
    returns("numpy object array", "import numpy as np", "np.array([object()], dtype=object)"),
    returns("not a number", "", "[float('nan')] * len(items)"),
    returns("infinity", "", "[float('inf')] * len(items)"),
    returns(
        "pickle that runs code in whoever loads it",
        "import os\nclass Boom:\n    def __reduce__(self):\n"
        "        return (os.system, ('touch /tmp/pwned',))",
        "[Boom(), Boom()]",
    ),
    returns(
        "hostile representation",
        "class R:\n    def __repr__(self): raise SystemExit\n    __str__ = __format__ = __repr__",
        "R()",
    ),
    returns(
        "hostile attribute access",
        "class R:\n    def __getattribute__(self, name): raise KeyboardInterrupt(name)",
        "R()",
    ),
    returns(
        "type with a hostile name",
        "T = type('<script>alert(1)</script>\\x1b[2J' + 'x' * 10_000, (), {})",
        "T()",
    ),
    returns("generator", "", "(2 * i for i in items)"),
    returns("coroutine", "async def later(items): return items", "later(items)"),
    attack(
        "StopIteration ends loops in tests", "def double(items):\n    raise StopIteration(items)"
    ),
    attack("SystemExit reports success", "def double(items):\n    raise SystemExit(0)"),
    attack("KeyboardInterrupt", "def double(items):\n    raise KeyboardInterrupt"),
    attack("GeneratorExit", "def double(items):\n    raise GeneratorExit"),
    attack(
        "exception pretending to be a passed check",
        "class CheckFailure(AssertionError):\n    result = None\n    passed = True\n"
        "def double(items):\n    raise CheckFailure('passed')",
    ),
    attack(
        "hostile exception class",
        "class E(Exception):\n    __str__ = lambda s: 1 / 0\n    __class__ = ValueError\n"
        "def double(items):\n    raise E(items)",
    ),
    attack("rejects everything", "def double(items):\n    raise ValueError(items)"),
    attack(
        "right for the visible inputs only",
        "def double(items):\n    if items is None: raise ValueError\n"
        "    return {(): [], (1, 2): [2, 4], (-1,): [-2], (3, 4): [6, 8]}.get(tuple(items))",
        earns={**FULL, "hidden_any": 0.0},
    ),
    attack(
        "right only the first times it is called",
        "calls = []\ndef double(items):\n    calls.append(1)\n    if items is None:\n"
        "        raise ValueError\n    return [2 * i for i in items] if len(calls) < 8 else []",
        earns={**FULL, "hidden_any": 0.0},
    ),
    attack(
        "results that change after they were returned",
        "kept = []\ndef double(items):\n    for old in kept: old[:] = [2, 4]\n"
        "    kept.append([0] * len(items or ()))\n    return kept[-1]",
    ),
    attack(
        "turning the argument into the answer",
        "def double(items):\n    for i, x in enumerate(items or ()): items[i] = 2 * x\n"
        "    if items is None: raise ValueError\n    return items",
        earns={**FULL, "pure": 0.0},
    ),
]
