"""A class's policies: an honest score for every honest one, and nothing gained by the others."""

import csv
import json
from pathlib import Path
from textwrap import dedent

import pytest
from typer.testing import CliRunner

from pdgrade import assignment
from pdgrade.challenge import board
from pdgrade.challenge.entries import LABS, NOTEBOOK, Entry, NoEntry, policy_notebook, read_entry
from pdgrade.challenge.scoring import Result, score_baselines, score_entry
from pdgrade.cli.app import app
from pdgrade.forkserver import ForkServer
from pdgrade.limits import Limits
from pdsched.labs import challenge
from pdsched.labs.challenge import Standing

ROOT = Path(__file__).parents[3]
STEPS = ROOT / "source" / "prefill-decode-scheduling"
SEEDS = (987_654_321,)
SEED_OPTIONS = ("--seed", SEEDS[0])

#: Decodes first, prompts in order, within ``budget``.
PLAN = """
    def plan(prefill_suffixes, decode_request_ids, full, cap, budget):
        chosen = decode_request_ids[:budget]
        room, chunks = budget - len(chosen), []
        for request_id, left in prefill_suffixes.items():
            tokens = min(left, cap, room)
            if tokens > 0:
                chunks.append({"request_id": request_id, "tokens": tokens})
                room -= tokens
        used = budget - room
        return {"decode_request_ids": chosen, "prefill_chunks": chunks, "used_tokens": used,
                "remaining_tokens": full - used, "max_num_batched_tokens": full}
"""
EQUAL = """
    def my_policy(suffixes, ready, budget, cap, **_):
        return plan(suffixes, ready, budget, cap, budget)
"""
BETTER = """
    def my_policy(suffixes, ready, budget, cap, **_):
        return plan(suffixes, ready, budget, cap, max(1024, len(ready) + 64))
"""


def script(*parts):
    return "\n".join(dedent(part) for part in parts)


@pytest.fixture(scope="module")
def lab():
    return policy_notebook(ROOT / "source" / LABS)


@pytest.fixture(scope="module")
def steps():
    return assignment.load(STEPS)


@pytest.fixture(scope="module")
def server():
    limits = Limits(call_wall_s=1.0, cell_wall_s=2.0, question_wall_s=30.0, output_mib=4)
    with ForkServer(limits=limits) as server:
        yield server


@pytest.fixture
def entry_of(lab, steps, tmp_path):
    """The entry of a learner who handed these files in."""

    def read(**files):
        for name, content in files.items():
            suffix = "py" if isinstance(content, str) else "ipynb"
            text = content if isinstance(content, str) else json.dumps(content)
            (tmp_path / f"{name}.{suffix}").write_text(text, encoding="utf-8")
        return read_entry(lab, steps, "amy", [tmp_path])

    return read


@pytest.fixture
def score(entry_of, server):
    """The result of a policy handed in as a script."""

    def run(*parts):
        return score_entry(entry_of(policy=script(*parts)), server, SEEDS)

    return run


def released(name=NOTEBOOK):
    """A notebook as the learner opens it; lab 5 has no solutions to take out."""
    folder = "labs" if name == NOTEBOOK else "prefill-decode-scheduling"
    path = ROOT / "release" / folder / f"{name}.ipynb"
    return json.loads(path.read_text(encoding="utf-8"))


def solved(name):
    return json.loads((STEPS / f"{name}.ipynb").read_text(encoding="utf-8"))


def code(source, cell_id="own"):
    return {"cell_type": "code", "id": cell_id, "metadata": {}, "source": dedent(source)}


def policy_cell(notebook):
    return next(
        i for i, c in enumerate(notebook["cells"]) if "def my_policy" in "".join(c["source"])
    )


def test_a_better_policy_beats_the_baselines_by_the_simulators_own_number(score):
    result = score(PLAN, BETTER)
    own = {}
    exec(script(PLAN, BETTER), own)
    assert result.status == "scored"
    assert result.score == challenge.score(own["my_policy"], seeds=SEEDS).score
    assert result.score > max(each.score for each in score_baselines(SEEDS))


