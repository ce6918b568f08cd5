"""Every notebook, run from top to bottom in a kernel by nbval."""

import os
import re
import subprocess
import sys

import pytest

ASSIGNMENT = "prefill-decode-scheduling"
NAMES = (
    "step1_request_pressure",
    "step2_chunked_prefill",
    "step3_pd_pools",
    "step4_ledger_decision",
)
pytestmark = pytest.mark.slow


def failed_cells(folder, mode, scratch):
    """Notebook → indices, among its code cells, of those that fail; and what pytest printed."""
    (scratch / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    options = [
        "-q",
        "-rA",
        "-p",
        "no:cacheprovider",
        "-c",
        scratch / "pytest.ini",
        f"--rootdir={folder}",
    ]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", mode, "--nbval-current-env", *options),
            *(folder / f"{name}.ipynb" for name in NAMES),
        ],
        env=os.environ | {"PDSCHED_HOME": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    cells = re.findall(r"^(\w+) \S*?(\w+)\.ipynb::Cell (\d+)", done.stdout, re.MULTILINE)
    assert {name for _, name, _ in cells} == set(NAMES), done.stdout + done.stderr
    failed = {name: set() for name in NAMES}
    for verdict, name, number in cells:
        if verdict != "PASSED":
            failed[name].add(int(number))
    return failed, done.stdout


@pytest.fixture(scope="module")
def source_run(course_root, tmp_path_factory):
    """Strict: outputs must be the saved ones, except where a cell is tagged nbval-ignore-output."""
    folder = course_root / "source" / ASSIGNMENT
    return failed_cells(folder, "--nbval", tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def released_run(course_root, tmp_path_factory):
    folder = course_root / "release" / ASSIGNMENT
    return failed_cells(folder, "--nbval-lax", tmp_path_factory.mktemp("release"))


@pytest.mark.parametrize("name", NAMES)
def test_source_runs_and_gives_its_saved_outputs(source_run, name):
    failed, output = source_run

    assert failed[name] == set(), output[-3000:]


@pytest.mark.parametrize("name", NAMES)
def test_released_notebook_fails_exactly_at_the_unwritten_tests(
    released_run, released_notebooks, name
):
    failed, output = released_run

    code = [cell for cell in released_notebooks[name] if cell["cell_type"] == "code"]
    grades = [cell["metadata"].get("nbgrader", {}).get("grade") for cell in code]
    assert failed[name] == {index for index, grade in enumerate(grades) if grade}, output[-3000:]
