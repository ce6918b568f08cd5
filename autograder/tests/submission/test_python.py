"""Notebook code as plain Python: what is set aside, and that nothing else changes."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdgrade.submission import python


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("if True:\n    !pip install numpy\nx = 1", "if True:\n    pass\nx = 1"),
        ("files = !ls\nx = 1", "files = None\nx = 1"),
        ("len?\nx = 1", "pass\nx = 1"),
        ("%%time\nx = 1", "\nx = 1"),
        ("%%bash\nrm -rf /", ""),
        ("%%writefile sitecustomize.py\nimport os", ""),
        (
            "from google.colab import drive\ndrive.mount('/x')\nx = 1",
            "from google.colab import drive\n\nx = 1",
        ),
        ("!pip install \\\n  a \\\n  b\nx = 1", "pass\n\n\nx = 1"),
        ("get_ipython().system('ls')\nx = 1", "\nx = 1"),
        ("x = 7 % 3\ny = not x", "x = 7 % 3\ny = not x"),
    ],
)
def test_what_only_a_notebook_understands_is_set_aside(cell, plain):
    assert python.plain_python(cell).source == plain


def test_a_text_that_looks_like_a_magic_is_left_alone():
    cell = 'TEXT = """\n%time is money\n!important\n"""\n!ls\nx = 1'
    assert python.plain_python(cell).source == cell.replace("!ls", "pass")


def test_statements_that_only_show_are_dropped_and_lines_stay():
    cell = "x = 1\nprint(x)\nf(2)\nx\nlog = print(x); y = 2\nplt.plot(\n  x)\ncache.update(x)"
    expected = "x = 1\n\n\n\nlog = print(x); y = 2\n\n\ncache.update(x)"
    assert python.without_display(cell, ["f"]) == expected


def test_a_second_version_of_an_answer_is_cut_out_and_its_helpers_stay():
    cell = "LIMIT = 3\n@cache\ndef f(x):\n    return x\n\ndef g(x):\n    return f(x)"
    kept = python.without_definitions(cell, ["f"])
    assert python.parses(kept)
    assert ("LIMIT" in kept, "def g" in kept, "def f" in kept) == (True, True, False)


@pytest.mark.parametrize(
    ("cell", "unwritten"),
    [
        ("def f():\n    '''doc'''\n    raise NotImplementedError", True),
        ("def f():\n    raise NotImplementedError('TODO')", True),
        ("def f():\n    ...", True),
        ("def f():\n    pass", True),
        ("", True),
        ("def f():\n    return 1", False),
        ("f = lambda: 1", False),
        ("def f(:\n", False),
    ],
)
def test_unwritten_is_told_from_written(cell, unwritten):
    assert python.is_unwritten(cell, ["f"]) is unwritten


LINES = st.lists(
    st.sampled_from(
        [
            "x = 1",
            "%time",
            "!ls",
            "%%bash",
            "    y",
            "'''",
            '"""',
            "def f():",
            "len?",
            "\\",
            "x = (",
            "#",
        ]
    )
    | st.text(max_size=12),
    max_size=8,
).map("\n".join)


@given(LINES)
def test_any_text_keeps_its_number_of_lines_or_is_emptied(cell):
    plain = python.plain_python(cell).source
    assert plain == "" or plain.count("\n") == cell.count("\n")
    python.without_display(plain)
    python.without_definitions(plain, ["f"])


@given(LINES)
def test_python_that_parses_means_the_same(cell):
    tree = python.parses(cell)
    if tree and "colab" not in cell and "get_ipython" not in cell:
        assert ast.dump(python.parses(python.plain_python(cell).source)) == ast.dump(tree)
