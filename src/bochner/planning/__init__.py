"""Before a fit: bandwidths, width, memory, time."""

from bochner.planning.bandwidth import MEDIAN_ROWS, median_length_scale
from bochner.planning.cluster import ClusterPlan
from bochner.planning.cost import CostModel, calibrate
from bochner.planning.memory import (
    KEPT,
    MemoryBill,
    classifier_bill,
    format_bytes,
    iterative_bill,
    pca_bill,
    require_memory,
    ridge_bill,
)
from bochner.planning.plan import Alternative, Plan
from bochner.planning.planner import Budget, plan
from bochner.planning.solver import choose_solver
from bochner.planning.width import default_width
from bochner.planning.width_search import WIDTHS, WidthCurve, WidthSearch

__all__ = [
    "Alternative",
    "Budget",
    "ClusterPlan",
    "CostModel",
    "KEPT",
    "MEDIAN_ROWS",
    "MemoryBill",
    "Plan",
    "WIDTHS",
    "WidthCurve",
    "WidthSearch",
    "calibrate",
    "choose_solver",
    "classifier_bill",
    "default_width",
    "format_bytes",
    "iterative_bill",
    "median_length_scale",
    "pca_bill",
    "plan",
    "require_memory",
    "ridge_bill",
]
