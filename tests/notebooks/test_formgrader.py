"""An instructor in a real JupyterLab: formgrader generates, Create Assignment knows the cells."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ASSIGNMENT = "prefill-decode-scheduling"
TOKEN = "instructor"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 90_000

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until_it_answers(address, server):
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            urllib.request.urlopen(address, timeout=5)
            return
        time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start: {address}")


def keep_picture(page, name):
    """Save what was seen where PDSCHED_PICTURES says, for somebody to look at."""
    if "PDSCHED_PICTURES" in os.environ:
        page.screenshot(path=Path(os.environ["PDSCHED_PICTURES"]) / f"{name}.png")


@pytest.fixture(scope="module")
def course(course_root, tmp_path_factory):
    """A course directory that an instructor has just been given: source and configuration."""
    root = tmp_path_factory.mktemp("course")
    shutil.copytree(course_root / "source" / ASSIGNMENT, root / "source" / ASSIGNMENT)
    shutil.copy(course_root / "nbgrader_config.py", root)
    return root


@pytest.fixture(scope="module")
def lab(course, tmp_path_factory):
    """Address of a JupyterLab in the course directory; it is ended afterwards."""
    home, port = tmp_path_factory.mktemp("home"), free_port()
    scripts = Path(sys.executable).parent
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.ip=127.0.0.1"]
    options += [f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={course}"]
    options += ["--LabApp.news_url=", "--ServerApp.port_retries=0"]
    with (home / "lab.log").open("w", encoding="utf-8") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyter", "lab", *options],
            cwd=course,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ
            | {
                "PATH": os.pathsep.join([str(scripts), os.environ["PATH"]]),
                "JUPYTER_CONFIG_DIR": str(home),
                "HOME": str(home),
            },
        )
    try:
        wait_until_it_answers(f"http://127.0.0.1:{port}/api?token={TOKEN}", server)
        yield f"http://127.0.0.1:{port}/lab"
    finally:
        stop(server)


def stop(server):
    """Ask it to end its kernels and itself; on a busy machine it may need to be made to."""
    server.terminate()
    try:
        server.wait(timeout=60)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(PATIENCE_MS)
    yield page
    page.close()


def test_formgrader_lists_the_assignment_and_generates_the_committed_release(
    lab, course, course_root, page
):
    page.goto(f"{lab}?token={TOKEN}&reset")
    page.get_by_role("menuitem", name="Nbgrader").click()
    page.get_by_text("Formgrader", exact=True).click()
    formgrader = page.frame_locator("iframe").first
    row = formgrader.locator("tr", has_text=ASSIGNMENT)
    row.locator("a:has(.glyphicon-education)").click()
    formgrader.get_by_text("Successfully created the student version").wait_for()
    keep_picture(page, "formgrader")

    generated = sorted((course / "release" / ASSIGNMENT).iterdir())
    committed = sorted((course_root / "release" / ASSIGNMENT).iterdir())
    assert [path.name for path in generated] == [path.name for path in committed]
    for mine, theirs in zip(generated, committed, strict=True):
        assert mine.read_bytes() == theirs.read_bytes(), mine.name


def test_create_assignment_shows_the_points_of_a_source_notebook(lab, page):
    page.goto(f"{lab}/tree/source/{ASSIGNMENT}/step1_request_pressure.ipynb?token={TOKEN}&reset")
    page.locator(".jp-Notebook .jp-Cell").first.wait_for()
    page.locator(".lm-TabBar-tab", has_text="Create Assignment").click()
    total = page.locator(".nbgrader-TotalPointsInput, .nbgrader-TotalPoints input").first
    total.wait_for()
    keep_picture(page, "create_assignment")

    assert total.input_value() == "8"
