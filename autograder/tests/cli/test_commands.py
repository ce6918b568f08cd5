"""The command line: what works says so, what is wrong is one line and an exit code."""

import json
import subprocess
import sys

import pytest
from miniature import NAME, honest
from miniature.handed_in import released
from typer.testing import CliRunner

from pdgrade.cli.app import app
from pdgrade.gradebook.writer import open_gradebook


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")

    def call(*arguments):
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output + (result.stderr if result.stderr_bytes else "")

    return call


def test_grade_feedback_report_export(run, small_class):
    root = small_class.root
    code, output = run("grade", "--course", root, "--jobs", 1)
    assert (code, "3 submissions" in output) == (0, True)
    assert run("feedback", "--course", root)[0] == 0
    assert run("report", "--course", root, "--lang", "en")[0] == 0
    assert (root / f"report-{NAME}.csv").is_file()
    code, _ = run("export", "--course", root, "--out", root / "g.csv")
    assert (code, (root / "g.csv").read_text("utf-8").count("\n")) == (0, 4)


def test_grade_takes_an_export_and_reports_the_unreadable(run, classroom, tmp_path):
    export = tmp_path / "export"
    honest().write(export / "张三_1_assignsubmission_file_")
    honest().file("step1", b"<html>").file("step2", b"<html>").write(
        export / "李四_2_assignsubmission_file_"
    )
    code, output = run("grade", export, "--course", classroom.root, "-j", 1)
    assert code == 1
    assert "collected 4 files of 2 students" in output
    assert "无法读取" in output
    assert classroom.scores() == {"张三_1": 9, "李四_2": 0}
    with open_gradebook(classroom.course) as book:
        assert book.find_student("张三_1").last_name == "张三"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grade", "--course", "/nonexistent"], "no nbgrader_config.py"),
        (["grade", "--since", "whenever"], "--since must be a time"),
        (["grade", "--executor", "threads"], "executor must be"),
        (["grade", "--assignment", "other"], "no notebook with graded cells"),
        (["feedback", "--lang", "fr"], "--lang must be one of"),
        (["export", "--format", "xls"], "--format must be one of"),
        (["grade", "no-such-export.zip"], "no such file or folder"),
    ],
)
def test_wrong_use_is_one_line(run, classroom, arguments, message):
    if "--course" not in arguments:
        arguments = [*arguments, "--course", classroom.root]
    code, output = run(*arguments)
    assert code == 2
    assert message in output
    assert "Traceback" not in output


def test_an_empty_class_is_told(run, classroom):
    code, output = run("grade", "--course", classroom.root)
    assert (code, "nothing to grade" in output) == (1, True)


def test_isolation_that_does_not_exist_is_refused(run, small_class):
    code, output = run(
        "grade", "--course", small_class.root, "--force", "--require-isolation", "vault"
    )
    assert code == 2
    assert "vault" in output
    assert small_class.scores() == {"amy": 9, "bob": 0, "张三": 8}


def test_check_shows_a_learner_the_visible_half(run, tmp_path, registered):
    folder = (
        honest()
        .answer("todo4_plan_pd_split", "def plan_pd_split(r, p, d):\n    return {}")
        .write(tmp_path / "mine")
    )
    code, output = run("check", folder)
    assert code == 1
    assert "✗ plan_pd_split" in output
    assert "✓ summarize_request_mix" in output
    assert "期望" in output


def test_check_says_which_cell_is_in_the_way(run, tmp_path):
    folder = honest().insert("step1", 1, "1 / 0").write(tmp_path / "mine")
    code, output = run("check", folder / "step1_request_pressure.ipynb")
    assert (code, "第 2 格: ZeroDivisionError" in output) == (0, True)


def test_check_of_an_unwritten_and_of_an_unreadable_notebook(run, tmp_path):
    folder = released().file("step2", b"<html>").write(tmp_path / "mine")
    code, output = run("check", folder)
    assert (code, "尚未编写" in output, "HTML" in output) == (1, True, True)


def test_doctor_looks_at_everything(run, small_class):
    code, output = run("doctor", "--course", small_class.root)
    assert "9 points, 3 submitted, 3 graded" in output
    assert "gradebook" in output
    assert code in (0, 1)


def test_records_are_private_and_valid(small_class):
    path = small_class.course.record("amy", NAME)
    for private in (path, path.parent, path.parent.parent, small_class.root / "gradebook.db"):
        assert private.stat().st_mode & 0o077 == 0
    assert json.loads(path.read_text())["schema_version"] == 1


def test_the_put_off_grammar_still_answers():
    code = """
from pdgrade.cli.quick_start import put_off_the_grammar
put_off_the_grammar()
import jsonschema, sys
checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
assert "rfc3987_syntax.syntax_helpers" not in sys.modules
assert checker.conforms("https://例子.测试/路", "iri")
assert not checker.conforms("not an address", "iri")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_check_needs_no_nbgrader(tmp_path):
    folder = honest().write(tmp_path / "mine")
    code = """
import sys
for name in ("nbgrader", "nbformat", "sqlalchemy", "jupyter_client", "jinja2", "plotly"):
    sys.modules[name] = None
sys.argv = ["pdgrade", "check", sys.argv[1]]
from pdgrade.cli import main
main()
"""
    subprocess.run([sys.executable, "-c", code, folder], check=True)


def test_doctor_passes_over_labs_but_not_over_a_broken_assignment(run, small_class):
    labs = small_class.root / "source" / "labs"
    labs.mkdir()
    (labs / "lab.ipynb").write_text('{"cells": []}', encoding="utf-8")
    _, output = run("doctor", "--course", small_class.root)
    assert "source/labs" not in output
    (labs / "lab.ipynb").write_text("{", encoding="utf-8")
    code, output = run("doctor", "--course", small_class.root)
    assert code == 1
    assert "lab.ipynb is not a readable notebook" in " ".join(output.split())
