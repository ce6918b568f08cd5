"""A notebook is a function of its script: same script, same bytes, nothing else kept."""

import json

import pytest

from pdgrade import sync
from pdsched import cloud

SCRIPT = """# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
# ---

# %% tags=["setup"]
old = "set-up cell"

# %% [markdown] tags=["badges"]
# old links

# %% [markdown]
# ### Heading
# words

# %% tags=["aside", "nbval-check-output"]
print("kept")
2 + 2

# %% tags=["aside", "nbval-ignore-output"]
print("not kept")
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "step9_test.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def cells(script):
    document = json.loads(script.with_suffix(".ipynb").read_text(encoding="utf-8"))
    return document["cells"]


def test_text_outputs_are_kept_except_where_tagged_and_counts_are_those_of_a_clean_run(script):
    sync.sync(script)
    _, kept, unkept = [cell for cell in cells(script) if cell["cell_type"] == "code"]

    assert [output["output_type"] for output in kept["outputs"]] == ["stream", "execute_result"]
    assert kept["outputs"][1]["data"] == {"text/plain": ["4"]}
    assert (kept["execution_count"], kept["outputs"][1]["execution_count"]) == (2, 2)
    assert unkept["outputs"] == []


def test_a_second_sync_changes_nothing(script):
    assert sync.sync(script)
    assert not sync.sync(script)
    assert sync.is_in_step(script)


def test_generated_cells_follow_the_published_location_in_script_and_notebook(script):
    sync.sync(script, execute=False)
    setup, badges, *_ = cells(script)

    assert "".join(setup["source"]) == cloud.setup_cell()
    assert "".join(badges["source"]) == cloud.badges("step9_test")
    assert cloud.PUBLISHED.repository in script.read_text(encoding="utf-8")


def test_ids_survive_edits_below_the_heading_and_inside_code(script):
    sync.sync(script, execute=False)
    before = [cell["id"] for cell in cells(script)]
    edited = script.read_text(encoding="utf-8").replace("# words", "# other words")
    script.write_text(edited.replace('print("kept")', 'print("same")'), encoding="utf-8")
    sync.sync(script, execute=False)

    assert [cell["id"] for cell in cells(script)] == before
    assert before[0] == "setup"
    assert len(set(before)) == len(before)


def test_an_edited_script_is_out_of_step_until_synced(script):
    sync.sync(script, execute=False)
    edited = script.read_text(encoding="utf-8").replace("2 + 2", "2 + 3")
    script.write_text(edited, encoding="utf-8")

    assert not sync.is_in_step(script)
    assert sync.main(["--check", str(script)]) == 1
    assert sync.main(["--no-run", str(script)]) == 0
    assert sync.is_in_step(script)


def test_without_running_outputs_stay_only_with_unchanged_cells(script):
    sync.sync(script)
    edited = script.read_text(encoding="utf-8").replace("2 + 2", "2 + 3")
    script.write_text(edited, encoding="utf-8")
    sync.sync(script, execute=False)

    assert [cell.get("outputs", []) for cell in cells(script)][3] == []
