"""Every source notebook keeps the conventions that the grader and the panels rely on."""

import ast
import builtins
import re
import symtable

import pytest

from pdgrade import sync

POINTS = {
    "step1_request_pressure": {
        "concept_1a_answer": 1,
        "concept_1b_answer": 1,
        "todo1_three_classes": 2,
        "todo1_threshold_edges": 2,
        "todo1_counts_conserved": 1,
        "todo1_pure": 1,
    },
    "step2_chunked_prefill": {
        "concept_2a_answer": 1,
        "todo2_order_and_tail": 2,
        "todo2_boundaries": 1,
        "todo2_rejects_bad_chunk": 1,
        "todo2_pure": 1,
        "concept_2b_answer": 1,
        "concept_2c_answer": 1,
        "todo3_decode_first": 2,
        "todo3_prefill_first": 2,
        "todo3_balanced_reserve": 2,
        "todo3_budget_conserved": 2,
        "todo3_no_idle_budget": 1,
        "todo3_rejects_bad_input": 2,
        "todo3_pure": 1,
    },
    "step3_pd_pools": {
        "concept_3a_answer": 1,
        "concept_3b_answer": 1,
        "todo4_three_pools": 2,
        "todo4_threshold_edges": 2,
        "todo4_exactly_one_pool": 1,
        "todo4_pure": 1,
    },
    "step4_ledger_decision": {
        "concept_4a_answer": 1,
        "concept_4b_answer": 1,
        "todo5_keep_requires_all_three": 2,
        "todo5_boundaries": 2,
        "todo5_reported_numbers": 1,
        "todo5_pure": 1,
    },
}
FUNCTIONS = {
    "todo1_summarize_request_mix",
    "todo2_build_chunked_prefill_plan",
    "todo3_plan_iteration_budget",
    "todo4_plan_pd_split",
    "todo5_evaluate_pd_decision",
} | {f"concept_{name}" for name in ("1a", "1b", "2a", "2b", "2c", "3a", "3b", "4a", "4b")}


def text(cell):
    return "".join(cell["source"])


def grading(cell):
    return cell["metadata"].get("nbgrader", {})


@pytest.mark.parametrize("name", POINTS)
def test_test_cells_have_the_agreed_ids_and_points_in_order(source_notebooks, name):
    tests = [grading(cell) for cell in source_notebooks[name] if grading(cell).get("grade")]

    assert {test["grade_id"]: test["points"] for test in tests} == POINTS[name]
    assert [test["grade_id"] for test in tests] == list(POINTS[name])
    assert all(test["locked"] and not test["solution"] for test in tests)


def test_each_solution_cell_defines_the_one_function_its_id_names(source_notebooks):
    found = {}
    for cells in source_notebooks.values():
        for cell in cells:
            if grading(cell).get("solution"):
                (function,) = ast.parse(text(cell)).body
                found[grading(cell)["grade_id"]] = function.name

    assert set(found) == FUNCTIONS
    for grade_id, function in found.items():
        assert grade_id in (function, f"todo{grade_id[4]}_{function}")


def free_names(source):
    """Names a test cell reads and does not define, in every scope."""
    top = symtable.symtable(source, "cell", "exec")
    defined = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned()}
    defined |= {symbol.get_name() for symbol in top.get_symbols() if symbol.is_imported()}
    read, tables = set(), [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        read |= {
            symbol.get_name()
            for symbol in table.get_symbols()
            if symbol.is_referenced() and (table is top or symbol.is_global())
        }
    return read - defined - set(dir(builtins))


def test_test_cells_are_self_contained(source_notebooks):
    learner_functions = {name.split("_", 1)[1] if name[0] == "t" else name for name in FUNCTIONS}
    for cells in source_notebooks.values():
        for cell in cells:
            if grading(cell).get("grade"):
                assert len(free_names(text(cell)) & learner_functions) == 1
                assert free_names(text(cell)) <= learner_functions, grading(cell)["grade_id"]


def test_each_test_cell_states_calls_visibly_and_calls_the_hidden_property_of_its_id(
    source_notebooks,
):
    for cells in source_notebooks.values():
        for cell in cells:
            if not grading(cell).get("grade"):
                continue
            visible, _, hidden = text(cell).partition("### BEGIN HIDDEN TESTS")
            assert re.match(r"# [一-鿿\w :=_]+", visible), "first line states what is checked"
            assert "expect(" in visible
            assert f'run_hidden("{grading(cell)["grade_id"]}", ' in hidden
            assert text(cell).endswith("### END HIDDEN TESTS")


def test_first_cell_is_the_setup_cell_and_the_title_follows(source_notebooks):
    for cells in source_notebooks.values():
        assert cells[0]["metadata"]["tags"] == ["setup"]
        assert text(cells[1]).startswith("# 38. Prefill Decode Scheduling | Prefill/Decode 调度")


def test_provided_code_is_tagged_so_that_the_grader_never_runs_it(source_notebooks):
    for cells in source_notebooks.values():
        for cell in cells:
            if cell["cell_type"] == "code" and not grading(cell):
                assert {"panel", "setup", "aside"} & set(cell["metadata"]["tags"])


def test_no_text_cell_is_a_wall(source_notebooks):
    for cells in source_notebooks.values():
        for cell in cells:
            if cell["cell_type"] == "markdown":
                assert len(text(cell)) < 1100, text(cell)[:60]
                assert text(cell).count("\n") < 40, text(cell)[:60]


def test_links_between_notebooks_lead_somewhere(course_root, source_notebooks):
    for cells in source_notebooks.values():
        for cell in cells:
            for target in re.findall(r"\]\(([^)#:]+\.ipynb)\)", text(cell)):
                assert (course_root / "source/prefill-decode-scheduling" / target).exists()


def test_notebook_and_script_are_in_step(course_root, source_notebooks):
    scripts = sorted((course_root / "source/prefill-decode-scheduling").glob("*.py"))

    assert [script.stem for script in scripts] == list(source_notebooks)
    assert [script.name for script in scripts if not sync.is_in_step(script)] == []


def test_saved_outputs_are_text_and_no_widget_state_is_kept(course_root):
    for path in (course_root / "source").glob("*/*.ipynb"):
        document = path.read_text(encoding="utf-8")
        assert "application/vnd.jupyter.widget" not in document
        assert '"image/' not in document
