"""Feedback and class report: everything explained, nothing hidden shown, nothing executed."""

import html
import re

import pytest
from miniature import NAME, honest

from pdgrade.cli.pages import write_feedback, write_report
from pdgrade.gradebook.writer import open_gradebook
from pdgrade.grading import store
from pdgrade.records import (
    CheckRecord,
    NotebookRecord,
    QuestionRecord,
    SubmissionRecord,
    TestRecord,
)
from pdgrade.report import class_report, feedback_page
from pdsched import messages

HIDDEN = ("987654", "77123", "secret", "HIDDEN TESTS", "run_hidden")
XSS = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'`${1}"


def record_with(text):
    """A record with `text` wherever a learner's words can get."""
    check = CheckRecord(text, "wrong_value", text, text, text, text, True, text, text)
    test = TestRecord(text, 0.0, 1.0, "wrong_value", text, (check,), text)
    question = QuestionRecord(
        text, (text,), "timeout", (test,), stopped_in=text, reason=text, output=text
    )
    notebook = NotebookRecord("step1", text, readable=True, questions=(question,))
    return SubmissionRecord(
        text, NAME, "partial", (notebook,), submitted_at="2026-03-01T12:00:00+00:00"
    )


CHINESE = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")


def test_a_page_is_wholly_in_its_language_whichever_was_spoken_at_grading(small_class):
    impure = (
        "def plan_pd_split(requests, a, b):\n    requests.clear()\n    return {'prefill_pool': []}"
    )
    raises = "def summarize_request_mix(requests, limit):\n    raise KeyError('x')"
    both = honest().answer("todo4_plan_pd_split", impure)
    small_class.hand_in("cy", both.answer("todo1_summarize_request_mix", raises))
    small_class.hand_in("dan", honest().file("step2", b"<html>").insert("step1", 1, "1 / 0"))
    small_class.grade()
    messages.set_language("en")
    try:
        write_feedback(small_class.course, small_class.assignment)
    finally:
        messages.set_language(None)
    pages = [p.read_text() for p in (small_class.root / "feedback").glob(f"*/{NAME}/*.html")]
    for page in pages:
        text = re.sub(r"<title>.*?</p>|<style>.*?</style>|<pre>.*?</pre>", "", page, flags=re.S)
        assert not CHINESE.search(text), text
    said = " ".join(pages)
    record = store.load(small_class.course.record("cy", NAME))
    failed = [
        c for q in record.questions for t in q.tests for c in t.checks if c.verdict != "passed"
    ]
    told = {text for check in failed for text in check.told.values()}
    assert len(told) >= 3
    assert all(html.escape(text, quote=False) in html.unescape(said) for text in told)


def test_pages_are_for_their_owner_unless_the_folder_was_opened_to_others(small_class):
    write_feedback(small_class.course, small_class.assignment)
    folder = small_class.root / "feedback"
    assert folder.stat().st_mode & 0o077 == 0
    folder.chmod(0o755)
    write_feedback(small_class.course, small_class.assignment)
    assert folder.stat().st_mode & 0o777 == 0o755


def test_the_highest_score_and_whole_counts_are_drawn(small_class):
    records = store.load_all(small_class.course.record("amy", NAME).parent)
    view = class_report.gather(small_class.assignment, records)
    for figure, top in (
        (class_report.distribution(view), small_class.assignment.max_points),
        (class_report.time_used(view), max(row.wall_s for row in view.rows)),
    ):
        bins, shown = figure.data[0].xbins, figure.layout.xaxis.range
        assert (bins.start, bins.end) == tuple(shown)
        assert top < bins.end
        assert (bins.end - bins.start) / bins.size == pytest.approx(
            round((bins.end - bins.start) / bins.size)
        )
        assert figure.layout.yaxis.dtick == 1


def test_pages_of_a_class_explain_every_lost_point(small_class):
    assert write_feedback(small_class.course, small_class.assignment) == 3
    page = (small_class.root / "feedback" / "bob" / NAME / "step1_request_pressure.html").read_text(
        "utf-8"
    )
    assert "summarize_request_mix" in page
    assert "尚未编写" in page
    assert "0</strong> / 4" in page
    page = (
        small_class.root / "feedback" / "张三" / NAME / "step1_request_pressure.html"
    ).read_text("utf-8")
    assert "3</strong> / 4" in page


def test_no_hidden_input_and_no_test_source_reaches_a_page(small_class):
    wrong = honest().answer(
        "todo1_summarize_request_mix",
        "def summarize_request_mix(r, t):\n    print(r, t)\n    raise ValueError(r, t)",
    )
    wrong.answer(
        "todo2_build_chunked_prefill_plan",
        "def build_chunked_prefill_plan(s, c):\n    print(s)\n    return [s]",
    )
    small_class.hand_in("spy", wrong)
    small_class.grade()
    write_feedback(small_class.course, small_class.assignment)
    write_report(small_class.course, small_class.assignment)
    pages = [*small_class.root.glob("feedback/spy/**/*.html"), *small_class.root.glob("report-*")]
    pages += small_class.root.glob("records/**/spy.json")
    assert len(pages) == 5
    for page in pages:
        text = page.read_text("utf-8")
        assert not [word for word in HIDDEN if word in text], page


def test_a_persons_score_and_words_are_on_the_page(small_class):
    with open_gradebook(small_class.course) as book:
        book.find_grade(
            "concept_1a_answer", "step1_request_pressure", NAME, "张三"
        ).manual_score = 0.5
        comment = book.find_comment("concept_1a", "step1_request_pressure", NAME, "张三")
        comment.manual_comment = "<b>几乎</b>对了"
        book.db.commit()
    write_feedback(small_class.course, small_class.assignment, ("张三",))
    page = (
        small_class.root / "feedback" / "张三" / NAME / "step1_request_pressure.html"
    ).read_text("utf-8")
    assert "&lt;b&gt;几乎&lt;/b&gt;对了" in page
    assert "3.5</strong> / 4" in page


def test_nothing_that_a_learner_wrote_is_markup():
    record = record_with(XSS)
    answers = {XSS: XSS}
    page = feedback_page.render(record, record.notebooks[0], answers=answers, title=XSS)
    body = page.partition("<body>")[2]
    assert "<script" not in page
    assert not re.search(r"<img|onerror=alert\(2\)>(?!&)", body)
    assert html.escape("<script>alert(1)</script>") in body
    assert "default-src 'none'" in page


def test_the_class_report_runs_only_its_own_script(miniature):
    view = class_report.gather(miniature, [record_with(XSS)])
    page = class_report.render(view)
    nonce = re.search(r"'nonce-([\w-]+)'", page).group(1)
    scripts = re.findall(r"<script([^>]*)>", page)
    assert scripts[:1] == [f' nonce="{nonce}"']
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page


def test_the_csv_holds_no_formula(miniature):
    view = class_report.gather(miniature, [record_with("=HYPERLINK(1)")])
    assert "'=HYPERLINK(1)" in class_report.to_csv(view)


@pytest.mark.parametrize(("language", "word"), [("zh", "期望"), ("en", "Expected")])
def test_pages_are_in_the_chosen_language(language, word):
    messages.set_language(language)
    try:
        record = record_with("x")
        assert word in feedback_page.render(record, record.notebooks[0])
    finally:
        messages.set_language(None)


def test_times_are_shown_in_utc_and_in_the_course_zone():
    record = record_with("x")
    page = feedback_page.render(record, record.notebooks[0], zone="Asia/Shanghai")
    assert "2026-03-01 12:00 UTC / 2026-03-01 20:00 Asia/Shanghai" in page
