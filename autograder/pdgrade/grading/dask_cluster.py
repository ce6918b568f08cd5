"""Run many gradings on a Dask cluster, one made here or one that is running elsewhere.

All its machines must see the same course directory; one process here still writes the gradebook.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pdgrade.grading.local import GradingProcess, ProcessDied
from pdgrade.grading.process import Task
from pdgrade.grading.results import BatchStopped, Result, as_result
from pdgrade.grading.settings import GradingSettings


def run_on_dask(
    tasks: Iterable[Task], source: Path, settings: GradingSettings, address: str, jobs: int
) -> Iterator[Result]:
    """Grade on a Dask cluster: an address, or ``local`` for one made and closed here.

    Raises:
        BatchStopped: dask is not installed, or the scheduler cannot be reached.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise BatchStopped("install pdgrade[dask] to grade on a Dask cluster") from error
    own = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    cluster = LocalCluster(**own) if address == "local" else None
    try:
        client = Client(cluster if cluster is not None else address, timeout="20s")
    except (OSError, TimeoutError) as error:
        raise BatchStopped(f"no Dask scheduler at {address}: {error}") from error
    try:
        yield from _Flow(client, iter(tasks), source, settings).results()
    finally:
        client.close()
        if cluster is not None:
            cluster.close()


@dataclass
class _Flow:
    """Keeps two tasks per worker in flight."""

    client: Any
    tasks: Iterator[Task]
    source: Path
    settings: GradingSettings
    in_flight: dict[str, Task] = field(default_factory=dict)

    def results(self) -> Iterator[Result]:
        from distributed import as_completed

        flow = as_completed()
        workers = self.client.scheduler_info(n_workers=-1)["workers"]
        for _ in range(2 * max(1, len(workers))):
            self._submit(flow)
        for future in flow:
            task = self.in_flight.pop(future.key)
            yield _result(future, task)
            self._submit(flow)

    def _submit(self, flow: Any) -> None:
        task = next(self.tasks, None)
        if task is not None:
            arguments = str(self.source), self.settings.to_json(), asdict(task)
            future = self.client.submit(grade_on_worker, *arguments, pure=False, retries=1)
            self.in_flight[future.key] = task
            flow.add(future)


def _result(future: Any, task: Task) -> Result:
    if future.status != "finished":
        return Result(task, None, f"the Dask task ended as {future.status}: {future.exception()}")
    answer = future.result()
    if "refused" in answer:
        raise BatchStopped(answer["refused"])
    return as_result(task, answer)


_processes: dict[str, GradingProcess] = {}
_processes_lock = threading.Lock()


def grade_on_worker(source: str, settings: dict[str, Any], task: dict[str, Any]) -> dict[str, Any]:
    """Runs on a Dask worker: one grading process per worker, kept warm between tasks."""
    with _processes_lock:  # a worker with several threads grades one at a time
        key = json.dumps([source, settings])
        process = _processes.get(key)
        if process is None or process.child.poll() is not None:
            try:
                process = GradingProcess(Path(source), GradingSettings.from_json(settings))
            except BatchStopped as stopped:
                return {"refused": str(stopped)}
            except ProcessDied as died:
                return {"failed": str(died)}
            _processes[key] = process
        answer = process.grade(Task(**task))
        if not answer:
            process.close()
            del _processes[key]
            return {"failed": "the grading process died on it"}
        return answer
