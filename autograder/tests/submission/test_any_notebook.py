"""Whatever cells a notebook has: matched, planned and rebuilt without an exception or a lost test."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from miniature.handed_in import honest

from pdgrade.grading.single import not_run
from pdgrade.rebuild import rebuild
from pdgrade.records import NotebookRecord
from pdgrade.submission import parse
from pdgrade.submission.matching import match
from pdgrade.submission.plan import plan_question

REAL = [cell for document in honest().notebooks.values() for cell in document["cells"]]
IDS = st.sampled_from([c["id"] for c in REAL] + ["", "other"])
LABELS = st.sampled_from(["todo1_summarize_request_mix", "concept_1a", "todo1_pure", "other"])
TEXTS = (
    st.sampled_from([c["source"] for c in REAL])
    | st.text(max_size=30)
    | st.sampled_from(
        [
            "def concept_1a():",
            "    return 'B'",
            "%%bash\nls",
            "x = (",
            "concept_1a = 3",
            "````x",
            "'''",
        ]
    )
)
CELLS = st.fixed_dictionaries(
    {
        "cell_type": st.sampled_from(["code", "markdown", "raw", "other"]),
        "id": IDS,
        "source": TEXTS,
        "metadata": st.just({})
        | st.fixed_dictionaries({"nbgrader": st.fixed_dictionaries({"grade_id": LABELS})}),
    }
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.lists(CELLS, min_size=1, max_size=14))
def test_any_cells_are_matched_planned_and_rebuilt(miniature, cells):
    submitted = parse(json.dumps({"nbformat": 4, "cells": cells}).encode())
    for source in miniature.notebooks:
        found = match(source, submitted)
        assert [p.cell.number for p in found.pieces] == list(range(1, len(cells) + 1))
        for question in source.questions:
            plan = plan_question(found, question)
            labels = [c.label for c in plan.cells]
            assert len(labels) == len(set(labels))
            assert {c.label for c in plan.needed_only} <= set(labels)
        questions = tuple(not_run(q, "missing") for q in source.questions)
        record = NotebookRecord(source.name, "x", readable=True, questions=questions)
        rebuilt = rebuild(source, found, record)["cells"]
        kept = [c for c in rebuilt if c["metadata"].get("nbgrader", {}).get("grade")]
        tests = [(c.grade_id, c.source) for c in source.cells if c.kind == "test"]
        assert [(c["metadata"]["nbgrader"]["grade_id"], c["source"]) for c in kept] == tests
