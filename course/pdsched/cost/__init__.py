"""Milliseconds of one iteration, and where they come from."""

from pdsched.cost.protocol import CostModel
from pdsched.cost.roofline import RooflineCost, roofline

__all__ = ["CostModel", "RooflineCost", "roofline"]
