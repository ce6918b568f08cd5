"""Find sibling notebooks and read the code cells that hold a learner's solutions."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pdsched.contracts import ASSIGNMENT, Contract

MAX_NOTEBOOK_BYTES: Final = 20_000_000
MAX_NOTEBOOKS: Final = 60
# Where Colab and ModelScope keep uploaded notebooks.
CLOUD_FOLDERS: Final = ("/content", "/content/drive/MyDrive/Colab Notebooks", "/mnt/workspace")


@dataclass(frozen=True)
class Cell:
    """One code cell: its source and nbgrader's id, empty where there is none."""

    source: str
    grade_id: str


def folders(first: Path | None = None) -> list[Path]:
    """Where sibling notebooks may lie, the likeliest first.

    ``source/`` is not among them unless the notebook itself lies there: a notebook moved away from
    its siblings must not find the instructor's answers.
    """
    if first is not None:
        return [first]
    here = Path.cwd()
    candidates = [here, *_notebook_folders()]
    for parent in (here, *list(here.parents)[:3]):
        # `make lab` copies the release into learn/, where the learner works.
        candidates += [parent / name / ASSIGNMENT for name in ("", "learn", "release")]
    candidates += [Path(folder) for folder in CLOUD_FOLDERS]
    return [
        folder
        for folder in dict.fromkeys(candidates)
        if folder.is_dir() and (folder == here or folder.parent.name != "source")
    ]


def _notebook_folders() -> Iterator[Path]:
    """The running notebook's own folder, as Jupyter and VS Code tell it."""
    main = vars(sys.modules.get("__main__", sys))
    for name in (os.environ.get("JPY_SESSION_NAME"), main.get("__vsc_ipynb_file__")):
        if isinstance(name, str) and Path(name).is_absolute():
            yield Path(name).parent


def notebooks(folder: Path, contract: Contract) -> list[Path]:
    """Notebooks of a folder, the contract's own first, then its copies, then the newest."""
    step = contract.notebook.split("_", 1)[0]

    def order(path: Path) -> tuple[bool, bool, float]:
        own = path.stem == contract.notebook
        return (not own, step not in path.stem.lower(), -path.stat().st_mtime)

    try:
        found = [path for path in folder.glob("*.ipynb") if path.is_file()]
        return sorted(found, key=order)[:MAX_NOTEBOOKS]
    except OSError:
        return []


def code_cells(path: Path) -> list[Cell]:
    """The code cells of a notebook.

    Raises:
        ValueError: the file is not a notebook, or too large.
        OSError: it cannot be read.
    """
    if path.stat().st_size > MAX_NOTEBOOK_BYTES:
        raise ValueError(f"{path.name}: larger than {MAX_NOTEBOOK_BYTES} bytes")
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
        return [_cell(cell) for cell in notebook["cells"] if cell.get("cell_type") == "code"]
    except (UnicodeDecodeError, json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path.name}: not a notebook ({type(error).__name__})") from error


def _cell(cell: dict[str, Any]) -> Cell:
    source = cell.get("source", "")
    text = source if isinstance(source, str) else "".join(source)
    grade_id = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", "")
    return Cell(without_magics(text), str(grade_id))


def without_magics(source: str) -> str:
    """The source with IPython's ``%`` and ``!`` lines blanked, so that line numbers stay."""
    lines = source.splitlines()
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in lines)
