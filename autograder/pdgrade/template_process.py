"""One warm template process, as the trusted side sees it: start it, have it fork, end it."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pdgrade import owners
from pdgrade.limits import Limits
from pdgrade.sandbox import Isolation, IsolationError, read_paths, search_path
from pdgrade.self_check import leaks, readable_of
from pdgrade.worker import frames
from pdgrade.worker.config import CONFIG_NONCE, MAX_CONFIG_BYTES, Config
from pdgrade.worker_client import AHEAD_BYTES, Ends, Worker

_PREFIX: Final = "pdgrade-"
_START_WAIT_S: Final = 60.0
_ROOT_UIDS: Final = 1_000_000  # workers' uids when root's range allows it
_FEW_UIDS: Final = 40_000  # and in a container that maps only 65,536
#: What libraries need to load and to compute rightly; none of it is private.
_PASSED_ON: Final = ("LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "TZ")
_BOOT: Final = (
    "import importlib.util as u, sys; d = sys.argv[1]; "
    "s = u.spec_from_file_location('pdgrade_worker', d + '/__init__.py', "
    "submodule_search_locations=[d]); "
    "m = sys.modules['pdgrade_worker'] = u.module_from_spec(s); s.loader.exec_module(m); "
    "from pdgrade_worker.template import main; main()"
)


class TemplateGone(IsolationError):  # noqa: N818  names the state
    """The template process is no more; another one can be started."""


@dataclass(frozen=True)
class TemplatePlan:
    """What a template is started with."""

    isolation: Isolation
    limits: Limits
    masked: tuple[str, ...]
    preload: tuple[str, ...]


class TemplateProcess:
    """One warm interpreter process and its control socket."""

    def __init__(self, plan: TemplatePlan) -> None:
        self.isolation = isolation = plan.isolation
        self._limits = plan.limits
        self.exposed: tuple[str, ...] = ()
        self._lock = threading.Lock()
        scratch = Path(_scratch(plan.limits)).resolve()
        owners.remove_abandoned(scratch, _PREFIX)
        self._base = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=scratch))
        self._base.chmod(0o711)
        owners.sign(self._base)
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
            masked_paths=plan.masked,
            search_path=search_path(),
            preload=plan.preload,
            caps=plan.limits.caps,
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

    @property
    def pid(self) -> int:
        """Of the process that was started (with namespaces its only child does the forking)."""
        return self._process.pid

    def _configure(self, config: Config) -> None:
        self._control.settimeout(_START_WAIT_S)
        reader = frames.FrameReader(CONFIG_NONCE, MAX_CONFIG_BYTES)
        answer: dict[str, Any] | None = None
        try:
            self._control.sendall(frames.pack(CONFIG_NONCE, config.to_json(), MAX_CONFIG_BYTES))
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

    def spawn(self, deadline: float | None) -> Worker:
        """Fork a worker.

        Raises:
            TemplateGone: the template process has ended.
            IsolationError: the worker could not be confined.
        """
        channel, their_channel = socket.socketpair()
        for end, size in ((channel, socket.SO_SNDBUF), (their_channel, socket.SO_RCVBUF)):
            end.setsockopt(socket.SOL_SOCKET, size, 4 * AHEAD_BYTES)
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
            raise TemplateGone(f"the template process is gone: {error}") from error
        finally:
            their_channel.close()
            their_status.close()
            os.close(their_output)
        channel.setblocking(False)
        os.set_blocking(output, False)
        worker = Worker(Ends(channel, output, status, nonce), self._limits, deadline)
        problem = worker.wait_until_confined()
        if problem:
            worker.close()
            raise TemplateGone(problem) if self._has_ended() else IsolationError(problem)
        return worker

    def _has_ended(self) -> bool:
        try:
            self._process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            return False
        return True

    def self_check(self, protected: tuple[str, ...]) -> str:
        """What a worker could do that its isolation promises to prevent; empty if nothing.

        Notes in `exposed` which of the protected paths it can read.
        """
        try:
            with self.spawn(None) as worker:
                found = leaks(worker, self.isolation, self._secret)
                self.exposed = () if found else readable_of(worker, protected)
                allow_list = self.isolation.namespaces or self.isolation.landlock
                return "protected files are readable" if allow_list and self.exposed else found
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


def _scratch(limits: Limits) -> str:
    """Where workers' folders go: in memory if there is room; on disk each takes milliseconds."""
    memory = Path("/dev/shm")
    if memory.is_dir() and os.access(memory, os.W_OK | os.X_OK):
        found = os.statvfs(memory)
        if found.f_bavail * found.f_frsize >= 8 * limits.caps.disk:
            return str(memory)
    return tempfile.gettempdir()


def _environment() -> dict[str, str]:
    """Everything workers find in their environment."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {
        **kept,
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
