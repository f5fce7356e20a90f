"""Before a fit: bandwidths, width, memory, time."""

from bochner.planning.bills import KEPT, classifier_bill, iterative_bill, pca_bill, ridge_bill
from bochner.planning.cluster import ClusterPlan
from bochner.planning.cost import CostModel, calibrate
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
    "Plan",
    "WIDTHS",
    "WidthCurve",
    "WidthSearch",
    "calibrate",
    "choose_solver",
    "classifier_bill",
    "default_width",
    "iterative_bill",
    "pca_bill",
    "plan",
    "ridge_bill",
]
