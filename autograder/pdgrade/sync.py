"""Keep every source notebook and its ``.py`` pair one document: ``python -m pdgrade.sync``.

People edit and review the percent script; the notebook beside it is what nbgrader and Jupyter
read. A sync is a function of the script alone: cell ids come from grade ids or first lines, text
outputs from running the cells, and nothing else (no widget state, no versions) is kept,
so that two people who sync the same script get the same bytes. The set-up cell and the line of
cloud links are generated (`pdsched.cloud`), in the script too.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import nbformat

from pdsched import cloud

Notebook = Any  # nbformat has no types of its own

KERNELSPEC: Final = {"display_name": "Python 3", "language": "python", "name": "python3"}
PAIRING: Final = {
    "formats": "ipynb,py:percent",
    # Another jupytext must not touch a script that nobody edited.
    "notebook_metadata_filter": "-jupytext.text_representation.jupytext_version",
}
# What a cell tagged so shows depends on the machine or the moment: its outputs are not kept.
UNKEPT_TAG: Final = "nbval-ignore-output"
# What labs show was measured on one machine; they run only when they are named.
MEASURED: Final = "labs"
SETUP_TAG: Final = "setup"
CELL_TIMEOUT_S: Final = 60


def filled_in(text: str, name: str) -> str:
    """The script with its generated cells (tags ``setup`` and ``badges``) as they are today."""
    for tag, source in (("setup", cloud.setup_cell()), ("badges", f"# {cloud.badges(name)}")):
        cell = re.compile(rf"(?ms)^# %%[^\n]*\b{tag}\b[^\n]*\n(.*?)(?=^# %%|\Z)")
        if found := cell.search(text):
            text = f"{text[: found.start(1)]}{source}\n\n{text[found.end(1) :]}"
    return text


def read_script(path: Path) -> Notebook:
    """The notebook a percent script describes, with stable ids and no outputs.

    Raises:
        ModuleNotFoundError: jupytext, an authoring tool, is not installed.
    """
    import jupytext

    notebook = jupytext.read(path)
    notebook.metadata = nbformat.from_dict({"jupytext": PAIRING, "kernelspec": KERNELSPEC})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    give_ids(notebook.cells)
    number(notebook)
    return notebook


def give_ids(cells: Iterable[Any]) -> None:
    """Name every cell by its grade_id, or by its kind and the line that says what it is."""
    taken: set[str] = set()
    for cell in cells:
        wanted = cell.metadata.get("nbgrader", {}).get("grade_id") or _telling_id(cell)
        number, cell_id = 1, wanted
        while cell_id in taken:
            number += 1
            cell_id = f"{wanted}-{number}"
        taken.add(cell_id)
        cell.id = cell_id


def _telling_id(cell: Any) -> str:
    """An id that survives most edits: text is known by its heading, code by what it does last."""
    if SETUP_TAG in cell.metadata.get("tags", []):
        return SETUP_TAG
    lines = cell.source.strip().splitlines() or [""]
    line, kind = (lines[0], "text") if cell.cell_type == "markdown" else (lines[-1], "code")
    return f"{kind}-{hashlib.sha256(line.encode()).hexdigest()[:8]}"


def run(notebook: Notebook, folder: Path) -> None:
    """Run every cell in `folder` and keep the text outputs that are the same everywhere.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell failed.
    """
    from nbclient import NotebookClient

    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name=KERNELSPEC["name"],
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
    )
    # An author's own progress must not change because a notebook was synced.
    with tempfile.TemporaryDirectory(prefix="sync-") as home:
        client.execute(env={**os.environ, "PDSCHED_HOME": home})
    notebook.metadata.pop("language_info", None)  # it names this interpreter's version
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.metadata.pop("execution", None)
            if UNKEPT_TAG in cell.metadata.get("tags", []):
                cell.outputs = []
    number(notebook)


def number(notebook: Notebook) -> None:
    """Count the code cells as one clean run does; nbval takes uncounted outputs for stray ones."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for count, cell in enumerate(code, start=1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count


def copy_outputs(saved: Notebook, notebook: Notebook) -> None:
    """Take the outputs of an earlier run for cells whose id and source did not change."""
    outputs = {(cell.id, cell.source): cell.get("outputs", []) for cell in saved.cells}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = outputs.get((cell.id, cell.source), [])
    number(notebook)


def as_text(notebook: Notebook) -> str:
    """The notebook as the bytes we commit: sorted keys, one-space indent, UTF-8 text."""
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)).rstrip("\n") + "\n"


def is_in_step(script: Path) -> bool:
    """Whether the notebook beside `script` holds the same cells (its outputs aside)."""
    path = script.with_suffix(".ipynb")
    text = script.read_text(encoding="utf-8")
    if not path.exists() or text != filled_in(text, script.stem):
        return False
    notebook = read_script(script)
    copy_outputs(nbformat.read(path, as_version=4), notebook)
    return as_text(notebook) == path.read_text(encoding="utf-8")


def sync(script: Path, *, execute: bool = True) -> bool:
    """Write the notebook beside `script`; True when its bytes changed."""
    path = script.with_suffix(".ipynb")
    text = script.read_text(encoding="utf-8")
    if text != filled_in(text, script.stem):
        script.write_text(filled_in(text, script.stem), encoding="utf-8")
    notebook = read_script(script)
    if execute:
        run(notebook, script.parent)
    elif path.exists():
        copy_outputs(nbformat.read(path, as_version=4), notebook)
    new = as_text(notebook)
    if path.exists() and path.read_text(encoding="utf-8") == new:
        return False
    path.write_text(new, encoding="utf-8")
    return True


def scripts_in(course_root: Path) -> list[Path]:
    """Every percent script of the graded assignment and the labs, in order."""
    found = sorted((course_root / "source").glob("*/*.py"))
    return [
        path for path in found if path.read_text(encoding="utf-8").startswith("# ---\n# jupyter")
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Sync the given scripts, or every script under ``source/``."""
    parser = argparse.ArgumentParser(prog="python -m pdgrade.sync", description=main.__doc__)
    parser.add_argument(
        "scripts",
        nargs="*",
        type=Path,
        help="percent scripts (default: all; labs keep their outputs)",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if out of step")
    parser.add_argument("--no-run", action="store_true", help="keep the saved outputs")
    options = parser.parse_args(arguments)
    behind = False
    for script in options.scripts or scripts_in(Path.cwd()):
        if options.check:
            in_step = is_in_step(script)
            behind = behind or not in_step
            print(f"{'in step' if in_step else 'OUT OF STEP'}  {script}")
        else:
            measured = script.parent.name == MEASURED and not options.scripts
            changed = sync(script, execute=not (options.no_run or measured))
            print(f"{'written' if changed else 'unchanged'}  {script.with_suffix('.ipynb')}")
    return int(behind)


if __name__ == "__main__":
    sys.exit(main())
