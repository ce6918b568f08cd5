"""``solution``: only after passing or giving up, only where the texts were handed out."""

import pytest

from pdsched import feedback
from pdsched.feedback import progress_store, worked

pytestmark = pytest.mark.core


@pytest.fixture
def texts(tmp_path, monkeypatch):
    folder = tmp_path / "selfstudy"
    folder.mkdir()
    for todo in range(1, 6):
        (folder / f"todo{todo}.md").write_text(f"# 解析 {todo}", encoding="utf-8")
    monkeypatch.setenv("PDSCHED_SELFSTUDY", str(folder))
    return folder


def test_it_is_locked_until_passed(texts):
    locked = feedback.solution(3)
    assert not locked.is_available
    assert "check(3)" in repr(locked)
    assert "解析" not in (locked._repr_html_() or "").replace("参考代码与解析", "")
    progress_store.record_check(3, "passed", 7, 7)
    assert feedback.solution(3)._repr_markdown_() == "# 解析 3"


def test_giving_up_opens_it_and_is_remembered(texts):
    assert feedback.solution(2, give_up=True).is_available
    assert progress_store.read()[2].gave_up
    assert feedback.solution(2).is_available
    assert not feedback.solution(1).is_available


def test_a_class_without_the_folder_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PDSCHED_SELFSTUDY", str(tmp_path / "absent"))
    absent = feedback.solution(1, give_up=True)
    assert not absent.is_available
    assert "selfstudy" in absent._repr_html_()
    assert absent._repr_markdown_() is None


def test_it_is_found_above_the_notebook(monkeypatch, tmp_path, texts):
    monkeypatch.delenv("PDSCHED_SELFSTUDY")
    below = tmp_path / "release" / "prefill-decode-scheduling"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert texts in list(worked._folders())
    assert feedback.solution(1, give_up=True).is_available
