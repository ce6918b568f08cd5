"""A picture on its own: in a file, in a saved notebook, as a plotly figure."""

import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pdsched import panels
from pdsched.figures import ExportUnavailableError, export
from pdsched.figures.palette import ROLES

NAMES = tuple(panels.SPECS)


@pytest.fixture(params=NAMES)
def picture(request):
    return panels.show(request.param)  # unwritten: the frame


def test_the_svg_is_well_formed_and_names_itself(picture):
    tree = ElementTree.fromstring(picture.to_svg())
    ids = {element.get("id"): element.text for element in tree.iter() if element.get("id")}
    assert tree.get("role") == "img"
    assert all(ids[each].strip() for each in tree.get("aria-labelledby").split())


def test_the_page_needs_no_network_and_no_script(picture, tmp_path):
    path = picture.save(tmp_path / "picture.html")
    html = path.read_text(encoding="utf-8")
    assert not re.search(r"<script|<link|@import|src=|url\((?!#)", html)
    assert picture.scene.title in html
    assert all(sentence.split("：")[0] in html for sentence in picture.sentences)


def test_a_saved_notebook_keeps_an_image_and_its_words(picture):
    bundle = picture._repr_mimebundle_()
    assert set(bundle) == {"image/svg+xml", "text/plain"}
    assert picture.scene.alt in bundle["text/plain"]
    assert "--pd-paper" in bundle["image/svg+xml"]


@pytest.mark.parametrize("dark", [False, True])
def test_every_picture_has_a_plotly_twin(picture, dark):
    figure = picture.to_plotly(dark=dark).to_plotly_json()
    assert figure["layout"]["meta"]["alt"] == picture.scene.alt
    assert figure["data"]
    used = str(figure)
    own = [style.dark if dark else style.light for style in ROLES.values()]
    assert any(colour in used for colour in own)


def test_a_png_where_a_browser_is(tmp_path):
    if export.browser() is None:
        pytest.skip("no browser on this machine can draw a PNG")
    path = panels.show("request_mix").save(tmp_path / "mix.png")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_without_a_browser_the_message_names_the_way_out(monkeypatch, tmp_path):
    monkeypatch.setattr(export, "browser", lambda: None)
    with pytest.raises(ExportUnavailableError, match="PDSCHED_BROWSER"):
        panels.show("request_mix").save(tmp_path / "mix.png")


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"\.html, \.svg or \.png"):
        panels.show("request_mix").save(tmp_path / "mix.jpg")


def test_the_browser_named_in_the_environment_is_taken_first(monkeypatch):
    monkeypatch.setenv("PDSCHED_BROWSER", "mine")
    monkeypatch.setattr(export.shutil, "which", lambda name: f"/found/{name}")
    assert export.browser() == "/found/mine"


def test_a_browser_that_fails_is_an_error_not_an_empty_file(monkeypatch, tmp_path):
    def fails(*_, **__):
        raise subprocess.CalledProcessError(1, "browser")

    monkeypatch.setattr(export, "browser", lambda: "browser")
    monkeypatch.setattr(export.subprocess, "run", fails)
    with pytest.raises(subprocess.CalledProcessError):
        panels.show("request_mix").save(tmp_path / "mix.png")
    assert not Path(tmp_path / "mix.png").exists()
