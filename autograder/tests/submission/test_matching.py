"""Finding a learner's cells: by name, by content, by place; and saying so."""

import pytest
from miniature import honest
from miniature.handed_in import released

from pdgrade.submission import parse
from pdgrade.submission.matching import match
from pdgrade.submission.plan import plan_question

TODO1 = "todo1_summarize_request_mix"


def matched(miniature, handed, step="step1"):
    source = next(n for n in miniature.notebooks if n.name.startswith(step))
    return match(source, parse(handed.bytes_of(step)))


def codes(found):
    return [note.code for note in found.notes]


def strip_metadata(handed):
    for cell in handed.cells("step1"):
        cell["metadata"] = {}
    return handed


def strip_ids(handed):
    for cell in handed.cells("step1"):
        cell.pop("id")
    return handed


def test_an_honest_notebook_matches_without_a_word(miniature):
    found = matched(miniature, honest())
    assert codes(found) == []
    assert set(found.solutions) == {TODO1, "concept_1a"}
    assert found.written() == 2


def test_a_released_notebook_is_unwritten(miniature):
    assert matched(miniature, released()).written() == 0


def test_without_metadata_cells_are_found_by_their_id(miniature):
    found = matched(miniature, strip_metadata(honest()))
    assert codes(found) == ["matched_cell_id"] * 2


def test_without_metadata_and_ids_cells_are_found_by_their_content(miniature):
    found = matched(miniature, strip_ids(strip_metadata(honest())))
    assert codes(found) == ["matched_content"] * 2
    assert found.written() == 2
    assert [p.role for p in found.pieces].count("test") == 3


def test_a_renamed_function_is_found_by_its_place(miniature):
    handed = strip_ids(strip_metadata(honest().answer(TODO1, "def my_mix(a, b):\n    return {}")))
    assert codes(matched(miniature, handed))[0] == "matched_position"


@pytest.mark.parametrize("written_first", [True, False])
def test_of_two_copies_the_written_one_is_kept(miniature, written_first):
    handed = honest() if written_first else released()
    at = handed.index("step1", TODO1)
    copy = dict(handed.find(TODO1), id="pasted")
    handed.cells("step1").insert(at + 1, copy)
    good = honest().find(TODO1)["source"]
    handed.cells("step1")[at]["source"] = good if written_first else copy["source"]
    copy["source"] = released().find(TODO1)["source"] if written_first else good
    found = matched(miniature, handed)
    assert found.solutions[TODO1] == good
    assert "duplicate_kept_one" in codes(found)


def test_of_two_written_copies_the_released_position_wins(miniature):
    handed = honest()
    at = handed.index("step1", TODO1)
    copy = dict(
        handed.find(TODO1), id="pasted", source="def summarize_request_mix(a, b):\n    return 3"
    )
    handed.cells("step1").insert(at + 1, copy)
    found = matched(miniature, handed)
    assert found.solutions[TODO1] == handed.find(TODO1)["source"]
    assert "return 3" not in "".join(c.source for c in plan_of(found, TODO1).cells)


def test_a_split_cell_is_put_together(miniature):
    handed = honest()
    at = handed.index("step1", TODO1)
    head, tail = handed.find(TODO1)["source"].split("    counts = ", 1)
    handed.cells("step1").insert(
        at + 1, dict(handed.find(TODO1), id="new", source="    counts = " + tail)
    )
    handed.cells("step1")[at]["source"] = head
    found = matched(miniature, handed)
    assert codes(found) == ["split_joined"]
    assert "return counts" in found.solutions[TODO1]
    assert "kinds = [" in found.solutions[TODO1]


def test_a_label_of_another_question_does_not_move_an_answer(miniature):
    handed = honest()
    handed.find(TODO1)["metadata"]["nbgrader"]["grade_id"] = "swapped"
    handed.find("concept_1a")["metadata"]["nbgrader"]["grade_id"] = TODO1
    handed.find("swapped")["metadata"]["nbgrader"]["grade_id"] = "concept_1a"
    found = matched(miniature, handed)
    assert "def summarize_request_mix" in found.solutions[TODO1]
    assert "def concept_1a" in found.solutions["concept_1a"]


def test_an_answer_in_a_cell_of_its_own_is_used_when_the_stub_is_left(miniature):
    handed = released().insert("step1", 6, honest().find(TODO1)["source"])
    found = matched(miniature, handed)
    assert found.solutions[TODO1] == honest().find(TODO1)["source"]


def test_deleted_and_edited_tests_are_told(miniature):
    handed = honest()
    handed.cells("step1").remove(handed.find("todo1_pure"))
    handed.find("concept_1a_answer")["source"] = "assert True"
    assert sorted(codes(matched(miniature, handed))) == ["test_reinserted", "test_restored"]


