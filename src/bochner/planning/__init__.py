"""Before a fit: bandwidths, width, memory, time."""

from bochner.planning.bandwidth import MEDIAN_ROWS, median_length_scale
from bochner.planning.cluster import ClusterPlan
from bochner.planning.cost import CostModel, calibrate
from bochner.planning.memory import MemoryBill, classifier_bill, format_bytes, pca_bill, require_memory, ridge_bill
from bochner.planning.plan import Alternative, Plan
from bochner.planning.planner import Budget, plan
from bochner.planning.width import default_width

__all__ = [
    "Alternative",
    "Budget",
    "ClusterPlan",
    "CostModel",
    "MEDIAN_ROWS",
    "MemoryBill",
    "Plan",
    "calibrate",
    "classifier_bill",
    "default_width",
    "format_bytes",
    "median_length_scale",
    "pca_bill",
    "plan",
    "require_memory",
    "ridge_bill",
]
