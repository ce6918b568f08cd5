"""Start a warm, clean interpreter once, and have it fork an isolated worker in milliseconds."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from pdgrade.assignment import CodeCell
from pdgrade.limits import Limits
from pdgrade.sandbox import (
    Isolation,
    IsolationError,
    Rung,
    candidates,
    masked_paths,
    read_paths,
    search_path,
)
from pdgrade.self_check import leaks
from pdgrade.worker import frames
from pdgrade.worker.config import Config
from pdgrade.worker.template import CONFIG_NONCE
from pdgrade.worker_client import Ends, Worker

_MAX_CONFIG_BYTES: Final = 1 << 20
_START_WAIT_S: Final = 60.0
_ROOT_UIDS: Final = 1_000_000  # workers' uids when root's range allows it
_FEW_UIDS: Final = 40_000  # and in a container that maps only 65,536
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
_BOOT: Final = (
    "import importlib.util as u, sys; d = sys.argv[1]; "
    "s = u.spec_from_file_location('pdgrade_worker', d + '/__init__.py', "
    "submodule_search_locations=[d]); "
    "m = sys.modules['pdgrade_worker'] = u.module_from_spec(s); s.loader.exec_module(m); "
    "from pdgrade_worker.template import main; main()"
)


class ForkServer:
    """Forks isolated workers; safe to use from several threads.

    Args:
        isolation: the strongest rung to try; ``"auto"`` takes the strongest there is.
        require: fail unless this rung or a stronger one is reached.
        limits: of every worker.
        protected: files and folders that no worker may read, wherever they lie.

    Raises:
        IsolationError: `require` cannot be met, or workers cannot be started here at all.
    """

    def __init__(
        self,
        *,
        isolation: Rung | str = "auto",
        require: Rung | None = None,
        limits: Limits | None = None,
        protected: Iterable[Path] = (),
    ) -> None:
        self.limits = limits or Limits()
        self._masked = masked_paths(protected)
        self._lock = threading.Lock()
        self._heavy: _Template | None = None
        strongest: Rung = "namespaces" if isolation == "auto" else isolation  # type: ignore[assignment]
        self._light = self._first_that_holds(strongest, require)
        self.isolation = self._light.isolation

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
        worker = self._template_for(cells).spawn(self.limits, deadline)
        worker.run_cells(cells)
        return worker

    def close(self) -> None:
        """End the templates, and with them every worker."""
        for template in (self._light, self._heavy):
            if template is not None:
                template.close()

    def _first_that_holds(self, strongest: Rung, require: Rung | None) -> _Template:
        refused = []
        for isolation in candidates(strongest):
            if require is not None and not isolation.satisfies(require):
                continue
            try:
                template = self._start(isolation, ())
            except IsolationError as error:
                refused.append(f"{isolation}: {error}")
                continue
            found = template.self_check(self.limits)
            if not found:
                return template
            template.close()
            refused.append(f"{isolation}: {found}")
        wanted = f"isolation {require!r} is required" if require else "workers cannot be started"
        raise IsolationError(f"{wanted}; tried: {'; '.join(refused) or 'nothing fits here'}")

    def _start(self, isolation: Isolation, preload: Sequence[str]) -> _Template:
        return _Template(isolation, self.limits, self._masked, (*_PRELOAD, *preload))

    def _template_for(self, cells: Sequence[CodeCell]) -> _Template:
        """The plain template, or, for code that imports NumPy or pandas, one that has them."""
        names = {name for cell in cells for name in _HEAVY.findall(cell.source)}
        if not names:
            return self._light
        with self._lock:
            if self._heavy is None:
                self._heavy = self._start(self.isolation, ("numpy", "pandas"))
            return self._heavy


class _Template:
    """One warm interpreter process and its control socket."""

    def __init__(
        self,
        isolation: Isolation,
        limits: Limits,
        masked: tuple[str, ...],
        preload: tuple[str, ...],
    ) -> None:
        self.isolation = isolation
        self._lock = threading.Lock()
        self._base = Path(tempfile.mkdtemp(prefix="pdgrade-")).resolve()
        self._base.chmod(0o711)
        self._secret = self._base / "secret"
        self._secret.write_text("not for workers", encoding="utf-8")
        self._secret.chmod(0o600)
        config = Config(
            namespaces=isolation.namespaces,
            landlock=isolation.landlock,
            seccomp=isolation.seccomp,
            uid_base=_unused_uids() if isolation.uid else 0,
            base=str(self._base),
            read_paths=read_paths(),
            masked_paths=masked,
            search_path=search_path(),
            preload=preload,
            caps=limits.caps,
        )
        self._control, theirs = socket.socketpair()
        folder = Path(__file__).parent / "worker"
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-S", "-B", "-c", _BOOT, str(folder), str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                env=_environment(),
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        try:
            self._configure(config)
        except BaseException:
            self.close()
            raise

    def _configure(self, config: Config) -> None:
        self._control.settimeout(_START_WAIT_S)
        reader = frames.FrameReader(CONFIG_NONCE, _MAX_CONFIG_BYTES)
        answer: dict[str, Any] | None = None
        try:
            self._control.sendall(frames.pack(CONFIG_NONCE, config.to_json(), _MAX_CONFIG_BYTES))
            while answer is None:
                data = self._control.recv(65536)
                if not data:
                    raise IsolationError("the template process ended")
                reader.feed(data)
                answer = reader.message()
        except OSError as error:
            raise IsolationError(f"the template process does not answer: {error}") from error
        if "ready" not in answer:
            raise IsolationError(str(answer.get("error", "unknown")))

    def spawn(self, limits: Limits, deadline: float | None) -> Worker:
        """Fork a worker.

        Raises:
            IsolationError: it could not be confined, or the template is gone.
        """
        channel, their_channel = socket.socketpair()
        status, their_status = socket.socketpair()
        output, their_output = os.pipe()
        nonce = secrets.token_bytes(frames.NONCE_BYTES)
        try:
            with self._lock:
                descriptors = [their_channel.fileno(), their_output, their_status.fileno()]
                socket.send_fds(self._control, [nonce], descriptors)
        except OSError as error:
            channel.close()
            status.close()
            os.close(output)
            raise IsolationError(f"the template process is gone: {error}") from error
        finally:
            their_channel.close()
            their_status.close()
            os.close(their_output)
        channel.setblocking(False)
        os.set_blocking(output, False)
        worker = Worker(Ends(channel, output, status, nonce), limits, deadline)
        problem = worker.wait_until_confined()
        if problem:
            worker.close()
            raise IsolationError(problem)
        return worker

    def self_check(self, limits: Limits) -> str:
        """What a worker could do that its isolation promises to prevent; empty if nothing."""
        try:
            with self.spawn(limits, None) as worker:
                return leaks(worker, self.isolation, self._secret)
        except IsolationError as error:
            return str(error)

    def close(self) -> None:
        """End the process, its workers, and remove its folder."""
        self._control.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._base, ignore_errors=True)


def _environment() -> dict[str, str]:
    """Everything workers find in their environment."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # sets iterate alike in every worker
        "PYTHONUTF8": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "MPLBACKEND": "Agg",
    }


def _unused_uids() -> int:
    """The first of 64 uids that nobody has, apart from those of other templates."""
    try:
        lines = Path("/proc/self/uid_map").read_text(encoding="ascii").split("\n")
        mapped = sum(int(line.split()[2]) for line in lines if line)
    except (OSError, ValueError, IndexError):
        mapped = 65_536
    if mapped > _ROOT_UIDS * 100:
        return (
            _ROOT_UIDS + os.getpid() % 100_000 * 64 + secrets.randbelow(1_000) * 6_400_000 % 2**30
        )
    return _FEW_UIDS + secrets.randbelow(300) * 64