def test_the_plan_of_a_baseline_scores_what_the_baseline_scores(score):
    assert score(PLAN, EQUAL).score == pytest.approx(1.0, abs=0.02)


def test_the_starter_runs_the_learners_own_todo_3(entry_of, server):
    entry = entry_of(**{NOTEBOOK: released(), "step2": solved("step2_chunked_prefill")})
    assert score_entry(entry, server, SEEDS).score == pytest.approx(1.0, abs=0.02)


def test_the_starter_alone_says_what_it_lacks(entry_of, server):
    result = score_entry(entry_of(**{NOTEBOOK: released()}), server, SEEDS)
    assert (result.status, result.score) == ("refused", 0.0)
    assert "plan_iteration_budget: hand in the notebook that defines it" in result.note.text()


def test_a_policy_in_a_new_cell_counts_although_the_starter_is_still_there(entry_of, server):
    notebook = released()
    at = policy_cell(notebook)
    notebook["cells"][at - 1 : at - 1] = [code(script(PLAN, BETTER))]
    assert score_entry(entry_of(lab5=notebook), server, SEEDS).score > 1.01


def test_edited_setup_cells_do_not_take_mine_away(entry_of, server):
    notebook = released()
    cell = next(c for c in notebook["cells"] if "mine = load()" in "".join(c["source"]))
    cell["source"] = ["import math\n", *cell["source"]]
    entry = entry_of(lab5=notebook, step2=solved("step2_chunked_prefill"))
    assert score_entry(entry, server, SEEDS).status == "scored"


def test_only_what_the_policy_needs_is_run(entry_of, server):
    notebook = released()
    notebook["cells"].append(code("while True: pass"))
    notebook["cells"][policy_cell(notebook)]["source"] = script(PLAN, BETTER)
    assert score_entry(entry_of(lab5=notebook), server, SEEDS).status == "scored"


def test_a_script_with_cell_marks_is_read_as_the_notebook_it_was(score):
    result = score(
        "# %% [markdown]\n# # Lab 5\n# ```\n# %%\nwhile_true = 1\n# %% tags=['x']", PLAN, BETTER
    )
    assert result.status == "scored"


@pytest.mark.parametrize(
    ("policy", "status", "word"),
    [
        ("def my_policy(*a, **k):\n    raise ValueError('oops')", "refused", "oops"),
        ("def my_policy(*a, **k):\n    return None", "refused", "dict"),
        ("def my_policy(*a, **k):\n    raise NotImplementedError", "refused", ""),
        ("def my_policy(*a, **k):\n    raise SystemExit(0)", "refused", "SystemExit"),
        ("def my_policy(*a, **k):\n    while True: pass", "stopped", "2"),
        ("import os\ndef my_policy(*a, **k):\n    os._exit(0)", "stopped", ""),
        ("import os\ndef my_policy(*a, **k):\n    os.write(3, b'x' * 99)", "stopped", ""),
        ("while True: pass\ndef my_policy(*a, **k): ...", "stopped", ""),
        ("1 / 0\ndef my_policy(*a, **k): ...", "missing", "ZeroDivisionError"),
    ],
)
def test_a_policy_that_does_not_work_scores_nothing_and_is_told_why(score, policy, status, word):
    result = score(policy)
    assert (result.status, result.score, result.standings) == (status, 0.0, ())
    assert word in result.note.text()


def test_a_policy_that_changes_its_inputs_is_refused(score):
    result = score(
        PLAN,
        """
        def my_policy(suffixes, ready, budget, cap, **_):
            made = plan(suffixes, ready, budget, cap, budget)
            suffixes.clear()
            return made
        """,
    )
    assert (result.status, "prefill_suffixes" in result.note.text()) == ("refused", True)


