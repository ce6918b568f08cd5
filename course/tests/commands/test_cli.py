"""The command line as a user sees it."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

typer_testing = pytest.importorskip("typer.testing")
pytest.importorskip("rich")

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def invoke(monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    from pdsched.commands.app import app

    runner = typer_testing.CliRunner()
    return lambda *arguments: runner.invoke(app, [str(a) for a in arguments])


def test_simulate_prints_a_table_and_writes_files(invoke, tmp_path):
    files = {kind: tmp_path / f"out.{kind}" for kind in ("json", "csv", "trace")}
    options = [part for kind, path in files.items() for part in (f"--{kind}", path)]
    result = invoke(
        "simulate", "--workload", "chat", "-n", 30, "--policy", "balanced", "--hardware", "a100",
        "--slo", "ttft=400,tpot=40", *options,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "TTFT (prefill)" in result.output
    assert "llama-3.1-8b on a100" in result.output
    written = json.loads(files["json"].read_text(encoding="utf-8"))
    assert written["evidence"] == "simulated"
    assert written["metrics"]["num_requests"] == 30
    (row,) = csv.DictReader(files["csv"].open(encoding="utf-8"))
    assert row["policy"] == "balanced"
    assert json.loads(files["trace"].read_text(encoding="utf-8"))["traceEvents"]


def test_simulate_draws_the_lanes_of_every_worker_on_one_page(invoke, tmp_path):
    page = tmp_path / "lanes.html"
    result = invoke("simulate", "-n", 300, "--rate", 60, "--workers", "2:2", "--html", page)
    assert result.exit_code == 0, result.output
    html = page.read_text(encoding="utf-8")
    assert html.count("<svg") == 1
    for lane in ("P1", "P2", "D1", "D2", 'data-role="handoff"'):
        assert lane in html
    assert "<script" not in html


def test_sweep_runs_the_grid_and_plots_it_without_network(invoke, tmp_path):
    page, rows = tmp_path / "sweep.html", tmp_path / "sweep.csv"
    result = invoke(
        "sweep", "-n", 25, "--loads", "5,20", "--workers", "2,1:1", "--jobs", 1,
        "--html", page, "--csv", rows,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "4/4" in result.output
    found = list(csv.DictReader(rows.open(encoding="utf-8")))
    assert [(row["rate_per_s"], row["prefill_workers"]) for row in found] == [
        ("5.0", "0"),
        ("20.0", "0"),
        ("5.0", "1"),
        ("20.0", "1"),
    ]
    html = page.read_text(encoding="utf-8")
    assert "<script src=" not in html
    assert "Plotly.newPlot" in html


def test_validate_prints_rows_error_and_bias_per_group(invoke, tmp_path):
    lines = (DATA / "llama31_8b_h100_trtllm.csv").read_text(encoding="utf-8").splitlines()
    unknown = lines[1].replace("meta-llama/Llama-3.1-8B-Instruct", "DEEPSEEK_V3")
    path = tmp_path / "rows.csv"
    path.write_text("\n".join([*lines[:4], unknown]), encoding="utf-8")
    result = invoke("validate", path, "--json", tmp_path / "out.json")
    assert result.exit_code == 0, result.output
    assert "DEEPSEEK_V3" in result.output
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written["rows"] == 3
    assert written["groups"][0]["tp"] == 1
    assert written["groups"][0]["tpot_mean_absolute_error"] < 0.05


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "--hardware", "h900"], "unknown hardware 'h900'"),
        (["simulate", "--workload", "nowhere.csv"], "unknown workload 'nowhere.csv'"),
        (["simulate", "--slo", "fast"], "ttft=400"),
        (["simulate", "--workers", "one"], "workers look like"),
        (["simulate", "--budget", "0"], "max_num_batched_tokens"),
        (["simulate", "--model", "llama-3.1-405b"], "does not fit"),
        (["sweep"], "--budgets"),
        (["sweep", "--budgets", "many"], "--budgets"),
        (["validate", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_a_wrong_value_is_one_line_on_stderr(invoke, arguments, words):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output


def test_bench_says_when_no_server_answers(invoke):
    # The discard port: nobody listens there.
    result = invoke("bench", "--url", "http://127.0.0.1:9", "-n", 1)
    assert result.exit_code == 2
    assert "127.0.0.1:9" in result.output
    assert "Traceback" not in result.output


def test_plans_replays_a_recording(invoke, tmp_path):
    lines = (DATA / "vllm_v1_plans.jsonl").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "two.jsonl"
    path.write_text("\n".join(lines[:2]), encoding="utf-8")
    result = invoke("plans", path)
    assert result.exit_code == 0
    assert "2/2 scenarios identical" in result.output


@pytest.mark.core
@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_its_packages_the_command_names_the_extra(missing):
    code = (
        f"import sys; sys.modules[{missing!r}] = None; sys.argv = ['pdsched'];"
        "from pdsched.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "pdsched[labs]" in done.stderr
    assert missing in done.stderr


@pytest.mark.core
def test_the_core_imports_neither_numpy_nor_the_command_line():
    code = (
        "import sys, pdsched.workload, pdsched.hardware, pdsched.cost, pdsched.experiment;"
        "heavy = {'numpy', 'pandas', 'pooch', 'typer', 'rich', 'dask', 'plotly'};"
        "sys.exit(str(sorted(heavy & set(sys.modules))) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "-n", 5, "--json"),
        ("simulate", "-n", 5, "--trace"),
        ("sweep", "-n", 5, "--loads", 5, "--csv"),
        ("validate", DATA / "no_such_file_is_read.csv", "--json"),
        ("bench", "--url", "http://127.0.0.1:9", "--json"),
    ],
    ids=lambda command: " ".join(map(str, command[:1])) + command[-1],
)
def test_a_file_that_cannot_be_written_is_named_before_the_work(invoke, tmp_path, command):
    target = tmp_path / "no" / "such" / "folder.out"
    result = invoke(*command, target)
    assert result.exit_code == 2
    assert str(target) in result.stderr.replace("\n", "")
    assert result.stdout == ""


def test_a_file_of_plans_without_a_scenario_is_no_success(invoke, tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    result = invoke("plans", empty)
    assert result.exit_code == 2
    assert "empty.jsonl" in result.stderr
