"""A table that forgets where it comes from cannot be made."""

import json

import pytest

from pdsched import messages
from pdsched.evidence import Evidence, measured_conditions, this_machine

pytestmark = pytest.mark.core

ROWS = [{"plan": "a", "ttft_p50_ms": 12.345}, {"plan": "b", "ttft_p50_ms": None, "failed": 2}]


@pytest.mark.parametrize(
    ("level", "needed"),
    [("simulated", "cost_model"), ("measured", "machine"), ("published", "source")],
)
def test_each_level_must_tell_its_origin(level, needed):
    assert Evidence("t", level, ROWS, {needed: "x"}).evidence_level == level
    with pytest.raises(ValueError, match=needed):
        Evidence("t", level, ROWS, {})


def test_levels_are_the_three():
    with pytest.raises(ValueError, match="simulated, measured, published"):
        Evidence("t", "guessed", ROWS, {"source": "x"})


def test_file_form_comes_back_equal(tmp_path):
    evidence = Evidence("标题", "published", ROWS, {"source": "paper"}, made_at="2026-01-02")
    path = evidence.save(tmp_path / "e.json")
    again = Evidence.from_json(path.read_text(encoding="utf-8"))
    assert again == evidence
    assert json.loads(path.read_text(encoding="utf-8"))["evidence_level"] == "published"


LATER_VERSION = (
    '{"title": "t", "evidence_level": "published", "rows": [],'
    ' "conditions": {"source": "s"}, "schema_version": 99}'
)


@pytest.mark.parametrize("words", ["[]", '{"a": 1}', '{"title": "t"}', "not json", LATER_VERSION])
def test_other_files_are_refused(words):
    with pytest.raises(ValueError, match=r".+"):
        Evidence.from_json(words)


def test_shown_with_headings_numbers_and_caption_in_the_language(monkeypatch):
    monkeypatch.setenv("PDSCHED_LANG", "zh")
    messages.set_language(None)
    evidence = Evidence("标题", "measured", ROWS, {"machine": "m", "seed": 3}, made_at="2026-01-02")
    shown = evidence._repr_markdown_()
    assert "| 方案 | TTFT P50 / ms | 失败 |" in shown
    assert "| a | 12.3 | – |" in shown
    assert shown.endswith("证据等级：实测 · 机器: m · 种子: 3 · 2026-01-02")
    monkeypatch.setenv("PDSCHED_LANG", "en")
    assert "evidence level: measured" in str(evidence)


def test_measured_conditions_tell_machine_versions_threads_and_seed():
    told = measured_conditions(threads="1", seed=7, repeats=3)
    assert list(told) == ["machine", "versions", "threads", "seed", "repeats"]
    assert "cores" in this_machine()
    assert "Python 3" in told["versions"]
