"""A picture that stands without a kernel: in a saved notebook, on a slide, in a mail.

`Picture` shows itself as SVG (GitHub and every notebook draw that) and writes HTML, SVG or PNG
files. Nothing is fetched from anywhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Final

from pdsched.figures import svg
from pdsched.figures.palette import stylesheet
from pdsched.figures.plotly_figure import to_plotly
from pdsched.figures.scene import Scene
from pdsched.messages import language, text

BROWSERS: Final = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)  # fmt: skip


class ExportUnavailableError(RuntimeError):
    """No program here can turn the picture into this format; the message says what can."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A scene with the words around it, ready to be shown or written to a file."""

    scene: Scene
    sentences: tuple[str, ...] = ()

    def to_svg(self, *, dark: bool | None = None) -> str:
        """A self-contained SVG; ``None`` follows the reader's system."""
        mode = "auto" if dark is None else ("dark" if dark else "light")
        return svg.render(self.scene, uid=f"pd-{self.scene.key}", mode=mode, why=False, paper=True)

    def to_plotly(self, *, dark: bool = False) -> Any:
        """The same marks as a `plotly.graph_objects.Figure`."""
        return to_plotly(self.scene, dark=dark)

    def to_html(self, *, dark: bool | None = None) -> str:
        """A whole page with the picture and its sentences."""
        return page([self], title=self.scene.title, dark=dark)

    def save(self, path: str | os.PathLike[str], *, dark: bool | None = None) -> Path:
        """Write ``.html``, ``.svg`` or ``.png`` by the file's ending.

        Raises:
            ValueError: another ending.
            ExportUnavailableError: PNG where no browser is installed.
            OSError: the file cannot be written.
        """
        target = Path(path)
        ending = target.suffix.lower()
        if ending == ".html":
            target.write_text(self.to_html(dark=dark), encoding="utf-8")
        elif ending == ".svg":
            target.write_text(self.to_svg(dark=dark), encoding="utf-8")
        elif ending == ".png":
            _png(self, target, dark=bool(dark))
        else:
            raise ValueError(f"picture file must end in .html, .svg or .png, got {target.name!r}")
        return target

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        # Front ends show an SVG as an image, which knows nothing of the notebook's theme.
        words = f"{self.scene.title}: {self.scene.alt}"
        return {"image/svg+xml": self.to_svg(), "text/plain": words}


def page(pictures: Sequence[Picture], *, title: str, dark: bool | None = None) -> str:
    """One HTML page of pictures, complete in itself."""
    mode = "auto" if dark is None else ("dark" if dark else "light")
    theme = {"dark": " pd-dark", "auto": " pd-auto"}.get(mode, "")
    parts = []
    for number, picture in enumerate(pictures):
        drawn = svg.render(picture.scene, uid=f"p{number}", with_style=False, mode=mode)
        words = "".join(f"<p>{escape(sentence)}</p>" for sentence in picture.sentences)
        parts.append(f"<h2>{escape(picture.scene.title)}</h2>{drawn}{words}")
    return (
        f'<!doctype html><html lang="{language()}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{stylesheet()}"
        "body{margin:0}main{max-width:1040px;margin:0 auto;padding:16px;min-height:100vh;"
        "box-sizing:border-box;background:var(--pd-paper)}h1{font-size:22px}h2{font-size:17px}"
        f'main.pd{{max-width:none}}</style><body><main class="pd{theme}">'
        f"<h1>{escape(title)}</h1>{''.join(parts)}</main></body></html>"
    )


def browser() -> str | None:
    """A browser that can draw without a window: ``PDSCHED_BROWSER``, else the first one found."""
    named = os.environ.get("PDSCHED_BROWSER")
    for candidate in (named, *BROWSERS) if named else BROWSERS:
        if candidate and (found := shutil.which(candidate)):
            return found
    return None


def _png(picture: Picture, target: Path, *, dark: bool) -> None:
    program = browser()
    if program is None:
        raise ExportUnavailableError(text("figures.no_browser"))
    drawn = picture.to_svg(dark=dark)
    sized = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawn)
    width, height = (int(sized[1]), int(sized[2])) if sized else (960, 640)
    paper = "#15181c" if dark else "#fff"
    html = (
        f'<!doctype html><meta charset="utf-8"><body style="margin:12px;background:{paper}">'
        f'<div style="width:{width}px">{drawn}</div>'
    )
    with tempfile.TemporaryDirectory() as folder:
        source, drawn_to = Path(folder) / "picture.html", Path(folder) / "picture.png"
        source.write_text(html, encoding="utf-8")
        subprocess.run(
            [
                program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--hide-scrollbars", "--force-device-scale-factor=2",
                f"--user-data-dir={folder}/profile",
                f"--window-size={width + 24},{height + 24}",
                f"--screenshot={drawn_to}", source.as_uri(),
            ],
            check=True, capture_output=True, timeout=60,
        )  # fmt: skip
        shutil.copyfile(drawn_to, target)  # the browser says nothing where it cannot write
