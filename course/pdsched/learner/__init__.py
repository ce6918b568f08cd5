"""The learner's own functions, wherever they are: this notebook or its siblings."""

from pdsched.learner.loading import LearnerFunctions, LoadedFunction, current, load

__all__ = ["LearnerFunctions", "LoadedFunction", "current", "load"]
