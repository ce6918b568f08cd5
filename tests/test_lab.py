"""``make lab`` as a newcomer meets it: a URL, the first notebook, a second server beside it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM_ARGS = [
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
STARTUP_S = 60

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


def start_lab():
    return subprocess.Popen(
        [sys.executable, str(ROOT / "make.py"), "lab", "--no-browser"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip


def wait_for_url(server):
    """The printed address and everything printed before it."""
    printed, deadline = [], time.monotonic() + STARTUP_S
    while time.monotonic() < deadline:
        line = server.stdout.readline()
        printed.append(line)
        found = re.search(r"ready: (http://127\.0\.0\.1:\S+)", line)
        if found:
            return found.group(1), "".join(printed)
        if not line and server.poll() is not None:
            break
    raise AssertionError("".join(printed))


def stop(server):
    """End the command; everything it started must end with it (its pipe closes)."""
    server.terminate()
    server.communicate(timeout=30)


@pytest.fixture
def lab():
    server = start_lab()
    yield server
    stop(server)


def test_the_first_notebook_opens_and_a_second_server_takes_another_port(lab):
    from playwright.sync_api import sync_playwright

    url, _ = wait_for_url(lab)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(url)
        page.get_by_role("heading", name="Step 1").first.wait_for(timeout=30_000)
        shots = ROOT / "build" / "screenshots"
        shots.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(shots / "make_lab.png"))
        browser.close()

    second = start_lab()
    try:
        other, words = wait_for_url(second)
    finally:
        stop(second)
    port = re.search(r":(\d+)/", url).group(1)
    assert f"127.0.0.1:{port}/" not in other
    assert "已被占用" in words


def test_the_server_listens_on_this_machine_only(lab):
    url, _ = wait_for_url(lab)
    port = int(re.search(r":(\d+)/", url).group(1))
    with socket.socket() as probe:
        # Every 127/8 address is this machine; a server bound to 0.0.0.0 would answer on this one.
        assert probe.connect_ex(("127.0.0.2", port)) != 0
