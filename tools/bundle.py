"""``make bundle``: the released notebooks and pdsched's wheel in one zip, for a cloud upload."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

from environment import ROOT
from lab_server import ASSIGNMENT, LABS


def build_wheel(python: Path, folder: Path, package: str = "course") -> Path:
    """Build the wheel of ``course`` or ``autograder`` into ``folder``, from the locked backend.

    Raises:
        OSError: the build failed; its last line is in the message.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = {"course": "pdsched", "autograder": "pdgrade"}[package]
    for stale in folder.glob(f"{name}-*.whl"):
        stale.unlink()
    command = [str(python), "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    done = subprocess.run(
        [*command, str(ROOT / package)], check=False, capture_output=True, text=True
    )
    if done.returncode:
        raise OSError(f"{name}'s wheel was not built: {done.stderr.strip().splitlines()[-1]}")
    return next(folder.glob(f"{name}-*.whl"))


def bundle(python: Path, arguments: list[str]) -> int:
    """Write build/<assignment>.zip and say where it is.

    Worked solutions are for self-learners: they go along only with ``--selfstudy``.
    """
    worked = sorted((ROOT / "selfstudy").glob("*.md")) if "--selfstudy" in arguments else []
    released = sorted((ROOT / "release" / ASSIGNMENT).glob("*.ipynb"))
    if not released:
        raise OSError(f"release/{ASSIGNMENT} has no notebook: run make release first")
    released += sorted((ROOT / "release" / LABS).glob("*.ipynb"))
    target = ROOT / "build" / f"{ASSIGNMENT}.zip"
    wheel = build_wheel(python, ROOT / "build" / "wheel")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in (*released, wheel):
            archive.write(path, f"{ASSIGNMENT}/{path.name}")
        for path in worked:
            archive.write(path, f"{ASSIGNMENT}/selfstudy/{path.name}")
    print(f"{target.relative_to(ROOT)}: {len(released)} notebooks, {wheel.name}", end="")
    print(", selfstudy" if worked else "")
    return 0
