"""``learner.load``: siblings, helpers, moved notebooks, stubs, broken cells; never the source."""

import json
import sys
from pathlib import Path

import pytest

from pdsched import learner, messages
from pdsched.contracts import CONTRACTS, contract
from pdsched.feedback import FunctionUnavailable
from pdsched.learner import loading, notebooks

pytestmark = pytest.mark.core

STUB = "def {name}(*args):\n    '''doc'''\n    # TODO\n    raise NotImplementedError('写这里')\n"
ANSWER = "def {name}(*args):\n    return '{name}'\n"


@pytest.fixture(autouse=True)
def _alone(tmp_path, monkeypatch):
    """A folder of its own, nothing loaded before, no notebook variables."""
    folder = tmp_path / "course" / "work"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    monkeypatch.setattr(notebooks, "CLOUD_FOLDERS", ())
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setattr(loading, "_last_loaded", [])


def write(name, *cells, folder="."):
    """A notebook of (source, grade_id or None) code cells."""

    def cell(source, grade_id):
        metadata = {"nbgrader": {"grade_id": grade_id}} if grade_id else {}
        lines = source.splitlines(keepends=True)
        return {"cell_type": "code", "source": lines, "metadata": metadata, "outputs": []}

    path = Path(folder) / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"cells": [cell(*each) for each in cells], "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def write_course(template=ANSWER, folder="."):
    for step in dict.fromkeys(each.notebook for each in CONTRACTS):
        own = [each for each in CONTRACTS if each.notebook == step]
        cells = [(template.format(name=each.function), each.grade_id) for each in own]
        write(step, *cells, folder=folder)


def test_all_five_come_from_the_sibling_notebooks():
    write_course()
    functions = learner.load()
    assert functions.complete
    assert [functions[each.function]() for each in CONTRACTS] == [
        each.function for each in CONTRACTS
    ]
    assert functions.plan_pd_split() == "plan_pd_split"


def test_nothing_there_names_each_missing_notebook_and_raises_only_when_called():
    functions = learner.load()
    assert len(functions.named("missing")) == 5
    assert "step3_pd_pools.ipynb" in functions.details()[3].reason
    with pytest.raises(FunctionUnavailable, match="step3_pd_pools"):
        functions.plan_pd_split([], 1, 1)
    with pytest.raises(AttributeError, match="not one of"):
        functions.plan_pd_splits  # noqa: B018


def test_stubs_are_unwritten_and_still_raise_not_implemented():
    write_course(STUB)
    functions = learner.load()
    assert len(functions.named("unwritten")) == 5
    with pytest.raises(NotImplementedError):
        functions.plan_pd_split()


def test_a_broken_cell_fails_alone():
    write_course()
    todo2, todo3 = contract(2), contract(3)
    write(
        todo2.notebook,
        ("def build_chunked_prefill_plan(:\n", todo2.grade_id),
        (ANSWER.format(name=todo3.function), todo3.grade_id),
    )
    write(
        contract(4).notebook,
        ("raise SystemExit\ndef plan_pd_split(): ...", contract(4).grade_id),
    )
    functions = learner.load()
    assert functions.named("failing") == ("build_chunked_prefill_plan", "plan_pd_split")
    assert "SyntaxError" in functions.details()[1].reason
    assert functions.plan_iteration_budget() == "plan_iteration_budget"


def test_helpers_and_imports_of_other_cells_are_honoured_and_nothing_else_runs():
    todo = contract(1)
    write(
        todo.notebook,
        ("%matplotlib inline\n!pip list\nimport math\nfrom typing import Dict, List", None),
        ("LIMIT = math.floor(2.5)\ndef twice(x):\n    return LIMIT * x", None),
        ("raise RuntimeError('a demo cell')", None),
        ("this is not python", None),
        (
            """def summarize_request_mix(requests: List[int], t: int) -> Dict[str, int]:
    return twice(t)""",
            todo.grade_id,
        ),
    )
    assert learner.load().summarize_request_mix([], 4) == 8


def test_todo_3_may_call_todo_2():
    two, three = contract(2), contract(3)
    write(
        two.notebook,
        ("def build_chunked_prefill_plan():\n    return 'two'", two.grade_id),
        ("def plan_iteration_budget():\n    return build_chunked_prefill_plan()", three.grade_id),
    )
    assert learner.load().plan_iteration_budget() == "two"


