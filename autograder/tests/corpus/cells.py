"""What happens to cells: copied, split, deleted, relabelled, stripped."""

import copy

from miniature.handed_in import Handed, released

TODO1 = "todo1_summarize_request_mix"
TODO2 = "todo2_build_chunked_prefill_plan"
TODO4 = "todo4_plan_pd_split"
WRONG = "def build_chunked_prefill_plan(suffix_tokens, chunk_size):\n    return 'copy'"


def every_cell(handed: Handed):
    return [cell for document in handed.notebooks.values() for cell in document["cells"]]


def below(handed: Handed, grade_id: str, source: str) -> dict:
    """Paste a copy of a solution cell, metadata included, below it."""
    cells = handed.cells("step2")
    pasted = copy.deepcopy(handed.find(grade_id)) | {"id": "pasted", "source": source}
    cells.insert(handed.index("step2", grade_id) + 1, pasted)
    return pasted


def copied(handed):
    below(handed, TODO2, handed.find(TODO2)["source"])


def wrong_copy_below(handed):
    below(handed, TODO2, WRONG)


def answer_in_copy(handed):
    below(handed, TODO2, handed.find(TODO2)["source"])
    handed.find(TODO2)["source"] = released().find(TODO2)["source"]


def split(handed):
    head, tail = handed.find(TODO2)["source"].split("    chunks = []", 1)
    below(handed, TODO2, "    chunks = []" + tail)
    handed.find(TODO2)["source"] = head


def split_helper(handed):
    answer = "def build_chunked_prefill_plan(s, c):\n    check(c)\n    return cut(list(s), c)"
    below(handed, TODO2, answer)
    handed.find(TODO2)["source"] = (
        "def check(c):\n    if c <= 0:\n        raise ValueError(c)\n\n"
        "def cut(s, c):\n    return [s[i:i + c] for i in range(0, len(s), c)]"
    )


def same_grade_id_twice(handed):
    handed.find("concept_1a")["metadata"]["nbgrader"]["grade_id"] = TODO1


def reversed_order(handed):
    for document in handed.notebooks.values():
        document["cells"].reverse()


def test_deleted(handed):
    handed.cells("step1").remove(handed.find("todo1_pure"))


def all_tests_deleted(handed):
    for document in handed.notebooks.values():
        document["cells"] = [
            c for c in document["cells"] if not c["metadata"].get("nbgrader", {}).get("grade")
        ]


def test_edited(handed):
    handed.answer(TODO4, "def plan_pd_split(r, p, d):\n    return {}")
    handed.find("todo4_one_pool")["source"] = "assert plan_pd_split([], 1, 1) == {}"


def test_to_markdown(handed):
    handed.find("todo4_one_pool")["cell_type"] = "markdown"


def answer_to_markdown(handed):
    handed.find(TODO4)["cell_type"] = "markdown"


def answer_to_raw(handed):
    handed.find(TODO4)["cell_type"] = "raw"


def answer_deleted(handed):
    handed.cells("step2").remove(handed.find(TODO2))


def metadata_stripped(handed):
    for cell in every_cell(handed):
        cell["metadata"] = {}


def no_ids(handed):
    for cell in every_cell(handed):
        cell.pop("id", None)


def all_stripped(handed):
    metadata_stripped(handed)
    no_ids(handed)


def stripped_and_reversed(handed):
    all_stripped(handed)
    reversed_order(handed)


def stripped_and_renamed(handed):
    handed.answer(TODO2, handed.find(TODO2)["source"].replace("build_chunked", "my_chunked"))
    all_stripped(handed)


def points_nulled(handed):
    for cell in every_cell(handed):
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] |= {"grade": False, "points": None}


def points_raised(handed):
    for cell in every_cell(handed):
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"] |= {"points": 1000}


def extra_key(handed):
    handed.find(TODO1)["metadata"]["nbgrader"]["vscode"] = {"languageId": "python"}


def labels_swapped(handed):
    names = {TODO2: TODO4, TODO4: TODO2}
    for cell in handed.cells("step2"):
        label = cell["metadata"].get("nbgrader", {})
        label["grade_id"] = names.get(label.get("grade_id"), label.get("grade_id"))


def labels_are_numbers(handed):
    for i, cell in enumerate(every_cell(handed)):
        cell["metadata"]["nbgrader"] = {"grade_id": i}


def metadata_is_a_list(handed):
    for cell in every_cell(handed):
        cell["metadata"] = ["nbgrader"]


def duplicate_ids(handed):
    for cell in every_cell(handed):
        cell["id"] = "same"


def provided_deleted(handed):
    handed.answer(TODO1, handed.find(TODO1)["source"] + "\n\nBLOCK = FULL_BLOCK * math.pi")
    del handed.cells("step1")[2]


def provided_extended(handed):
    handed.cells("step1")[2]["source"] += (
        "\nKINDS = ['mixed', 'prefill_heavy', 'decode_heavy', 'mixed']"
    )
    source = handed.find(TODO1)["source"]
    kinds = next(line for line in source.split("\n") if "kinds = " in line)
    handed.answer(TODO1, source.replace(kinds + "\n", "").replace("kinds[", "KINDS["))


def own_cell_answer(handed):
    answer = handed.find(TODO1)["source"]
    handed.find(TODO1)["source"] = released().find(TODO1)["source"]
    handed.insert("step1", handed.index("step1", TODO1) + 1, answer)


def older_release(handed):
    cells = handed.cells("step2")
    del cells[handed.index("step2", TODO4) - 1 :]


def sources_as_lists(handed):
    for cell in every_cell(handed):
        cell["source"] = cell["source"].splitlines(keepends=True)


def cell_is_a_string(handed):
    handed.cells("step1").insert(0, "not a cell")
