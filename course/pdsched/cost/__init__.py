"""Milliseconds of one iteration, and where they come from."""

from pdsched.cost.aiconfigurator import AiconfiguratorCost, aiconfigurator
from pdsched.cost.efficiency import Efficiency, HostCost, efficiency_of
from pdsched.cost.fitted import DISTSERVE, SARATHI_YI_34B, DistServeCost, LinearCost
from pdsched.cost.protocol import CostModel
from pdsched.cost.roofline import PRECISIONS, RooflineCost, roofline

__all__ = [
    "DISTSERVE",
    "PRECISIONS",
    "SARATHI_YI_34B",
    "AiconfiguratorCost",
    "CostModel",
    "DistServeCost",
    "Efficiency",
    "HostCost",
    "LinearCost",
    "RooflineCost",
    "aiconfigurator",
    "efficiency_of",
    "roofline",
]
