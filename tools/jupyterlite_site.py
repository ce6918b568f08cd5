"""``make lite``: the released notebooks as a JupyterLite site, which runs Python in the browser.

Everything the site needs is in its folder: JupyterLite, Pyodide and the wheels, so that it works
without a network. The kernel starts with `pdsched` installed, so that no cell changes.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import http.server
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Final

from bundle import build_wheel
from environment import ROOT, STAMP_NAME, locked_block, python_of
from lab_server import ASSIGNMENT

KIT: Final = ROOT / "build" / "jupyterlite" / "kit"
SITE: Final = ROOT / "build" / "jupyterlite" / "site"
# The kernel is made for one Pyodide; the two change together.
JUPYTERLITE: Final = ("jupyterlite-core[contents]==0.8.6", "jupyterlite-pyodide-kernel==0.8.6")
PYODIDE: Final = "pyodide@314.0.6"
PYTHON: Final = "3.14"
MICROPIP: Final = "micropip==0.11.1"
PYODIDE_FILES: Final = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json",
)  # fmt: skip
# What the kernel imports, then what pdsched imports: pure Python, at the versions of our lock.
KERNEL_WHEELS: Final = (
    "packaging", "ipython", "ipython-pygments-lexers", "comm", "traitlets", "jedi", "parso",
    "pygments", "matplotlib-inline", "prompt-toolkit", "wcwidth", "stack-data",
    "executing", "asttokens", "pure-eval",
)  # fmt: skip
COURSE_WHEELS: Final = ("ipywidgets", "jupyterlab-widgets", "plotly", "narwhals")
# The widget manager is part of the page; the kernel carries a stand-in for this package.
STAND_IN: Final = "widgetsnbextension"


def lite(python: Path, arguments: list[str]) -> int:
    """Build the site and, with ``--serve PORT``, serve it from 127.0.0.1."""
    parser = argparse.ArgumentParser(prog="make.py lite", description=__doc__)
    parser.add_argument("--notebooks", type=Path, default=ROOT / "release" / ASSIGNMENT)
    parser.add_argument("--output", type=Path, default=SITE)
    parser.add_argument("--fetch", action="store_true", help="only fetch what a build needs")
    parser.add_argument("--serve", type=int, metavar="PORT", help="0 finds a free one")
    chosen = parser.parse_args(arguments)
    fetch(python, KIT)
    if chosen.fetch:
        return 0
    build(python, KIT, chosen.output, chosen.notebooks)
    print(f"{chosen.output}: index.html, lab/, notebooks and kernel", flush=True)
    if chosen.serve is not None:
        server = serve(chosen.output, chosen.serve)
        print(f"http://127.0.0.1:{server.server_port}/lab/index.html", flush=True)
        server.serve_forever()
    return 0


def is_fetched(kit: Path) -> bool:
    """Whether ``kit`` is complete and what this file and the lock ask for."""
    stamp = kit / STAMP_NAME
    return stamp.exists() and stamp.read_text(encoding="utf-8") == _fingerprint()


def fetch(python: Path, kit: Path) -> None:
    """Bring JupyterLite, Pyodide and the third-party wheels into ``kit``, once.

    Raises:
        OSError: a package could not be had, or npm is missing.
    """
    if is_fetched(kit):
        return
    shutil.rmtree(kit, ignore_errors=True)
    kit.mkdir(parents=True)
    _run([str(python), "-m", "venv", str(kit / "venv")])
    pip = [str(python_of(kit / "venv")), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    locked = kit / "locked.txt"
    _run([*pip, "install", *JUPYTERLITE])
    locked.write_text(locked_block("jupyterlab-widgets"), encoding="utf-8")
    _run([*pip, "install", "--no-deps", "--require-hashes", "-r", str(locked)])
    locked.write_text("".join(map(locked_block, (*KERNEL_WHEELS, *COURSE_WHEELS))), "utf-8")
    pure = ["download", "--no-deps", "--dest", str(kit / "wheels"), "--only-binary=:all:"]
    pure += ["--python-version", PYTHON, "--implementation", "py", "--abi", "none"]
    pure += ["--platform", "any"]
    _run([*pip, *pure, "--require-hashes", "-r", str(locked)])
    _run([*pip, *pure, MICROPIP])
    _fetch_pyodide(kit)
    (kit / STAMP_NAME).write_text(_fingerprint(), encoding="utf-8")


def _fingerprint() -> str:
    """What the kit was made of."""
    blocks = "".join(map(locked_block, (*KERNEL_WHEELS, *COURSE_WHEELS)))
    words = " ".join((*JUPYTERLITE, PYODIDE, MICROPIP, str(ROOT)))
    return hashlib.sha256((words + blocks).encode()).hexdigest()


def _fetch_pyodide(kit: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("Pyodide comes as an npm package: install npm (Node.js) first")
    _run([npm, "pack", "--silent", "--pack-destination", str(kit), PYODIDE])
    (kit / "pyodide").mkdir()
    with tarfile.open(next(kit.glob("pyodide-*.tgz"))) as archive:
        for name in PYODIDE_FILES:
            member = archive.extractfile(f"package/{name}")
            if member is None:
                raise OSError(f"{PYODIDE} has no {name}")
            (kit / "pyodide" / name).write_bytes(member.read())


def build(python: Path, kit: Path, site: Path, notebooks: Path) -> None:
    """Write the site of ``notebooks``, with `pdsched` as it is in this checkout.

    Raises:
        OSError: a part of the build failed.
    """
    if site.exists() and any(site.iterdir()) and not (site / "jupyter-lite.json").exists():
        raise OSError(f"{site} holds something else than a JupyterLite site: name another folder")
    work = kit.parent / "work"
    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    pyodide = work / "static" / "pyodide"
    shutil.copytree(kit / "pyodide", pyodide)
    wheels = [Path(shutil.copy(path, pyodide)) for path in sorted((kit / "wheels").glob("*.whl"))]
    wheels.append(build_wheel(python, work / "wheel"))
    shutil.copy(wheels[-1], pyodide)
    stand_in = "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"
    for path in (kit / "venv" / stand_in).glob(f"{STAND_IN}-4*.whl"):
        wheels.append(Path(shutil.copy(path, pyodide)))
    _write_lock(pyodide / "pyodide-lock.json", wheels)
    _write_settings(work / "jupyter-lite.json")
    contents = work / "contents"
    contents.mkdir()
    for path in sorted(notebooks.glob("*.ipynb")):
        _for_browser(path, contents)
    command = [str(python_of(kit / "venv")), "-m", "jupyterlite_core", "build", "--no-sourcemaps"]
    command += ["--lite-dir", str(work), "--output-dir", str(site), "--apps", "lab"]
    # Its cache of finished steps lies in the working directory: a new one for each build.
    _run([*command, "--contents", str(contents)], work)


def _write_lock(path: Path, wheels: list[Path]) -> None:
    """Pyodide's lock file, its packages replaced by the wheels that lie beside it."""
    lock = json.loads(path.read_text(encoding="utf-8"))
    entries = [_entry(wheel) for wheel in wheels]
    present = {entry["name"] for entry in entries}
    for entry in entries:
        entry["depends"] = [name for name in entry["depends"] if name in present]
    lock["packages"] = {entry["name"]: entry for entry in entries}
    path.write_text(json.dumps(lock), encoding="utf-8")


