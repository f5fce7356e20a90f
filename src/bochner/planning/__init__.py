"""Plans before a fit: width, memory, time."""

from bochner.planning.budget import Budget
from bochner.planning.classifier import classifier_seconds
from bochner.planning.cluster import ClusterPlan
from bochner.planning.cost import FIRST_BYTES, CostModel, calibrate
from bochner.planning.plan import Alternative, Plan
from bochner.planning.planner import plan
from bochner.planning.solver import choose_solver
from bochner.planning.time_budget import exact_fits_in_time, require_time
from bochner.planning.width import (
    EXACT_ITERATIVE_ROWS,
    EXACT_ROWS,
    GRID_ROWS,
    LANDMARKS,
    MANY_LANDMARKS,
    PILOT_ROWS,
    PRODUCT_ROWS,
    default_width,
    grid_width,
    landmark_numbers,
)

__all__ = [
    "EXACT_ITERATIVE_ROWS",
    "EXACT_ROWS",
    "GRID_ROWS",
    "FIRST_BYTES",
    "LANDMARKS",
    "MANY_LANDMARKS",
    "PILOT_ROWS",
    "PRODUCT_ROWS",
    "Alternative",
    "Budget",
    "ClusterPlan",
    "CostModel",
    "Plan",
    "calibrate",
    "choose_solver",
    "classifier_seconds",
    "default_width",
    "exact_fits_in_time",
    "grid_width",
    "landmark_numbers",
    "plan",
    "require_time",
]
