"""Pictures of schedules: pure functions from data to a `Scene`, drawn as SVG or by plotly.

Builders (`request_mix`, `chunk_boundaries`, …) return a `Scene`; `Picture` shows or saves one;
`to_plotly` gives the same marks as a plotly figure.
"""

from pdsched.figures.chunk_boundaries import ChunkPlan, Flaws, chunk_boundaries
from pdsched.figures.export import ExportUnavailableError, Picture, page
from pdsched.figures.plotly_figure import to_plotly
from pdsched.figures.request_mix import MixPoint, request_mix
from pdsched.figures.scene import MAX_MARKS, Scene
from pdsched.figures.svg import render
from pdsched.figures.worker_lanes import worker_lanes
from pdsched.messages import figures as _figures_messages  # noqa: F401 - registers the words

__all__ = [
    "MAX_MARKS",
    "ChunkPlan",
    "ExportUnavailableError",
    "Flaws",
    "MixPoint",
    "Picture",
    "Scene",
    "chunk_boundaries",
    "page",
    "render",
    "request_mix",
    "to_plotly",
    "worker_lanes",
]
