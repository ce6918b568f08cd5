"""The policy protocol: one call per iteration of one worker."""

from __future__ import annotations

from typing import Protocol

from pdsched.scheduler.plan import StepPlan
from pdsched.scheduler.state import WorkerState


class Scheduler(Protocol):
    """A serving policy.

    Attributes:
        name: what tables and pictures call it.
        chunked: whether a prompt may be split; if not, it must fit the budget whole.
    """

    @property
    def name(self) -> str:
        """What tables and pictures call it."""

    @property
    def chunked(self) -> bool:
        """Whether a prompt may be split over iterations."""

    def for_worker(self) -> Scheduler:
        """A scheduler for one worker: itself when it keeps nothing between iterations."""

    def schedule(self, state: WorkerState) -> StepPlan:
        """Plan the next iteration.

        Jobs are admitted with ``state.admit``, blocks taken with ``state.hold`` and
        ``state.grow_decodes``; what the plan names must already have its seat and its blocks.
        A plan of decodes only, made while nothing waits or prefills, must stay the same until
        one of them finishes, a request arrives, or the KV cache is full: the simulator does not
        ask again before that.
        """
