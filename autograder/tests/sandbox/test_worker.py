"""A worker runs cells and answers calls; whatever it does, the parent gets an answer in time."""

import textwrap
import time

import pytest

from pdgrade.assignment import CodeCell
from pdgrade.learner_errors import CallTimeout, WorkerDied, WorkerStopped
from pdsched.feedback import FunctionUnavailable


def cells(*sources):
    return [CodeCell(f"cell {n}", textwrap.dedent(s)) for n, s in enumerate(sources, 1)]


def test_a_function_is_called_with_equal_values_and_its_result_is_rebuilt(server):
    source = "def f(a, *, b): return {'a': a, 'b': (b, None, True, 1.5)}"
    with server.worker(cells(source)) as worker:
        assert worker.proxy("f")([1, "二"], b={"k": 1}) == {
            "a": [1, "二"],
            "b": ({"k": 1}, None, True, 1.5),
        }


def test_cells_share_one_namespace_and_one_failing_cell_does_not_stop_the_rest(server):
    with server.worker(cells("x = 2", "1 / 0", "def f(): return x")) as worker:
        assert worker.proxy("f")() == 2
    first, second, third = worker.cells
    assert (first.error, third.error) == (None, None)
    assert str(second.error) == "ZeroDivisionError: division by zero (cell 2, line 1: 1 / 0)"


def test_changed_arguments_are_written_back_in_place(server):
    source = """
        def f(items, table):
            items[0]["tokens"] = 0
            items.append(9)
            table["new"] = [1]
            del table["old"]
    """
    inner = {"tokens": 5}
    items, table = [inner, 7], {"old": 1}
    with server.worker(cells(source)) as worker:
        worker.proxy("f")(items, table=table)
    assert inner == {"tokens": 0}
    assert items == [inner, 7, 9]
    assert items[0] is inner
    assert table == {"new": [1]}


def test_arguments_left_alone_keep_their_identity(server):
    items = [[1], [2]]
    first = items[0]
    with server.worker(cells("def f(items): return items")) as worker:
        assert worker.proxy("f")(items) == [[1], [2]]
    assert items[0] is first


@pytest.mark.parametrize(
    ("raised", "kind", "text"),
    [
        ("ValueError('bad size')", ValueError, "bad size"),
        ("NotImplementedError", NotImplementedError, ""),
        ("KeyError('x')", KeyError, "'x'"),
        ("type('Bad', (ValueError,), {})('mine')", ValueError, "mine"),
        ("SystemExit(3)", RuntimeError, "SystemExit: 3"),
        ("KeyboardInterrupt", RuntimeError, "KeyboardInterrupt"),
        ("StopIteration", RuntimeError, "StopIteration"),
        ("UnicodeDecodeError('u', b'', 0, 1, 'r')", ValueError, None),
    ],
)
def test_exceptions_come_back_as_the_nearest_builtin(server, raised, kind, text):
    with (
        server.worker(cells(f"def f(): raise {raised}")) as worker,
        pytest.raises(kind) as caught,
    ):
        worker.proxy("f")()
    if text is not None:
        assert str(caught.value) == text


def test_an_endless_call_is_ended_and_later_calls_fail_at_once(server):
    source = """
        def f():
            while True:
                try:
                    while True: pass
                except BaseException: pass
    """
    with server.worker(cells(source)) as worker:
        with pytest.raises(CallTimeout, match="wall limit 2 s"):
            worker.proxy("f")()
        started = time.monotonic()
        with pytest.raises(WorkerStopped):
            worker.proxy("f")()
        assert time.monotonic() - started < 0.1


@pytest.mark.parametrize(
    ("body", "kind", "detail"),
    [
        ("import os; os._exit(3)", "exited", "exit status 3"),
        ("import ctypes; ctypes.string_at(0)", "crashed", "SIGSEGV"),
        ("import os; os.closerange(3, 64)", "channel", "result channel"),
        ("import os; os.write(3, b'x' * 100)", "channel", "foreign bytes"),
        ("print('x' * (6 << 20))", "output", "output limit"),
    ],
)
def test_a_worker_that_ends_itself_gives_a_reason(server, body, kind, detail):
    with server.worker(cells(f"def f():\n    {body}")) as worker, pytest.raises(WorkerDied) as died:
        worker.proxy("f")()
    assert died.value.stop.kind == kind
    if detail:
        assert detail in str(died.value)


def test_a_cell_that_ends_the_worker_is_named(server):
    with server.worker(cells("x = 1", "import os; os._exit(0)", "y = 2")) as worker:
        assert worker.stop.kind == "exited"
        assert worker.stop.where == "cell 2"
        assert [cell.label for cell in worker.cells] == ["cell 1"]


def test_allocating_without_end_raises_inside_the_worker(server):
    source = "def f(): return len(bytearray(1 << 40))"
    with server.worker(cells(source)) as worker, pytest.raises(MemoryError):
        worker.proxy("f")()