def _entry(wheel: Path) -> dict[str, Any]:
    """One package of a lock file."""
    name, version = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(n for n in names if n.endswith(".dist-info/METADATA")))
    required = re.findall(r"^Requires-Dist: *([\w.-]+)(.*)$", metadata.decode(), re.MULTILINE)
    tops = {each.split("/")[0].removesuffix(".py") for each in names if ".dist-info/" not in each}
    return {
        "name": _normal(name),
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": sorted(top for top in tops if not top.endswith(".data")),
        "depends": [_normal(each) for each, rest in required if "extra ==" not in rest],
        "unvendored_tests": False,
    }


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _for_browser(notebook: Path, folder: Path) -> None:
    """Copy a notebook and name the kernel it meets there, which would otherwise be asked for."""
    book = json.loads(notebook.read_text(encoding="utf-8"))
    kernel = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
    book["metadata"]["kernelspec"] = kernel
    (folder / notebook.name).write_text(json.dumps(book, ensure_ascii=False), encoding="utf-8")


def _write_settings(path: Path) -> None:
    kernel = {
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": ["micropip", "ipython", "comm", "jedi", "pdsched"]},
    }
    plugins = {"@jupyterlite/pyodide-kernel-extension:kernel": kernel}
    data = {"exposeAppInBrowser": True, "litePluginSettings": plugins}
    words = {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}
    path.write_text(json.dumps(words), encoding="utf-8")


class _Files(http.server.SimpleHTTPRequestHandler):
    """Static files with the types that modules and WebAssembly need on every system."""

    extensions_map = {  # noqa: RUF012 - as its base class has it
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm",
        ".json": "application/json",
    }  # fmt: skip

    def log_message(self, *_: object) -> None:
        """Silence: a page asks for hundreds of files."""


def serve(site: Path, port: int = 0) -> http.server.ThreadingHTTPServer:
    """A server of the site on 127.0.0.1; the caller runs and closes it."""
    handler = functools.partial(_Files, directory=str(site))
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)


def _run(command: list[str], folder: Path | None = None) -> None:
    """Run a step of the build.

    Raises:
        OSError: it failed; its last lines are in the message.
    """
    done = subprocess.run(
        command, check=False, cwd=folder, text=True, encoding="utf-8", errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    if done.returncode:
        last = "\n".join(done.stdout.strip().splitlines()[-8:])
        raise OSError(f"{Path(command[0]).name} {' '.join(command[1:4])} failed:\n{last}")


if __name__ == "__main__":
    sys.exit(lite(Path(sys.executable), sys.argv[1:]))