def plan_of(found, name):
    question = next(q for q in found.source.questions if q.name == name)
    return plan_question(found, question)


def labels(cells):
    return [cell.label for cell in cells]


def test_an_honest_plan_is_the_provided_cells_and_the_answer(miniature):
    plan = plan_of(matched(miniature, honest()), TODO1)
    assert labels(plan.cells) == ["prelude", "provided[3]", TODO1]
    assert plan.cells == plan.needed_only


def test_own_helpers_run_and_asides_can_be_left_out(miniature):
    handed = honest()
    handed.answer(TODO1, "def summarize_request_mix(r, t):\n    return helper(r, t)")
    handed.insert("step1", 3, "def helper(r, t):\n    return LIMIT")
    handed.insert("step1", 3, "LIMIT = 3")
    handed.insert("step1", 3, "while True:\n    pass")
    plan = plan_of(matched(miniature, handed), TODO1)
    assert labels(plan.cells) == ["prelude", "provided[3]", "cell[4]", "cell[5]", "cell[6]", TODO1]
    assert labels(plan.needed_only) == ["prelude", "provided[3]", "cell[5]", "cell[6]", TODO1]


CONCEPT = "concept_1a"


@pytest.mark.parametrize(
    "mine",
    [
        "import math, os\n",  # it imports the same itself
        "HALF = 1\n",  # it has its own
        "def cut():\n    HALF = sum([1])\n    return HALF\n",  # a local of the same name
    ],
)
def test_an_answer_that_another_does_not_need_is_not_run_for_it(miniature, mine):
    handed = honest()
    theirs = "import math, os\nHALF = 2\ndef sum(x):\n    return 0\nwhile True: pass\n"
    handed.answer(TODO1, theirs + handed.find(TODO1)["source"])
    handed.answer(CONCEPT, mine + handed.find(CONCEPT)["source"])
    plan = plan_of(matched(miniature, handed), CONCEPT)
    assert labels(plan.cells) == labels(plan.needed_only) == ["prelude", "provided[3]", CONCEPT]


@pytest.mark.parametrize(
    "mine", ["x = HALF\n", "HALF += 1\n", "HALF = HALF\n", "def g():\n    return HALF\n"]
)
def test_of_an_answer_that_another_needs_the_definitions_are_kept_at_least(miniature, mine):
    handed = honest()
    handed.answer(TODO1, "HALF = 2; exit()\n" + handed.find(TODO1)["source"])
    handed.answer(CONCEPT, mine + handed.find(CONCEPT)["source"])
    plan = plan_of(matched(miniature, handed), CONCEPT)
    assert (
        labels(plan.cells) == labels(plan.needed_only) == ["prelude", "provided[3]", TODO1, CONCEPT]
    )
    assert "exit()" not in plan.needed_only[2].source
    assert "HALF = 2" in plan.needed_only[2].source
    assert plan.spared() == {TODO1}


def test_a_deleted_provided_cell_is_back_and_a_changed_one_runs_too(miniature):
    handed = honest()
    del handed.cells("step1")[2]
    assert labels(plan_of(matched(miniature, handed), TODO1).cells) == [
        "prelude",
        "provided[3]",
        TODO1,
    ]
    handed = honest()
    handed.cells("step1")[2]["source"] += "\nMINE = 1"
    plan = plan_of(matched(miniature, handed), TODO1)
    assert labels(plan.cells) == ["prelude", "provided[3]", "cell[3]", TODO1]


def test_an_answer_that_uses_another_takes_it_along(miniature):
    handed = honest()
    handed.answer(
        "concept_1a", "def concept_1a():\n    summarize_request_mix([], 1)\n    return 'B'"
    )
    plan = plan_of(matched(miniature, handed), "concept_1a")
    assert TODO1 in labels(plan.cells)
    assert "concept_1a" not in labels(plan_of(matched(miniature, handed), TODO1).cells)


@pytest.mark.parametrize(("mine", "taken"), [("HALF = floor(1)\n", True), ("HALF = 1\n", False)])
def test_what_an_answer_imports_with_a_star_is_taken_only_where_a_name_is_unknown(
    miniature, mine, taken
):
    handed = honest()
    handed.answer(TODO1, "from math import *\n" + handed.find(TODO1)["source"])
    handed.answer(CONCEPT, mine + handed.find(CONCEPT)["source"])
    plan = plan_of(matched(miniature, handed), CONCEPT)
    assert (TODO1 in labels(plan.cells)) is taken
