"""`nbgrader autograde` and `generate_feedback`, as formgrader's buttons call them."""

import json

import pytest
from miniature import NAME, honest
from miniature.handed_in import released

from pdgrade.release import own_programs_on_path

PLUGIN = "from pdgrade.nbgrader_plugin import install\ninstall(c)"


@pytest.fixture
def api(small_class):
    """nbgrader's own entry points for a course that installs the plug-in."""

    def connect():
        from nbgrader.apps import NbGraderAPI

        config = small_class.course.config.copy()
        config.CourseDirectory.root = str(small_class.root)
        config.NbGrader.logfile = ""
        return NbGraderAPI(config=config)

    return connect


def test_the_autograde_button_takes_the_isolated_path(small_class, api):
    small_class.configure(PLUGIN)
    small_class.hand_in("odd", honest().rename("step2", "WMS step2 (1).ipynb"))
    outcome = api().autograde(NAME, "odd")
    assert outcome["success"], outcome
    assert "odd: graded, 9 of 9 points" in outcome["log"]
    assert small_class.scores()["odd"] == 9
    record = json.loads(small_class.course.record("odd", NAME).read_text())
    assert record["isolation"]


def test_the_feedback_button_writes_our_pages(small_class, api):
    small_class.configure(PLUGIN)
    assert api().generate_feedback(NAME, "bob")["success"]
    page = small_class.root / "feedback" / "bob" / NAME / "step1_request_pressure.html"
    text = page.read_text(encoding="utf-8")
    assert "尚未编写" in text
    assert "HIDDEN" not in text


def test_a_batch_in_trouble_is_an_nbgrader_error(small_class, api):
    small_class.configure(PLUGIN)
    outcome = api().autograde(NAME, "nobody")
    assert not outcome["success"]
    assert "No submissions" in outcome["log"]


def test_without_the_plugin_nbgrader_keeps_its_own_way(small_class, api, monkeypatch):
    monkeypatch.setenv("PDGRADE_NBGRADER", "off")
    small_class.configure(PLUGIN)
    assert "PdGrade" not in small_class.course.config


VARIANTS = {
    "right": honest,
    "stub": released,
    "wrong choice": lambda: honest().answer("concept_1a", "def concept_1a():\n    return 'A'"),
    "helper": lambda: honest().insert("step1", 3, "LIMIT = 3\nprint(LIMIT)"),
    "raises": lambda: honest().answer(
        "todo2_build_chunked_prefill_plan",
        "def build_chunked_prefill_plan(s, c):\n    raise KeyError(s)",
    ),
}


@pytest.mark.slow
def test_plain_nbgrader_gives_honest_submissions_the_same_scores(small_class, api, monkeypatch):
    for name, build in VARIANTS.items():
        handed = build()
        for document in handed.notebooks.values():  # plain nbgrader would run the panel's stand-in
            document["cells"] = [
                c for c in document["cells"] if c["source"] != "panels.request_mix()"
            ]
        small_class.hand_in(name, handed)
    small_class.grade()
    isolated = small_class.scores()
    monkeypatch.setenv("PDGRADE_NBGRADER", "off")
    for name in VARIANTS:
        with own_programs_on_path():
            outcome = api().autograde(NAME, name)
        assert outcome["success"], outcome["log"]
    plain = small_class.scores()
    assert {name: plain[name] for name in VARIANTS} == {name: isolated[name] for name in VARIANTS}
