"""Many experiments on any executor: processes, threads, a Dask or a Ray client's.

An executor needs only ``submit(function, argument) -> future``; the futures need only
``add_done_callback`` and ``result``. So ``dask.distributed.Client(...).get_executor()`` works as
it is, and results come back in the order of the experiments.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from multiprocessing import get_context
from threading import Lock
from typing import TYPE_CHECKING, Any

from pdsched.experiment.setting import Experiment

if TYPE_CHECKING:
    from pdsched.experiment.result import ExperimentResult

Progress = Callable[[int, int], None]


def grid(
    base: Experiment, axes: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[Experiment, ...]:
    """Every combination of the axes' values, the last axis fastest.

    Args:
        base: what all experiments share.
        axes: for each axis the changes its values make, e.g.
            ``{"budget": [{"max_num_batched_tokens": 512}, {"max_num_batched_tokens": 2048}]}``.

    Raises:
        ValueError: a value is impossible.
        TypeError: a change names no field of `Experiment`.
    """
    experiments = []
    for changes in product(*axes.values()):
        merged: dict[str, Any] = {}
        for change in changes:
            merged.update(change)
        experiments.append(replace(base, **merged))
    return tuple(experiments)


def run_all(
    experiments: Iterable[Experiment],
    *,
    executor: Executor | None = None,
    max_workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[ExperimentResult, ...]:
    """Run experiments and return their results in the same order.

    Args:
        experiments: what to run.
        executor: any `concurrent.futures` executor; the caller closes it. When None, processes
            of this machine, or this process where one worker is enough.
        max_workers: processes when no executor is given; the number of cores when None.
        progress: called with (finished, total) as results come in, maybe from another thread.

    Raises:
        ValueError: an experiment cannot run; the first one in order is reported.
        PlanError: a policy's plan breaks a rule.
    """
    settings = tuple(experiments)
    if max_workers is not None and max_workers < 1:
        raise ValueError(f"the number of jobs must be at least 1, got {max_workers}")
    counter = _Counter(len(settings), progress)
    if executor is not None:
        return _submit_all(executor, settings, counter)
    workers = min(max_workers or os.cpu_count() or 1, len(settings))
    if workers <= 1:
        results = []
        for setting in settings:
            results.append(setting.run())
            counter.add()
        return tuple(results)
    # A forked child would inherit locks of a notebook's threads; spawning starts clean.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as processes:
        return _submit_all(processes, settings, counter)


def _submit_all(
    executor: Executor, settings: Sequence[Experiment], counter: _Counter
) -> tuple[ExperimentResult, ...]:
    futures = [executor.submit(_run, setting) for setting in settings]
    for future in futures:
        future.add_done_callback(lambda _: counter.add())
    try:
        return tuple(future.result() for future in futures)
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _run(setting: Experiment) -> ExperimentResult:
    return setting.run()


class _Counter:
    """Counts finished experiments from whichever thread reports them."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self._total = total
        self._progress = progress
        self._finished = 0
        self._lock = Lock()

    def add(self) -> None:
        with self._lock:
            self._finished += 1
            finished = self._finished
        if self._progress is not None:
            self._progress(finished, self._total)