def test_stripped_metadata_and_renamed_copies_are_found_by_the_function_itself():
    write("WMS step1 (1)", ("x = 1", None), (ANSWER.format(name="summarize_request_mix"), None))
    functions = learner.load()
    assert functions.summarize_request_mix() == "summarize_request_mix"
    assert functions.details()[0].source == "WMS step1 (1).ipynb"


def test_the_graded_cell_wins_over_a_draft_and_the_own_notebook_over_a_copy():
    todo = contract(1)
    write(
        todo.notebook,
        ("def summarize_request_mix():\n    return 'graded'", todo.grade_id),
        ("def summarize_request_mix():\n    return 'draft'", None),
    )
    write("step1_copy", ("def summarize_request_mix():\n    return 'copy'", todo.grade_id))
    assert learner.load().summarize_request_mix() == "graded"


def test_a_notebook_moved_away_finds_the_release_but_never_the_source(monkeypatch):
    root = Path.cwd().parent
    write_course("def {name}():\n    return 'the answer'\n", folder=root / "source" / "x")
    write_course(
        "def {name}():\n    return 'the answer'\n", folder=root / "source/prefill-decode-scheduling"
    )
    assert len(learner.load().named("missing")) == 5
    monkeypatch.chdir(root / "work")
    write_course(STUB, folder=root / "release/prefill-decode-scheduling")
    assert len(learner.load().named("unwritten")) == 5
    write_course(folder=root / "learn/prefill-decode-scheduling")
    assert learner.load().complete


def test_jupyter_tells_the_notebooks_folder(monkeypatch):
    elsewhere = Path.cwd().parent / "elsewhere"
    write_course(folder=elsewhere)
    monkeypatch.setenv("JPY_SESSION_NAME", str(elsewhere / "step4.ipynb"))
    assert learner.load().complete


def test_a_folder_can_be_named():
    write_course(folder="uploaded")
    assert learner.load("uploaded").complete


def test_files_that_are_no_notebooks_are_named_and_passed_over():
    Path("step1_request_pressure.ipynb").write_text("<html>", encoding="utf-8")
    Path("step9.ipynb").write_bytes(b"\xff\xfe\x00")
    functions = learner.load()
    assert "step1_request_pressure.ipynb" in functions.details()[0].reason


def test_the_running_notebook_comes_first_but_not_an_earlier_load(monkeypatch):
    write_course()
    main = sys.modules["__main__"]
    first = learner.load()
    monkeypatch.setattr(main, "plan_pd_split", first.plan_pd_split, raising=False)
    write("step3_pd_pools", ("def plan_pd_split():\n    return 'edited'", None))
    assert learner.load().plan_pd_split() == "edited"
    monkeypatch.setattr(main, "plan_pd_split", lambda: "here", raising=False)
    assert learner.load().plan_pd_split() == "here"


def test_a_stub_of_the_running_notebook_is_unwritten_too(monkeypatch):
    def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
        """Doc."""
        raise NotImplementedError("write it")

    monkeypatch.setattr(
        sys.modules["__main__"], "evaluate_pd_decision", evaluate_pd_decision, raising=False
    )
    functions = learner.load()
    assert functions.named("unwritten") == ("evaluate_pd_decision",)
    assert functions.evaluate_pd_decision is evaluate_pd_decision


def test_current_is_looked_up_late_and_falls_back_to_the_last_load(monkeypatch):
    main = sys.modules["__main__"]
    assert learner.current("plan_pd_split") is None
    write_course()
    learner.load()
    assert learner.current("plan_pd_split")() == "plan_pd_split"
    for answer in ("first", "second"):
        monkeypatch.setattr(main, "plan_pd_split", lambda a=answer: a, raising=False)
        assert learner.current("plan_pd_split")() == answer
    with pytest.raises(ValueError, match="todo must be one of"):
        learner.current("sorted")


def test_it_shows_itself_as_a_table_in_both_languages():
    write_course(STUB)
    functions = learner.load()
    assert repr(functions).splitlines()[0].startswith("… 还没写 TODO 1 summarize_request_mix")
    try:
        messages.set_language("en")
        assert "not written" in functions._repr_html_()
        assert functions._repr_html_().count("<tr>") == 5
    finally:
        messages.set_language(None)


def test_printing_while_a_cell_runs_stays_out_of_the_notebook(capsys):
    write("step3_pd_pools", ("print('noise')\ndef plan_pd_split():\n    return 1", None))
    learner.load()
    assert capsys.readouterr().out == ""
