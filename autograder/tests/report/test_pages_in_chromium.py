"""The pages in a real browser: drawn, quiet, and deaf to what a learner wrote."""

from pathlib import Path

import pytest
from miniature import NAME

from pdgrade.records import (
    CheckRecord,
    NotebookRecord,
    QuestionRecord,
    SubmissionRecord,
    TestRecord,
)
from pdgrade.report import class_report, feedback_page

CHROMIUM = Path("/usr/bin/chromium")
OPTIONS = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update --disable-sync"
XSS = "<script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)><a href=javascript:alert(3)>x</a>"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium here"),
]


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=OPTIONS.split())
        yield running
        running.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page; returns it with everything that it asked for or popped up."""

    def open_page(text):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        page = browser.new_page()
        seen = []
        page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
        page.on(
            "request",
            lambda request: seen.append(request.url) if "page.html" not in request.url else None,
        )
        page.goto(path.as_uri())
        page.wait_for_timeout(300)
        return page, seen

    return open_page


def record(student, text, points):
    check = CheckRecord(text, "wrong_value", text, text, text, text)
    test = TestRecord(
        "todo1_three_classes", points, 2.0, "passed" if points else "wrong_value", text, (check,)
    )
    question = QuestionRecord(text, (text,), "graded", (test,), output=text)
    notebook = NotebookRecord("step1", text, readable=True, questions=(question,))
    return SubmissionRecord(student, NAME, "graded", (notebook,))


def test_a_feedback_page_shows_markup_as_text_and_asks_for_nothing(opened):
    hostile = record(XSS, XSS, 0.0)
    page, seen = opened(
        feedback_page.render(hostile, hostile.notebooks[0], answers={XSS: XSS}, title=XSS)
    )
    assert page.locator("h1").inner_text() == XSS
    assert page.locator("a, script, img").count() == 0
    assert seen == []


def test_the_class_report_draws_its_three_charts_offline(opened, miniature):
    view = class_report.gather(miniature, [record(XSS, XSS, 0.0), record("amy", "x", 2.0)])
    page, seen = opened(class_report.render(view))
    page.wait_for_selector("#checks .main-svg")
    assert page.locator(".chart .main-svg").count() >= 3
    assert page.locator("tbody tr").count() == 2
    assert seen == []
