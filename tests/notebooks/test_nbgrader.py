"""nbgrader's commands on a copy of the course: release, check, grade, feedback, export."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ASSIGNMENT = "prefill-decode-scheduling"
POINTS = {
    "step1_request_pressure": 8,
    "step2_chunked_prefill": 20,
    "step3_pd_pools": 8,
    "step4_ledger_decision": 8,
}

pytestmark = pytest.mark.slow


class Course:
    """A temporary nbgrader course directory."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        scripts = Path(sys.executable).parent
        self.environment = os.environ | {
            "PATH": os.pathsep.join([str(scripts), os.environ["PATH"]]),
            "PDSCHED_HOME": str(home),
            "JUPYTER_CONFIG_DIR": str(home),
        }

    def nbgrader(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def submit(self, student: str, notebooks: dict[str, dict]) -> None:
        folder = self.root / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True)
        for name, notebook in notebooks.items():
            (folder / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")

    def released(self) -> dict[str, dict]:
        folder = self.root / "release" / ASSIGNMENT
        return {
            path.stem: json.loads(path.read_text(encoding="utf-8"))
            for path in sorted(folder.glob("*.ipynb"))
        }


def with_answers(released: dict, source_cells: list[dict]) -> dict:
    """The released notebook as a learner with the reference answers hands it in."""
    answers = {cell["id"]: cell["source"] for cell in source_cells}
    answered = json.loads(json.dumps(released))
    for cell in answered["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = answers[cell["id"]]
    return answered


@pytest.fixture(scope="module")
def course(course_root, source_notebooks, tmp_path_factory):
    """Released, submitted by a learner with the answers and one without, and graded."""
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(course_root / "source" / ASSIGNMENT, root / "source" / ASSIGNMENT)
    shutil.copy(course_root / "nbgrader_config.py", root)
    course = Course(root, tmp_path_factory.mktemp("home"))
    generated = course.nbgrader("generate_assignment", ASSIGNMENT)
    assert generated.returncode == 0, generated.stderr
    released = course.released()
    answered = {
        name: with_answers(notebook, source_notebooks[name]) for name, notebook in released.items()
    }
    course.submit("reference", answered)
    course.submit("empty", released)
    return course


@pytest.fixture(scope="module", params=["nbgrader's own kernel", "isolated"])
def graded(course, request):
    """The course after `nbgrader autograde`, first as nbgrader always did it, then our way."""
    course.environment["PDGRADE_NBGRADER"] = "off" if request.param != "isolated" else "on"
    done = course.nbgrader("autograde", ASSIGNMENT, "--force")
    assert done.returncode == 0, done.stderr
    return course


def test_generate_assignment_gives_the_committed_release(course, course_root):
    for path in (course.root / "release" / ASSIGNMENT).glob("*.ipynb"):
        committed = course_root / "release" / ASSIGNMENT / path.name
        assert path.read_bytes() == committed.read_bytes(), path.name
    assert not list((course.root / "release").rglob("*.py"))


def test_validate_passes_the_source_and_fails_the_stub(course):
    passed = course.nbgrader("validate", *(f"source/{ASSIGNMENT}/{name}.ipynb" for name in POINTS))
    failed = course.nbgrader("validate", *(f"release/{ASSIGNMENT}/{name}.ipynb" for name in POINTS))

    success = "Success! Your notebook passes all the tests."
    assert passed.stdout.count(success) == len(POINTS), passed.stdout[-2000:]
    assert failed.stdout.count("VALIDATION FAILED ON") == len(POINTS)
    assert success not in failed.stdout


def scores(course):
    """(student, notebook) → score of every graded cell, from the gradebook."""
    from nbgrader.api import Gradebook

    found = {}
    with Gradebook(f"sqlite:///{course.root / 'gradebook.db'}") as gradebook:
        for submission in gradebook.assignment_submissions(ASSIGNMENT):
            for notebook in submission.notebooks:
                key = (submission.student.id, notebook.name)
                found[key] = {
                    grade.name: (grade.auto_score, grade.max_score) for grade in notebook.grades
                }
    return found


def test_reference_answers_get_full_marks_and_the_stub_none(graded, monkeypatch):
    monkeypatch.setenv("PATH", graded.environment["PATH"])
    found = scores(graded)

    assert {key[1] for key in found} == set(POINTS)
    for (student, name), grades in found.items():
        assert sum(maximum for _, maximum in grades.values()) == POINTS[name]
        expected = {
            grade: maximum if student == "reference" else 0
            for grade, (_, maximum) in grades.items()
        }
        assert {grade: got for grade, (got, _) in grades.items()} == expected, (student, name)


def test_generate_feedback_writes_a_page_per_notebook(graded):
    done = graded.nbgrader("generate_feedback", ASSIGNMENT, "--force")

    assert done.returncode == 0, done.stderr
    pages = sorted((graded.root / "feedback").rglob("*.html"))
    assert len(pages) == 2 * len(POINTS)


def test_export_lists_both_learners_with_their_totals(graded):
    done = graded.nbgrader("export")

    assert done.returncode == 0, done.stderr
    with (graded.root / "grades.csv").open(encoding="utf-8") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    total = sum(POINTS.values())
    assert {name: float(row["score"]) for name, row in rows.items()} == {
        "reference": total,
        "empty": 0,
    }
    assert {float(row["max_score"]) for row in rows.values()} == {total}
