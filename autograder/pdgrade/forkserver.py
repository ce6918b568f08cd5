"""Start a warm, clean interpreter once, and have it fork an isolated worker in milliseconds."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Literal

from pdgrade.assignment import CodeCell
from pdgrade.limits import Limits
from pdgrade.sandbox import (
    RUNGS,
    Isolation,
    IsolationError,
    Rung,
    candidates,
    masked_paths,
    why_not,
)
from pdgrade.template_process import TemplateGone, TemplatePlan, TemplateProcess
from pdgrade.worker_client import Worker

_HEAVY: Final = re.compile(r"^\s*(?:import|from)\s+(numpy|pandas|scipy)\b", re.MULTILINE)
#: What learners commonly import; warm, it costs a fork nothing.
_PRELOAD: Final = [
    "array",
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "math",
    "operator",
    "pprint",
    "queue",
    "re",
    "statistics",
    "string",
    "textwrap",
    "time",
    "typing",
]


class ForkServer:
    """Forks isolated workers; safe to use from several threads.

    Args:
        isolation: the strongest rung to try; ``"auto"`` takes the strongest there is.
        require: fail unless this rung or a stronger one is reached.
        limits: of every worker.
        protected: files and folders that no worker may read, wherever they lie.

    Attributes:
        isolation: the layers in force.
        exposed: of `protected`, what a worker can read all the same: on the rung ``uid`` whatever
            everybody may read, on ``rlimits`` everything. With `require` none may be left.

    Raises:
        IsolationError: `require` cannot be met, or workers cannot be started here at all.
    """

    def __init__(
        self,
        *,
        isolation: Rung | Literal["auto"] = "auto",
        require: Rung | None = None,
        limits: Limits | None = None,
        protected: Iterable[Path] = (),
    ) -> None:
        if not hasattr(os, "fork"):
            raise IsolationError("workers need fork(): grade on Linux or macOS, or in WSL")
        self.limits = limits or Limits()
        self._protected = tuple(str(Path(path).resolve()) for path in protected)
        self._masked = masked_paths(map(Path, self._protected))
        self._lock = threading.Lock()
        first = self._first_that_holds(RUNGS[0] if isolation == "auto" else isolation, require)
        self._templates: dict[tuple[str, ...], TemplateProcess] = {(): first}
        self.isolation = first.isolation
        self.exposed = first.exposed

    def __enter__(self) -> ForkServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def worker(self, cells: Sequence[CodeCell], *, deadline: float | None = None) -> Worker:
        """A fresh worker in which `cells` were executed.

        Args:
            cells: the learner's code, in order.
            deadline: of `time.monotonic`, for all this worker does; else the question's limit.

        Raises:
            IsolationError: the worker could not be confined; nothing was run.
        """
        extra = _heavy_modules(cells)
        template = self._template(extra, None)
        try:
            worker = template.spawn(deadline)
        except IsolationError as error:  # nothing of the learner has run yet: once more
            gone = template if isinstance(error, TemplateGone) else None
            worker = self._template(extra, gone).spawn(deadline)
        worker.run_cells(cells)
        return worker

    @property
    def pids(self) -> tuple[int, ...]:
        """The template processes; all that learner code ever starts is below them."""
        return tuple(template.pid for template in self._templates.values())

    def close(self) -> None:
        """End the templates, and with them every worker."""
        for template in self._templates.values():
            template.close()

    def _first_that_holds(self, strongest: Rung, require: Rung | None) -> TemplateProcess:
        refused = []
        for isolation in candidates(strongest):
            if require is not None and not isolation.satisfies(require):
                continue
            try:
                template = self._start(isolation, ())
            except IsolationError as error:
                refused.append(f"{isolation}: {error}")
                continue
            found = template.self_check(self._protected)
            if not found and require and require != "rlimits" and template.exposed:
                found = f"readable by workers: {', '.join(template.exposed)} (chmod -R go-rwx)"
            if not found:
                return template
            template.close()
            refused.append(f"{isolation}: {found}")
        wanted = f"isolation {require!r} is required" if require else "workers cannot be started"
        raise IsolationError(
            f"{wanted}; tried: {'; '.join(refused) or why_not(require or strongest)}"
        )

    def _start(self, isolation: Isolation, extra: tuple[str, ...]) -> TemplateProcess:
        preload = (*_PRELOAD, *extra)
        return TemplateProcess(TemplatePlan(isolation, self.limits, self._masked, preload))

    def _template(self, extra: tuple[str, ...], gone: TemplateProcess | None) -> TemplateProcess:
        """The template with these modules; a new one for the first time, or in place of `gone`."""
        with self._lock:
            template = self._templates.get(extra)
            if template is None or template is gone:
                if template is not None:
                    template.close()
                template = self._templates[extra] = self._start(self.isolation, extra)
            return template


def _heavy_modules(cells: Sequence[CodeCell]) -> tuple[str, ...]:
    """The slow modules these cells import; they come from a template that has them already."""
    names = {name for cell in cells for name in _HEAVY.findall(cell.source)}
    if names - {"numpy"}:
        return ("numpy", "pandas")
    return ("numpy",) if names else ()
