"""release/ is what nbgrader makes of source/, byte for byte, and holds nothing it must not."""

import ast
import itertools
import json

import pytest

from pdgrade import release


def test_committed_release_is_identical_to_a_fresh_one(course_root):
    assert release.differences(course_root) == []


def test_release_holds_only_notebooks_without_scripts(course_root):
    files = [path for path in (course_root / "release").rglob("*") if path.is_file()]

    assert files
    assert not [path for path in files if path.suffix == ".py"]


def test_release_holds_no_mark_of_a_solution_or_hidden_test(course_root):
    release.refuse_forbidden([*(course_root / "release").rglob("*.ipynb")])


def region(source, name):
    _, _, rest = source.partition(f"### BEGIN {name}\n")
    return rest.partition(f"### END {name}")[0]


def test_release_holds_no_run_of_lines_of_any_solution(source_notebooks, released_notebooks):
    """A single line such as ``"handoff_ms": handoff_ms,`` may also stand in a visible test."""
    for name, cells in source_notebooks.items():
        released = "\n".join("".join(cell["source"]) for cell in released_notebooks[name])
        released = [line.strip() for line in released.splitlines()]
        pairs = set(itertools.pairwise(released))
        for cell in cells:
            solution = region("".join(cell["source"]), "SOLUTION").splitlines()
            lines = [line.strip() for line in solution]
            assert not pairs & {pair for pair in itertools.pairwise(lines) if "return" not in pair}


def test_released_stub_names_the_same_function_and_raises_not_implemented(
    source_notebooks, released_notebooks
):
    stubs = 0
    for name, cells in released_notebooks.items():
        originals = {cell["id"]: "".join(cell["source"]) for cell in source_notebooks[name]}
        for cell in cells:
            if not cell["metadata"].get("nbgrader", {}).get("solution"):
                continue
            (stub,) = ast.parse("".join(cell["source"])).body
            (original,) = ast.parse(originals[cell["id"]]).body
            assert ast.dump(stub.args) == ast.dump(original.args)
            assert ast.get_docstring(stub) == ast.get_docstring(original)
            assert isinstance(stub.body[-1], ast.Raise)
            assert "请把你的代码写在这里" in "".join(cell["source"])
            stubs += 1
    assert stubs == 14


def test_released_cells_keep_the_ids_of_the_source(source_notebooks, released_notebooks):
    for name, cells in source_notebooks.items():
        assert [cell["id"] for cell in cells] == [cell["id"] for cell in released_notebooks[name]]


def test_released_notebooks_carry_no_outputs_counts_versions_or_authoring_tags(course_root):
    for path in (course_root / "release").rglob("*.ipynb"):
        document = json.loads(path.read_text(encoding="utf-8"))
        assert set(document["metadata"]) == {"kernelspec", "language_info"}
        assert document["metadata"]["language_info"] == {"name": "python"}
        for cell in document["cells"]:
            tags = cell["metadata"].get("tags", [])
            assert not [tag for tag in tags if tag.startswith("nbval-")]
            assert cell.get("outputs", []) == []
            assert cell.get("execution_count") is None


@pytest.mark.parametrize("mark", release.FORBIDDEN)
def test_a_release_with_a_forbidden_mark_is_refused(tmp_path, mark):
    path = tmp_path / "step.ipynb"
    path.write_text(f'{{"cells": ["### {mark}"]}}', encoding="utf-8")

    with pytest.raises(release.ReleaseError, match=r"step\.ipynb: still holds"):
        release.refuse_forbidden([path])


def test_a_script_in_the_release_is_refused(tmp_path):
    path = tmp_path / "step.py"
    path.write_text("", encoding="utf-8")

    with pytest.raises(release.ReleaseError, match="script must not be released"):
        release.refuse_forbidden([path])
