"""What is in the cells: helpers, noise, loops without end, ways to die."""

from miniature.handed_in import Handed, released

from corpus.cells import TODO1, TODO2, TODO4


def _prepend(handed: Handed, grade_id: str, line: str) -> None:
    """Put a statement first in the body of an answer."""
    head, _, body = handed.find(grade_id)["source"].partition(":\n")
    handed.find(grade_id)["source"] = f"{head}:\n    {line}\n{body}"


def _above(handed: Handed, line: str, grade_id: str = TODO2) -> None:
    """Put a statement above the function in an answer's cell."""
    cell = handed.find(grade_id)
    cell["source"] = f"{line}\n{cell['source']}"


def helpers(handed):
    handed.insert(
        "step2",
        1,
        "from itertools import islice\n\ndef cut(s, i, c):\n    return list(islice(s, i, i + c))",
    )
    handed.answer(
        TODO2,
        """
        import operator as op
        def build_chunked_prefill_plan(suffix_tokens, chunk_size):
            if op.le(chunk_size, 0):
                raise ValueError
            return [cut(suffix_tokens, i, chunk_size) for i in range(0, len(suffix_tokens), chunk_size)]
        """,
    )


def helper_below(handed):
    handed.answer(TODO4, handed.find(TODO4)["source"].replace("name + ", "late(name) + "))
    handed.insert("step2", len(handed.cells("step2")), "def late(name):\n    return name")


def lambda_answer(handed):
    handed.answer("concept_1a", "concept_1a = lambda: 'B'")


def conditional_definition(handed):
    handed.answer("concept_1a", "if True:\n    def concept_1a():\n        return 'B'")


def decorated(handed):
    handed.answer(
        "concept_1a", "import functools\n@functools.lru_cache\ndef concept_1a():\n    return 'B'"
    )


def recursive(handed):
    handed.answer(
        TODO2,
        """
        def build_chunked_prefill_plan(s, c):
            if c <= 0:
                raise ValueError
            return [list(s[:c])] + build_chunked_prefill_plan(s[c:], c) if s else []
        """,
    )


def calls_another(handed):
    _prepend(handed, TODO4, "assert build_chunked_prefill_plan([1, 2], 1) == [[1], [2]]")


def stderr_noise(handed):
    _prepend(
        handed, TODO2, "import sys, warnings; warnings.warn('odd'); print('x', file=sys.stderr)"
    )


def prints(handed):
    _prepend(handed, TODO2, "print('chunk_size', chunk_size)")


def syntax_error(handed):
    handed.answer(TODO2, "def build_chunked_prefill_plan(s, c)\n    return []")


def tab_error(handed):
    handed.answer(TODO2, "def build_chunked_prefill_plan(s, c):\n        x = 1\n\treturn []")


def raises_at_top(handed):
    _above(handed, "1 / 0")


def name_error(handed):
    _prepend(handed, TODO2, "undefined_name")


def scratch_raises(handed):
    handed.insert("step2", 1, "x = 1 / 0")


def scratch_not_python(handed):
    handed.insert("step2", 1, "this is no valid python")


def scratch_never_ends(handed):
    handed.insert("step2", 1, "n = 0\nwhile True:\n    n += 1")


def scratch_exits(handed):
    handed.insert("step2", 1, "import os\nos._exit(0)")


def infinite_loop(handed):
    _prepend(handed, TODO2, "while True: pass")


def stubborn_loop(handed):
    handed.answer(
        TODO2,
        """
        def build_chunked_prefill_plan(s, c):
            while True:
                try:
                    while True: pass
                except BaseException:
                    pass
        """,
    )


def endless_recursion(handed):
    handed.answer(
        TODO2, "def build_chunked_prefill_plan(s, c):\n    return build_chunked_prefill_plan(s, c)"
    )


def memory_loop(handed):
    _prepend(handed, TODO2, "x = [bytearray(1 << 24) for _ in range(100_000)]")


def os_exit(handed):
    _prepend(handed, TODO2, "import os; os._exit(0)")


def plain_exit(handed):
    _prepend(handed, TODO2, "import sys; sys.exit(0)")


def segfault(handed):
    _prepend(handed, TODO2, "import ctypes; ctypes.string_at(0)")