def test_decodes_that_nobody_waits_for_are_no_way_to_more_goodput(score):
    result = score(
        PLAN,
        """
        def my_policy(suffixes, ready, budget, cap, **_):
            made = plan(suffixes, ready, budget, cap, budget)
            made["decode_request_ids"] = made["decode_request_ids"] * 2
            return made
        """,
    )
    assert result.status == "refused"


def test_patching_the_simulator_and_the_score_in_the_worker_changes_nothing(score):
    forged = """
        from pdsched.labs import challenge
        from pdsched import metrics, scheduler, simulator
        challenge.standings = challenge.score = lambda *a, **k: 99.0
        challenge.Standing.ratio = property(lambda self: 99.0)
        metrics.summarize = simulator.simulate = None
        print('{"score": 99.0}')
    """
    assert score(PLAN, forged, EQUAL).score == score(PLAN, EQUAL).score


def test_what_fails_on_unseen_workloads_only_tells_nothing_of_them(entry_of, server):
    leak = """
        calls = []
        def my_policy(suffixes, ready, budget, cap, **_):
            calls.append(1)
            if len(calls) > 3000:
                raise ValueError(f"secret {suffixes} {ready}")
            return plan(suffixes, ready, budget, cap, budget)
    """
    result = score_entry(entry_of(policy=script(PLAN, leak)), server, SEEDS * 3)
    assert result.status == "refused"
    assert result.note.code == "challenge_broken_unseen"
    assert result.note.fields == {}


def test_a_policy_never_sees_what_is_to_come(score):
    """Not in its arguments, and not in the process: the simulator is not there."""
    result = score(
        """
        import gc, sys
        def my_policy(suffixes, ready, budget, cap, **options):
            frames = []
            frame = sys._getframe()
            while frame:
                frames.append(frame.f_code.co_name)
                frame = frame.f_back
            kinds = {type(o).__name__ for o in gc.get_objects()}
            raise ValueError(f"{sorted(options)} {'simulate' in frames} {'Request' in kinds}")
        """
    )
    assert "['decode_reserve_tokens', 'policy'] False False" in result.note.text()


@pytest.mark.parametrize("content", [b"", b"<html>", b"\xff\xfe\x00", b'{"cells": ['])
def test_an_unreadable_file_is_told(lab, steps, tmp_path, content):
    (tmp_path / f"{NOTEBOOK}.ipynb").write_bytes(content)
    entry = read_entry(lab, steps, "amy", [tmp_path])
    assert isinstance(entry, NoEntry)
    assert entry.reason.text()


@pytest.mark.parametrize("text", ["x = 1", "def other(): ...", "def my_policy(:", ""])
def test_a_script_without_a_policy_is_told(entry_of, text):
    entry = entry_of(**{NOTEBOOK: text})
    assert isinstance(entry, NoEntry)
    assert "my_policy" in entry.reason.text()


def test_the_failure_of_the_grader_itself_is_a_result(server, monkeypatch):
    monkeypatch.setattr(challenge, "standings", lambda *_: 1 / 0)
    cells = (assignment.CodeCell("cell[1]", script(PLAN, EQUAL)),)
    result = score_entry(Entry("amy", cells), server, SEEDS)
    assert (result.status, result.score) == ("failed", 0.0)
    assert "ZeroDivisionError" in result.note.text()


def scored(name, ratio, status="scored"):
    return Result(
        name, status, tuple(Standing(w[0], 1, ratio, "b", 1.0) for w in challenge.WORKLOADS)
    )


def test_rows_are_in_order_with_shared_ranks_and_none_for_no_score():
    results = [
        scored("b", 1.0, "baseline"),
        Result("z", "missing"),
        scored("a", 1.0),
        scored("c", 1.5),
    ]
    rows = board.rows_of(results)
    assert [(r["rank"], r["name"]) for r in rows] == [(1, "c"), (2, "b"), (2, "a"), (None, "z")]


def test_a_policy_that_never_serves_in_time_is_ranked_last_not_unranked():
    rows = board.rows_of([scored("a", 0.0), Result("z", "stopped"), scored("b", 1.0)])
    assert [(r["rank"], r["name"]) for r in rows] == [(1, "b"), (2, "a"), (None, "z")]


