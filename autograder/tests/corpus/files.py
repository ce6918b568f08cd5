"""What happens to files: encodings, names, damage, things that are no notebooks."""

import copy
import json
import os

from miniature.handed_in import Handed, released


def _text(handed: Handed, step: str = "step2") -> str:
    return handed.bytes_of(step).decode("utf-8", "surrogatepass")


def bom(handed):
    handed.file("step2", _text(handed).encode("utf-8-sig"))


def utf16(handed):
    handed.file("step2", _text(handed).encode("utf-16"))


def utf16_bare(handed):
    handed.file("step2", _text(handed).encode("utf-16-le"))


def gbk(handed):
    handed.file("step2", _text(handed).encode("gb18030"))


def crlf(handed):
    for cell in handed.cells("step2"):
        cell["source"] = cell["source"].replace("\n", "\r\n")
    handed.file("step2", _text(handed).replace("\n", "\r\n").encode())


def nul_in_code(handed):
    handed.find("concept_1a")["source"] += "\n# \0"


def nul_padding(handed):
    handed.file("step2", _text(handed).encode() + b"\0" * 4096)


def surrogate(handed):
    handed.find("concept_1a")["source"] += "\n# \ud83d"


def damaged_byte(handed):
    handed.find("concept_1a")["source"] += "\n# 预算与分块"
    handed.file(
        "step1", _text(handed, "step1").encode().replace("预算与".encode(), b"\xe9\xa2\xe4", 1)
    )


def colab_export(handed):
    document = handed.notebooks[handed.full_name("step2")]
    document["nbformat_minor"] = 0
    document["metadata"]["colab"] = {"provenance": []}
    for cell in document["cells"]:
        cell["metadata"]["id"] = cell.pop("id")
        cell["metadata"].pop("nbgrader", None)


def nbformat3(handed):
    document = handed.notebooks[handed.full_name("step2")]
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            cell["input"] = cell.pop("source")
    sheets = [{"cells": document.pop("cells"), "metadata": {}}]
    handed.file("step2", json.dumps(document | {"nbformat": 3, "worksheets": sheets}).encode())


def odd_kernel(handed):
    spec = {"name": "py310-mine", "display_name": "?"}
    handed.notebooks[handed.full_name("step2")]["metadata"]["kernelspec"] = spec


def no_metadata(handed):
    handed.notebooks[handed.full_name("step2")].pop("metadata")
    handed.notebooks[handed.full_name("step1")]["metadata"] = None


def huge_outputs(handed):
    data = {"image/png": "A" * 10_000_000}
    handed.find("concept_1a")["outputs"] = [{"output_type": "display_data", "data": data}]


def downloaded_twice(handed):
    handed.rename("step2", "step2_chunked_prefill (1).ipynb")


def initials(handed):
    handed.rename("step2", "WMS step2.ipynb")


def chinese_name(handed):
    handed.rename("step2", "第二步 作业 最终版.ipynb")


def swapped_names(handed):
    first, second = handed.bytes_of("step1"), handed.bytes_of("step2")
    handed.file("step1", second)
    handed.file("step2", first)


def subfolder(handed):
    handed.rename("step2", "my work/step2_chunked_prefill.ipynb")


def txt_suffix(handed):
    handed.rename("step2", "step2_chunked_prefill.ipynb.txt")


def upper_suffix(handed):
    handed.rename("step2", "STEP2_CHUNKED_PREFILL.IPYNB")


def json_suffix(handed):
    handed.rename("step2", "step2_chunked_prefill.json")


def undecodable_name(handed):
    handed.rename("step2", os.fsdecode(b"step2_chunked_prefill \xff\n.ipynb"))


def stub_beside_answer(handed):
    answered = handed.bytes_of("step2")
    handed.file("step2", released().bytes_of("step2"))
    handed.files["step2_chunked_prefill (1).ipynb"] = answered


def merged(handed):
    handed.cells("step1").extend(copy.deepcopy(handed.cells("step2")))
    handed.rename("step1", "all.ipynb")
    handed.notebooks.clear()


def one_missing(handed):
    del handed.notebooks[handed.full_name("step2")]


def checkpoints(handed):
    name = ".ipynb_checkpoints/step2_chunked_prefill-checkpoint.ipynb"
    handed.files[name] = released().bytes_of("step2")


def project_around(handed):
    for n in range(250):
        handed.files[f"lib/a{n}/m.py"] = handed.files[f"a{n}.json"] = b"1"


def notebooks_before(handed):
    for n in range(250):
        handed.files[f"a{n}.ipynb"] = b"{}"
    for name in list(handed.notebooks):
        handed.rename(name, f"mine/{name.removesuffix('.ipynb')} (1).ipynb")


def empty(handed):
    handed.file("step2", b"")


def truncated(handed):
    handed.file("step2", handed.bytes_of("step2")[:-300])


def html_page(handed):
    handed.file("step2", b"<!DOCTYPE html>\n<html><head><title>step2 - Jupyter</title>")


def nbformat5(handed):
    handed.notebooks[handed.full_name("step2")]["nbformat"] = 5


def merge_conflict(handed):
    text = _text(handed).replace('"cells": [', '"cells": [\n<<<<<<< HEAD\n', 1)
    handed.file("step2", text.encode())


def zip_as_notebook(handed):
    handed.file("step2", b"PK\x03\x04" + b"\0" * 100)


def script(handed):
    handed.file("step2", b"def build_chunked_prefill_plan(s, c):\n    return []\n")


def lfs(handed):
    handed.file("step2", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")


def _instead(handed: Handed, make) -> None:
    name = f"{handed.full_name('step2')}.ipynb"
    del handed.notebooks[handed.full_name("step2")]
    handed.make.append(lambda folder: make(folder / name))


def symlink(handed):
    _instead(handed, lambda path: path.symlink_to("/etc/passwd"))


def fifo(handed):
    _instead(handed, os.mkfifo)


def deep(handed):
    handed.file("step2", b'{"cells": ' + b"[" * 100_000)


def oversize(handed):
    def make(path):
        with path.open("wb") as file:
            file.truncate(80 << 20)

    _instead(handed, make)


def all_unreadable(handed):
    html_page(handed)
    handed.file("step1", b"<html>")


def nothing(handed):
    handed.notebooks.clear()


def only_pictures(handed):
    nothing(handed)
    handed.files["screenshot.png"] = b"\x89PNG"
    handed.files["report.docx"] = b"PK\x03\x04"
