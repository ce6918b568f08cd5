"""One notebook, opened alone on somebody else's machine: where it comes from and its first cell.

Everything that names the published location is generated from `PUBLISHED`: the setup cell of
every notebook, the links that open it in a cloud, and the guide.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from pdsched.cloud.bootstrap import prepare_pdsched


@dataclass(frozen=True)
class Location:
    """Where the course is published.

    Attributes:
        repository: ``owner/name`` on GitHub.
        revision: branch or tag that the links and the installation use.
        released: folder of the notebooks that learners open.
        labs: folder of the ungraded labs.
    """

    repository: str
    revision: str
    released: str
    labs: str = "release/labs"

    @property
    def package(self) -> str:
        """What pip installs ``pdsched`` from."""
        address = f"git+https://github.com/{self.repository}@{self.revision}"
        return f"pdsched @ {address}#subdirectory=course"

    def notebook_path(self, name: str) -> str:
        """Path of a released notebook (without suffix) inside the repository, URL-quoted."""
        folder = self.labs if name.startswith("lab") else self.released
        return quote(f"{self.repository}/blob/{self.revision}/{folder}/{name}.ipynb")


# The one place that says where the course lives: set it when publishing, then `make release`.
# Until then it is a name that GitHub does not give to anybody, so nobody else can answer to it.
PUBLISHED: Final = Location(
    repository="publish--me/prefill-decode-scheduling",
    revision="main",
    released="release/prefill-decode-scheduling",
)

MODELSCOPE_NOTEBOOKS: Final = "https://modelscope.cn/my/mynotebook"

_TITLE: Final = (
    "# @title 环境准备 | Setup\n"
    "# 本地已装好 pdsched：什么也不做。云端：安装它，不改动任何已装好的包。"
)


def setup_cell(location: Location = PUBLISHED) -> str:
    """Source of the first cell of every notebook: finds ``pdsched`` or installs it."""
    function = inspect.getsource(prepare_pdsched).rstrip()
    return f'{_TITLE}\n{function}\n\n\nPACKAGE = "{location.package}"\nprepare_pdsched(PACKAGE)'


def badges(notebook: str, location: Location = PUBLISHED) -> str:
    """One Markdown line of links that open a notebook (name without suffix) in a cloud.

    Text links rather than pictures: no image server is asked when a notebook is opened.
    """
    path = location.notebook_path(notebook)
    links = {
        "Colab": f"https://colab.research.google.com/github/{path}",
        "ModelScope 魔搭": MODELSCOPE_NOTEBOOKS,
        "阿里云 PAI-DSW": f"https://gallery.pai-ml.com/#/import/https://github.com/{path}",
    }
    shown = " · ".join(f"[{name}]({address})" for name, address in links.items())
    return f"☁️ 云端打开 | Open in the cloud: {shown}"