def test_a_spreadsheet_takes_no_name_for_a_formula(tmp_path):
    target = tmp_path / "board.csv"
    board.write(target, board.rows_of([scored("=1+1", 1.0)]), SEEDS, "")
    with target.open(encoding="utf-8", newline="") as file:
        assert next(csv.DictReader(file))["name"] == "'=1+1"
    assert target.stat().st_mode & 0o077 == 0
    board.check_target(target)  # may be written again


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("board.xlsx", None, ".json or .csv"),
        ("no/board.json", None, "no such folder"),
        ("grades.csv", "student,score\n", "not a leaderboard"),
        ("other.json", "[]", "not a leaderboard"),
        ("empty.json", "", "not a leaderboard"),
    ],
)
def test_a_wrong_target_is_told_before_any_work(tmp_path, name, content, word):
    target = tmp_path / name
    if content is not None:
        target.write_text(content)
    with pytest.raises(board.BoardError, match=word):
        board.check_target(target)


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")

    def call(*arguments):
        result = CliRunner().invoke(app, ["challenge", *map(str, arguments)])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output + (result.stderr if result.stderr_bytes else "")

    return call


def test_the_command_scores_an_export_beside_the_baselines(run, tmp_path):
    export = tmp_path / "export"
    for name, text in {"amy": script(PLAN, BETTER), "bob": "def my_policy(*a): ..."}.items():
        (export / name).mkdir(parents=True)
        (export / name / "lab5.py").write_text(text)
    (export / "cat").mkdir()
    (export / "cat" / f"{NOTEBOOK}.ipynb").write_text("<html>")
    target = tmp_path / "board.json"
    code, output = run(export, "--course", ROOT, "--leaderboard", target, *SEED_OPTIONS)
    assert code == 0
    assert "collected 3 files of 3 students" in output
    written = json.loads(target.read_text(encoding="utf-8"))
    assert (written["seeds"], written["evidence_level"]) == (list(SEEDS), "simulated")
    status = {row["name"]: (row["rank"], row["status"]) for row in written["leaderboard"]}
    assert status["amy"] == (1, "scored")
    assert status["bob"] == (None, "refused")
    assert status["cat"] == (None, "missing")
    assert {"vllm_v1", "sglang", "sarathi"} < set(status)


def test_the_command_reads_the_course_and_the_steps_handed_in_before(run, tmp_path):
    for name in ("source", "nbgrader_config.py"):
        (tmp_path / name).symlink_to(ROOT / name)
    submitted = tmp_path / "submitted" / "amy"
    for folder, name, notebook in (
        (LABS, NOTEBOOK, released()),
        (STEPS.name, "step2_chunked_prefill", solved("step2_chunked_prefill")),
    ):
        (submitted / folder).mkdir(parents=True)
        (submitted / folder / f"{name}.ipynb").write_text(json.dumps(notebook))
    target = tmp_path / "board.csv"
    code, output = run("--course", tmp_path, "--leaderboard", target, *SEED_OPTIONS)
    assert (code, "amy" in output) == (0, True)
    with target.open(encoding="utf-8", newline="") as file:
        status = {row["name"]: row["status"] for row in csv.DictReader(file)}
    assert status["amy"] == "scored"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.zip"], "no such file"),
        (["--leaderboard", "board.txt"], ".json or .csv"),
        (["--require-isolation", "magic"], "must be one of"),
    ],
)
def test_wrong_use_is_one_line(run, arguments, message):
    code, output = run(*arguments, "--course", ROOT)
    assert (code, message in output) == (2, True)
    assert "Traceback" not in output


def test_nobody_handed_in(run, tmp_path):
    (tmp_path / "export").mkdir()
    target = tmp_path / "board.json"
    code, output = run(tmp_path / "export", "--course", ROOT, "--leaderboard", target)
    assert (code, "nothing to score" in output, target.exists()) == (1, True, False)
