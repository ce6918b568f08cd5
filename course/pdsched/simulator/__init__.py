"""A serving system in simulated time: workload, policy and cost in, `Timeline` out."""

from pdsched.simulator.cluster import Cluster, HandoffLink, WorkerPool
from pdsched.simulator.gaps import TokenGaps
from pdsched.simulator.loop import StopSimulation
from pdsched.simulator.routing import route_from_split_function
from pdsched.simulator.run import simulate
from pdsched.simulator.timeline import (
    Handoff,
    Iteration,
    PrefillChunk,
    RequestRecord,
    Timeline,
    WorkerRecord,
)

__all__ = [
    "Cluster",
    "Handoff",
    "HandoffLink",
    "Iteration",
    "PrefillChunk",
    "RequestRecord",
    "StopSimulation",
    "Timeline",
    "TokenGaps",
    "WorkerPool",
    "WorkerRecord",
    "route_from_split_function",
    "simulate",
]
