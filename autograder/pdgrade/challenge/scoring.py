"""Score policies: the simulator and its workloads stay here, the learner's function in a worker.

Every plan is asked for through the worker's channel and carried out by this process's simulator.
A learner's code therefore sees what a scheduler sees at that moment and nothing else: no arrivals
to come, no output lengths, no score. What it returns is a plan that is checked, or no plan.
Running the whole simulation inside the worker would save the messages (some hundred a workload)
and hand over the future.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Final, Literal

from pdgrade.challenge.entries import POLICY, Entry, NoEntry
from pdgrade.forkserver import ForkServer
from pdgrade.learner_errors import Stop
from pdgrade.limits import Limits
from pdgrade.records import CellError, Note
from pdgrade.worker_client import Worker
from pdsched.labs import challenge
from pdsched.labs.challenge import Standing
from pdsched.scheduler import PlanError, from_plan_function, make

Status = Literal["baseline", "scored", "refused", "stopped", "missing", "failed"]

#: Of one policy: a call, and all of its calls together (thousands).
LIMITS: Final = Limits(call_wall_s=2.0, question_wall_s=60.0, cpu_s=60)
_MAX_DETAIL: Final = 300


@dataclass(frozen=True)
class Result:
    """How one policy did.

    Attributes:
        name: the student, or the baseline.
        status: what became of it; only a baseline or ``scored`` has a score above 0.
        standings: its goodput on every workload and seed.
        note: why there is no score.
    """

    name: str
    status: Status
    standings: tuple[Standing, ...] = ()
    note: Note | None = None

    @property
    def score(self) -> float:
        """Mean ratio of its goodput to the best baseline's; 0 without a whole run."""
        return mean(each.ratio for each in self.standings) if self.standings else 0.0

    def ratio(self, workload: str) -> float | None:
        """Mean ratio on one workload; None where there is none."""
        found = [each.ratio for each in self.standings if each.workload == workload]
        return mean(found) if found else None


def score_baselines(seeds: Sequence[int]) -> Iterator[Result]:
    """The schedulers that a policy is compared with, on the same workloads."""
    for name in challenge.BASELINES:
        yield Result(name, "baseline", tuple(challenge.standings(make(name), seeds)))


def score_entry(entry: Entry | NoEntry, server: ForkServer, seeds: Sequence[int]) -> Result:
    """Score one learner's policy; whatever their code does, this returns a result."""
    if isinstance(entry, NoEntry):
        return Result(entry.student, "missing", note=entry.reason)
    try:
        with server.worker(entry.cells) as worker:
            return _score(entry.student, worker, seeds)
    except Exception as error:  # ours: one submission must never end the batch
        told = {"error": f"{type(error).__name__}: {error}"[:_MAX_DETAIL]}
        return Result(entry.student, "failed", note=Note("challenge_failed", told))


def _score(student: str, worker: Worker, seeds: Sequence[int]) -> Result:
    if worker.stop is not None:
        return _stopped(student, worker.stop)
    if POLICY not in worker.functions:
        return Result(student, "missing", note=_why_undefined(worker))
    # No call of a policy may outlast the worker's own limit, which ends it; the simulator's
    # alarm would only cut a conversation short.
    scheduler = from_plan_function(worker.proxy(POLICY), time_limit_s=math.inf, name=student)
    standings: tuple[Standing, ...] = ()
    for public, each in ((True, challenge.PUBLIC_SEEDS[:1]), (False, tuple(seeds))):
        try:
            standings = tuple(challenge.standings(scheduler, each))
        except PlanError as error:
            return _refused(student, worker, error, public=public)
    return Result(student, "scored", standings)


def _refused(student: str, worker: Worker, error: PlanError, *, public: bool) -> Result:
    """What failed on a public seed can be told whole and tried at home.

    Of an unseen workload nothing is told: even a message of theirs could carry it away.
    """
    if worker.stop is not None:
        return _stopped(student, worker.stop)
    note = Note("challenge_broken_unseen")
    if public:
        told = {"seed": str(challenge.PUBLIC_SEEDS[0]), "rule": error.rule[:_MAX_DETAIL]}
        note = Note("challenge_broken", told)
    return Result(student, "refused", note=note)


def _stopped(student: str, stop: Stop) -> Result:
    # An exit status is the learner's to choose: only the kind is told.
    reason = Note(f"challenge_stop_{stop.kind}").text()
    return Result(
        student,
        "failed" if stop.kind in ("killed", "lost") else "stopped",
        note=Note("challenge_stopped", {"reason": reason, "where": stop.where or POLICY}),
    )


def _why_undefined(worker: Worker) -> Note:
    for cell in worker.cells:
        if cell.error is not None:
            failed = CellError(cell.label, str(cell.error)[:_MAX_DETAIL])
            told = {"function": POLICY, "where": failed.where(), "error": failed.error}
            return Note("challenge_cell_raised", told)
    return Note("challenge_not_defined", {"function": POLICY})
