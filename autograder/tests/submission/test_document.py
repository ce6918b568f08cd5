"""Any bytes become cells or a reason; never an exception."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdgrade.submission import SubmittedNotebook, Unreadable, parse, read_file

CELL = {"cell_type": "code", "metadata": {}, "source": "x = '预算'"}
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [CELL]}


def as_bytes(document, encoding="utf-8", errors="strict"):
    return json.dumps(document, ensure_ascii=False).encode(encoding, errors)


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (as_bytes(NOTEBOOK), None),
        (as_bytes(NOTEBOOK, "utf-8-sig"), "utf-8 BOM"),
        (as_bytes(NOTEBOOK, "utf-16"), "utf-16"),
        (as_bytes(NOTEBOOK, "utf-16-le"), "utf-16-le"),
        (as_bytes(NOTEBOOK, "utf-16-be"), "utf-16-be"),
        (as_bytes(NOTEBOOK, "utf-32"), "utf-32"),
        (as_bytes(NOTEBOOK, "gb18030"), "gb18030"),
        (as_bytes(NOTEBOOK) + b"\0" * 4096, None),
    ],
)
def test_text_survives_every_encoding(data, note):
    read = parse(data)
    assert read.cells[0].source == "x = '预算'"
    assert [n.fields.get("name") for n in read.notes] == ([note] if note else [])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty_file"),
        (b" \n\0\0", "empty_file"),
        (b"<!DOCTYPE html><title>Jupyter</title>", "html_page"),
        (b"\xef\xbb\xbf<html>", "html_page"),
        (b"PK\x03\x04rest", "zip_not_notebook"),
        (b"%PDF-1.7", "pdf_not_notebook"),
        (b"version https://git-lfs.github.com/spec/v1", "lfs_pointer"),
        (b"<<<<<<< HEAD\n{}", "merge_conflict"),
        (as_bytes(NOTEBOOK)[:-20], "truncated"),
        (b'{"cells": [}', "not_json"),
        (b"def f():\n    return 1\n", "python_script"),
        (b"dear teacher, my file is lost", "not_notebook"),
        (b"[1, 2]", "not_notebook"),
        (b"{}", "not_notebook"),
        (b'{"cells": []}', "no_cells"),
        (b"[" * 100_000, "too_deep"),
        (b'{"cells": ' + b"9" * 5_000 + b"}", "too_deep"),
        (as_bytes(NOTEBOOK | {"nbformat": 5}), "nbformat_too_new"),
        (as_bytes(NOTEBOOK | {"cells": [CELL] * 5_001}), "too_many_cells"),
        (as_bytes(NOTEBOOK | {"cells": [CELL | {"source": "x" * 2_000_001}]}), "too_much_source"),
    ],
)
def test_what_is_no_notebook_says_what_it_is(data, reason):
    assert parse(data).reason.code == reason


def test_old_formats_are_read():
    sheet = {"cells": [{"cell_type": "code", "input": ["a = 1\n", "b"]}, {"cell_type": "heading"}]}
    read = parse(as_bytes({"nbformat": 3, "worksheets": [sheet]}))
    assert [(c.cell_type, c.source) for c in read.cells] == [("code", "a = 1\nb"), ("markdown", "")]
    assert read.notes[0].code == "old_nbformat"


def test_text_that_python_cannot_hold_is_cleaned_and_told():
    cell = CELL | {"source": "a = 1\r\nb = '\ud83d\0'\rc"}
    read = parse(as_bytes(NOTEBOOK | {"cells": [cell]}, "utf-8", "surrogatepass"))
    assert read.cells[0].source == "a = 1\nb = '\ufffd'\nc"
    assert {n.code for n in read.notes} <= {"nul_removed", "surrogates_replaced"}
    compile(read.cells[0].source, "cell", "exec")


def test_colab_cell_ids_are_found_in_the_metadata():
    cell = CELL | {"metadata": {"id": "abc", "nbgrader": {"grade_id": "q", "points": None}}}
    (read,) = parse(as_bytes(NOTEBOOK | {"nbformat_minor": 0, "cells": [cell]})).cells
    assert (read.cell_id, read.grade_id) == ("abc", "q")


def test_links_devices_and_folders_are_refused_unread(tmp_path):
    (tmp_path / "link.ipynb").symlink_to("/etc/passwd")
    (tmp_path / "folder.ipynb").mkdir()
    os.mkfifo(tmp_path / "pipe.ipynb")
    reasons = [read_file(tmp_path / f"{n}.ipynb").reason.code for n in ("link", "folder", "pipe")]
    assert reasons == ["link_refused", "not_a_file", "not_a_file"]
    assert read_file(tmp_path / "absent.ipynb").reason.code == "cannot_open"


@given(st.binary(max_size=400))
def test_no_bytes_raise(data):
    assert isinstance(parse(data), (SubmittedNotebook, Unreadable))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
FIELDS = ("cell_type", "source", "input", "metadata", "id", "nbformat", "cells", "worksheets")
ODD_CELLS = st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=4) | JSON, max_size=4)


@given(
    st.fixed_dictionaries(
        {"cells": ODD_CELLS | JSON}, optional={"nbformat": JSON, "worksheets": JSON}
    )
)
def test_no_shape_of_json_raises(document):
    assert isinstance(parse(json.dumps(document).encode()), (SubmittedNotebook, Unreadable))
