"""The template: a clean, warm interpreter that forks a worker for every request.

Started by exec with one argument, the descriptor of the control socket. A request carries three
descriptors: the worker's channel, its output, and a status socket on which the template writes how
the worker ended. Whoever holds the other end of the status socket owns the worker: a byte on it, or
closing it, ends the worker and everything it started. The template ends with its control socket.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
from dataclasses import dataclass
from typing import Any

from . import confine, frames, landlock, linux, namespaces, quiet, seccomp, serve, strays
from .config import CHANNEL_LOST, CONFIG_NONCE, MAX_CONFIG_BYTES, Config

_TICK_MS = 100


@dataclass
class _Running:
    pid: int
    status: socket.socket
    seat: confine.Seat
    reason: str = ""  # why the template ended it, if it did


class Template:
    """The loop that forks, watches and ends workers."""

    def __init__(self, control: socket.socket, config: Config) -> None:
        self._control, self._config = control, config
        self._inside = namespaces.enter(config) if config.namespaces else None
        self._started = 0
        self._running: dict[int, _Running] = {}  # by descriptor of the status socket
        self._wake, wake_end = os.pipe()
        for end in (self._wake, wake_end):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        if linux.available:
            linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
            linux.prctl(linux.PR_SET_DUMPABLE, 0)
        self._warm_up()

    def _warm_up(self) -> None:
        sys.path[:] = self._config.search_path
        quiet.install()
        for name in self._config.preload:
            with contextlib.suppress(ImportError):
                __import__(name)
        if self._inside:
            pages = int(os.pread(self._inside.statm, 100, 0).split()[0])
            self._address_space = pages * os.sysconf("SC_PAGE_SIZE")
        else:
            self._address_space = strays.mapped_bytes()
        # Where workers cannot start processes, one generous count serves them all.
        self._tasks = strays.tasks_of_this_user() + 256 if self._config.seccomp else 0
        confine.prepare(self._config)
        serve.rehearse(self._config.caps.message)
        gc.collect()
        gc.freeze()

    def run(self) -> None:
        """Serve until the control socket closes."""
        while True:
            poller = select.poll()
            for descriptor in (self._control.fileno(), self._wake, *self._running):
                poller.register(descriptor, select.POLLIN)
            watch = self._running and not self._inside
            ready = {number for number, _ in poller.poll(_TICK_MS if watch else None)}
            with contextlib.suppress(BlockingIOError):
                os.read(self._wake, 4096)
            for descriptor in ready & set(self._running):
                self._end(descriptor)  # its owner asked, or is gone
            self._reap()
            if watch:
                self._watch()
            if self._control.fileno() in ready and not self._accept():
                for descriptor in list(self._running):
                    self._end(descriptor)
                return

    def _accept(self) -> bool:
        """Fork a worker for one request; False when the control socket is closed."""
        data, descriptors, _, _ = socket.recv_fds(self._control, 4096, 3)
        if not data:
            return False
        channel, output, status = descriptors
        seat = self._seat()
        if self._inside:
            namespaces.new_pid_namespace()
        pid = os.fork()
        if pid == 0:
            self._become_worker(channel, output, seat, data)
        if self._inside:
            namespaces.end_pid_namespace(self._inside.pid_namespace)
        os.close(channel)
        os.close(output)
        self._running[status] = _Running(pid, socket.socket(fileno=status), seat)
        return True

    def _seat(self) -> confine.Seat:
        self._started += 1
        config = self._config
        uid = config.uid_base + self._started % 64 if config.uid_base else 0
        if self._inside:
            return confine.Seat(namespaces.WORK, uid, self._address_space, 4 + len(self._running))
        folder = f"{config.base}/{self._started}"
        os.mkdir(folder, 0o700)
        tasks = 0
        if uid:
            os.chown(folder, uid, uid)
        elif self._tasks:
            tasks = self._tasks
        else:
            tasks = strays.tasks_of_this_user()
        return confine.Seat(folder, uid, self._address_space, tasks)

    def _become_worker(self, channel: int, output: int, seat: confine.Seat, nonce: bytes) -> None:
        status = CHANNEL_LOST
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            # Above every target first, so that no dup2 overwrites a source.
            high = [os.dup(number) for number in (channel, output)]
            while min(high) <= serve.CHANNEL:
                high = [os.dup(number) for number in high]
            os.dup2(high[1], 1)
            os.dup2(high[1], 2)
            os.dup2(high[0], serve.CHANNEL)
            os.closerange(serve.CHANNEL + 1, 65536)
            os.close(0)
            os.open(os.devnull, os.O_RDONLY)
            status = serve.serve(self._config, seat, nonce)
        finally:
            os._exit(status)

    def _reap(self) -> None:
        for descriptor, worker in list(self._running.items()):
            pid, status, usage = os.wait4(worker.pid, os.WNOHANG)
            if pid:
                self._finish(descriptor, status, usage)
        strays.reap_others({worker.pid for worker in self._running.values()})

    def _end(self, descriptor: int) -> None:
        worker = self._running.get(descriptor)
        if worker is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.pid, signal.SIGKILL)
        _, status, usage = os.wait4(worker.pid, 0)
        self._finish(descriptor, status, usage)

    def _finish(self, descriptor: int, status: int, usage: Any) -> None:
        worker = self._running.pop(descriptor)
        if not self._inside:
            if not self._config.seccomp:
                strays.kill_session(worker.pid)
                self._kill_strays()
                if worker.seat.uid:
                    strays.kill_uid(worker.seat.uid)
            strays.remove_folder(worker.seat.folder)
        report = {
            "status": os.waitstatus_to_exitcode(status),
            "cpu_ms": round((usage.ru_utime + usage.ru_stime) * 1000, 3),
            "peak_kib": usage.ru_maxrss,
            "reason": worker.reason,
        }
        with contextlib.suppress(OSError):
            worker.status.sendall(json.dumps(report).encode())
        worker.status.close()

    def _watch(self) -> None:
        """Without namespaces nothing bounds a folder or holds descendants: look at both."""
        for descriptor, worker in list(self._running.items()):
            worker.reason = strays.over_disk_limit(worker.seat.folder, self._config.caps)
            if worker.reason:
                self._end(descriptor)
        if not self._config.seccomp:  # else there can be none
            self._kill_strays()

    def _kill_strays(self) -> None:
        strays.kill_orphans({worker.pid for worker in self._running.values()})


def main() -> None:
    """Read the configuration from the control socket, say what came of it, then serve."""
    control = socket.socket(fileno=int(sys.argv[-1]))
    reader = frames.FrameReader(CONFIG_NONCE, MAX_CONFIG_BYTES)
    message = None
    while message is None:
        received = control.recv(65536)
        if not received:  # whoever started this died before saying what it wants
            return
        reader.feed(received)
        message = reader.message()
    os.umask(0o022)
    strays.offer_to_oom_killer()
    try:
        template = Template(control, Config.from_json(message))
    except OSError as error:
        control.sendall(frames.pack(CONFIG_NONCE, {"error": str(error)}, MAX_CONFIG_BYTES))
        return
    facts = {"ready": True, "landlock_abi": landlock.abi(), "seccomp": seccomp.available()}
    control.sendall(frames.pack(CONFIG_NONCE, facts, MAX_CONFIG_BYTES))
    template.run()
