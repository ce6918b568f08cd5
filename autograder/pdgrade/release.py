"""What learners open: ``python -m pdgrade.release`` writes ``release/`` from ``source/``.

nbgrader's own ``generate_assignment`` does the work, in a temporary copy with a temporary
gradebook, so that releasing never touches anybody's marks. `StripAuthoring` is part of its
pipeline (see ``nbgrader_config.py``), so formgrader's button gives the same bytes.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

# None of these may reach a learner; the last is how hidden tests are called.
FORBIDDEN: Final = ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS", "run_hidden")
AUTHORING_TAG_PREFIX: Final = "nbval-"


class ReleaseError(RuntimeError):
    """The release could not be made; the message says what to change in the source."""


class StripAuthoring(NbGraderPreprocessor):  # type: ignore[misc]  # nbgrader has no types
    """Leave out what only authors need: the jupytext pairing, versions and nbval tags."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Strip the notebook's metadata, then every cell."""
        kernelspec = nb.metadata.get("kernelspec")
        nb.metadata.clear()
        if kernelspec:
            nb.metadata["kernelspec"] = kernelspec
        nb.metadata["language_info"] = {"name": "python"}
        for cell in nb.cells:
            tags = [tag for tag in cell.metadata.get("tags", []) if not _is_authoring(tag)]
            cell.metadata.pop("tags", None)
            if tags:
                cell.metadata["tags"] = tags
            if cell.cell_type == "code":
                cell.execution_count = None
        return nb, resources


def _is_authoring(tag: str) -> bool:
    return tag.startswith(AUTHORING_TAG_PREFIX)


@dataclass(frozen=True)
class Difference:
    """One file of ``release/`` that is not what the source gives.

    Attributes:
        path: relative to ``release/``.
        kind: ``missing``, ``stale`` or ``unexpected``.
    """

    path: str
    kind: str


def build(course_root: Path, destination: Path) -> list[Path]:
    """Generate every assignment of `course_root` into the new folder `destination`.

    Returns:
        The released files.

    Raises:
        ReleaseError: nbgrader refused a notebook, or something forbidden came through.
    """
    from nbgrader.apps import NbGraderAPI

    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        copy = Path(folder)
        shutil.copytree(course_root / "source", copy / "source")
        api = NbGraderAPI(config=_config(course_root, copy))
        for assignment in sorted(path.name for path in (copy / "source").iterdir()):
            if not any((copy / "source" / assignment).glob("*.ipynb")):
                continue
            with own_programs_on_path():
                outcome = api.generate_assignment(assignment)
            if not outcome["success"]:
                raise ReleaseError(_why(assignment, outcome))
        shutil.copytree(copy / "release", destination)
    released = sorted(path for path in destination.rglob("*") if path.is_file())
    refuse_forbidden(released)
    return released


@contextmanager
def own_programs_on_path() -> Iterator[None]:
    """Let nbgrader, which starts ``alembic`` by name, find this environment's one."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


def _config(course_root: Path, copy: Path) -> Config:
    """The course's own configuration, pointed at a temporary copy and gradebook."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(course_root)).load_config()
    config.CourseDirectory.root = str(copy)
    config.CourseDirectory.db_url = f"sqlite:///{copy / 'gradebook.db'}"
    config.NbGrader.logfile = ""
    return config


def _why(assignment: str, outcome: dict[str, Any]) -> str:
    detail = outcome.get("log") or outcome.get("error") or "no reason given"
    return f"nbgrader could not generate {assignment!r}: {str(detail).strip()}"


def refuse_forbidden(released: Sequence[Path]) -> None:
    """Make sure that no solution, hidden test or script is among the released files.

    Raises:
        ReleaseError: naming the file and what it holds.
    """
    for path in released:
        if path.suffix == ".py":
            raise ReleaseError(f"{path.name}: a script must not be released")
        text = path.read_bytes().decode("utf-8", errors="replace")
        held = [mark for mark in FORBIDDEN if mark in text]
        if held:
            raise ReleaseError(f"{path.name}: still holds {', '.join(held)}")


def write_release(course_root: Path) -> list[Path]:
    """Replace ``release/`` by what the source gives now.

    Raises:
        ReleaseError: see `build`; the old release is then left as it was.
    """
    release = course_root / "release"
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        built = Path(folder) / "release"
        files = build(course_root, built)
        for path in [*release.rglob("*")] if release.exists() else []:
            if path.is_file() and not (built / path.relative_to(release)).exists():
                path.unlink()
        shutil.copytree(built, release, dirs_exist_ok=True)
    return [release / path.relative_to(built) for path in files]


def differences(course_root: Path) -> list[Difference]:
    """Where the committed ``release/`` and the source disagree, byte for byte."""
    release = course_root / "release"
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        built = Path(folder) / "release"
        fresh = {str(path.relative_to(built)): path for path in build(course_root, built)}
        committed = {
            str(path.relative_to(release)): path for path in release.rglob("*") if path.is_file()
        }
        found = [Difference(name, "missing") for name in sorted(fresh.keys() - committed.keys())]
        found += [
            Difference(name, "unexpected") for name in sorted(committed.keys() - fresh.keys())
        ]
        for name in sorted(fresh.keys() & committed.keys()):
            if not filecmp.cmp(fresh[name], committed[name], shallow=False):
                found.append(Difference(name, "stale"))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the release of the course, or with ``--check`` only compare."""
    parser = argparse.ArgumentParser(prog="python -m pdgrade.release", description=main.__doc__)
    parser.add_argument("--course", type=Path, default=Path(), help="the course directory")
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if it differs")
    options = parser.parse_args(arguments)
    root = options.course.resolve()
    try:
        if options.check:
            found = differences(root)
            for difference in found:
                print(f"{difference.kind}  release/{difference.path}")
            return int(bool(found))
        for path in write_release(root):
            print(path.relative_to(root))
    except ReleaseError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