def test_a_function_that_no_cell_defines_is_unavailable(server):
    with server.worker(cells("def f(): return 1")) as worker:
        with pytest.raises(FunctionUnavailable, match="g"):
            worker.proxy("g")()
        assert worker.proxy("f")() == 1


def test_what_is_printed_is_kept_up_to_a_limit(server):
    with server.worker(cells("print('你好')", "print('\\x1b[31m' + 'x' * 100_000)")) as worker:
        assert worker.printed.startswith("你好\n\ufffd[31mxxx")
        assert len(worker.printed) <= server.limits.output_kept_kib * 1024


def test_notebook_syntax_is_left_out_and_reported(server):
    source = "%matplotlib inline\n!pip install x\nfiles = !ls\nx = 7 \\\n  % 4\ndef f(): return x"
    with server.worker(cells(source, "%%bash\nrm -rf /", "%%time\ny = 1", "len?")) as worker:
        assert worker.proxy("f")() == 3
        assert [cell.error for cell in worker.cells] == [None] * 4
        assert worker.cells[0].skipped == ("%matplotlib inline", "!pip install x", "files = !ls")
        assert "y" not in worker.functions


def test_modules_that_only_show_are_silent(server):
    source = """
        from google.colab import drive
        import matplotlib.pyplot as plt
        from IPython.display import display, HTML
        from pdsched import panels
        drive.mount('/content')
        fig, ax = plt.subplots(figsize=(3, 2))
        counts, bins, patches = ax.hist([1, 2])
        ax.set_ylim(top=ax.get_ylim()[1] * 1.1)
        display(HTML('x'))
        panels.request_mix()
        get_ipython().run_line_magic('matplotlib', 'inline')
        def f(): return 1
    """
    with server.worker(cells(source)) as worker:
        assert worker.cells[0].error is None
        assert worker.proxy("f")() == 1


def test_input_is_refused_in_words(server):
    with server.worker(cells("name = input('?')")) as worker:
        assert "not available when graded" in str(worker.cells[0].error)


def test_numpy_results_count_as_numbers(server):
    source = "import numpy as np\ndef f(x): return {'n': np.sum(x), 'm': np.float64(1.5)}"
    with server.worker(cells(source)) as worker:
        result = worker.proxy("f")([1, 2])
    assert result == {"n": 3, "m": 1.5}
    assert [type(v) for v in result.values()] == [int, float]


def test_every_worker_is_fresh(server):
    server.worker(cells("import builtins; builtins.len = lambda _: 99")).close()
    with server.worker(cells("def f(): return len([])")) as worker:
        assert worker.proxy("f")() == 0


def test_a_cell_too_large_for_the_channel_is_reported_and_left_out(server):
    with server.worker(cells("x = '" + "a" * (2 << 20) + "'", "def f(): return 1")) as worker:
        assert "too large" in str(worker.cells[0].error)
        assert worker.proxy("f")() == 1


def test_source_with_lone_surrogates_or_nul_is_an_error_of_its_cell_only(server):
    with server.worker(cells("x = '\ud800'", "y = 1\0", "def f(): return 1")) as worker:
        assert all(cell.error for cell in worker.cells[:2])
        assert worker.proxy("f")() == 1


SQUARE = """
    made = []
    def f(n, items):
        made.append(n)
        if n == 13:
            import os; os._exit(4)
        items.append(n)
        return [n * n, len(made)]
"""


def test_announced_calls_answer_as_they_would_one_by_one(server):
    padding = "x" * 3000  # some thirty kilobytes are under way at a time: several batches
    with server.worker(cells(SQUARE)) as worker:
        worker.announce("f", [((n, [padding]), {}) for n in range(40, 80)])
        for count, n in enumerate(range(40, 80), 1):
            items = [padding]
            assert worker.proxy("f")(n, items) == [n * n, count]
            assert items == [padding, n]
        assert not worker.spent


def test_answers_larger_than_a_socket_holds_do_not_block_announced_calls(server):
    with server.worker(cells("def f(text): return text * 100")) as worker:
        texts = [str(n) * 2500 for n in range(9)]
        worker.announce("f", [((text,), {}) for text in texts])
        assert [worker.proxy("f")(text) for text in texts] == [text * 100 for text in texts]


def test_another_call_than_the_announced_one_gets_its_own_answer(server):
    with server.worker(cells(SQUARE)) as worker:
        worker.announce("f", [((n, []), {}) for n in (1, 2, 3)])
        assert worker.proxy("f")(1, []) == [1, 1]
        assert worker.spent
        assert worker.proxy("f")(9, []) == [81, 4]
        assert not worker.spent


def test_an_announced_call_that_ends_the_worker_is_charged_when_it_is_made(server):
    with server.worker(cells(SQUARE)) as worker:
        worker.announce("f", [((n, []), {}) for n in (11, 12, 13, 14)])
        assert worker.proxy("f")(11, []) == [121, 1]
        assert worker.proxy("f")(12, []) == [144, 2]
        with pytest.raises(WorkerDied):
            worker.proxy("f")(13, [])
        assert worker.stop.detail == "exit status 4"