def asks_input(handed):
    _prepend(handed, TODO2, "chunk_size = int(input('chunk size? '))")


def scratch_asks(handed):
    handed.insert("step2", 1, "name = input('name? ')")


def _both_import(handed, line):
    """An answer that does not end, and an innocent one that imports and names the same things."""
    _above(handed, "import math, os\nfor i in range(3):\n    name = i\n" + line)
    _above(handed, "import math, os", TODO4)
    _prepend(handed, TODO4, "import os; assert math.ceil(0.5) == 1 and os.sep")


def loop_beside_import(handed):
    _both_import(handed, "while True: pass")


def exit_beside_import(handed):
    _both_import(handed, "os._exit(0)")


def helper_in_fatal_answer(handed):
    _above(handed, "import os; os._exit(0)\nSIZE = 2\ndef same(x):\n    return x if SIZE else 0")
    _prepend(handed, TODO4, "assert same(1) == 1 and os.sep")


def fatal_answer_in_scratch(handed):
    _above(handed, "while True: pass")
    handed.insert("step2", len(handed.cells("step2")), "z = build_chunked_prefill_plan([1], 1)")


def helper_in_another_answer(handed):
    _above(handed, "def same(x):\n    return x")
    _prepend(handed, TODO4, "name = same(1); assert name == 1")


def prints_20_mb(handed):
    handed.insert("step2", 1, "for line in ['x' * 20_000_000]:\n    print(line)")


def prints_for_ever(handed):
    _prepend(handed, TODO2, "while True: print('x' * 10_000)")


def magics(handed):
    _above(handed, "%matplotlib inline\n!pip install numpy")
    handed.insert("step2", 1, "%timeit build_chunked_prefill_plan([1], 1)\nlen?")


def cell_magics(handed):
    handed.insert("step2", 1, "%%bash\nrm -rf /")
    handed.insert("step2", 1, "%%writefile sitecustomize.py\nraise SystemExit")


def time_magic(handed):
    _above(handed, "%%time")


def colab(handed):
    _above(handed, "from google.colab import drive\ndrive.mount('/content/drive')")


def colab_kept(handed):
    _above(handed, "from google.colab import files, userdata\nup = files.upload()")
    _above(handed, "from google.colab import userdata\nKEY = userdata.get('key')", TODO1)


def long_shell_line(handed):
    _above(handed, "!pip install \\\n    numpy \\\n    pandas\n%matplotlib inline")


def filled_table(handed):
    _prepend(handed, TODO2, "SEEN[0]")
    _above(handed, "SEEN = []\ndef fill():\n    SEEN.append(1)\nfill()")


def star_import_elsewhere(handed):
    _above(handed, "from math import *", TODO4)
    _prepend(handed, TODO2, "ceil(1.5)")


def top_level_await(handed):
    line = "import asyncio\nasync def one():\n    return 1\nONE = await one()"
    _prepend(handed, TODO2, "ONE + 1")
    _above(handed, line)


def future_annotations(handed):
    handed.insert("step2", 1, "from __future__ import annotations")
    _above(handed, "def later(x: Later) -> Later:\n    return x")


def displays(handed):
    handed.insert("step2", 1, "LIMIT = 7\ndisplay(LIMIT)\nhelp(len)")
    _prepend(handed, TODO2, "LIMIT")


def mutates(handed):
    _prepend(handed, TODO1, "requests and requests[0].update(seen=True)")


def returns_tuple(handed):
    handed.answer(
        TODO2, handed.find(TODO2)["source"].replace("return chunks", "return tuple(chunks)")
    )


def returns_none(handed):
    handed.answer(TODO2, handed.find(TODO2)["source"].replace("return chunks", "pass"))


def unreachable_stub(handed):
    cell = handed.find(TODO2)
    cell["source"] += "\n    raise NotImplementedError"


def hard_coded(handed):
    handed.answer(
        TODO2,
        """
        def build_chunked_prefill_plan(s, c):
            if (s, c) == ([9, 10, 11], 2):
                return [[9, 10], [11]]
            return None
        """,
    )


def chinese_names(handed):
    handed.answer("concept_1a", "答案 = 'B'\ndef concept_1a():\n    return 答案")


def stub_of(grade_id: str) -> str:
    return released().find(grade_id)["source"]
