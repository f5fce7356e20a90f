"""From moments to coefficients."""

from bochner.solvers.band import BandedRidge
from bochner.solvers.cholesky import RidgeFactor, factorise
from bochner.solvers.eigen import EigenRidge
from bochner.solvers.path import RidgePath
from bochner.solvers.problem import RidgePoint, RidgeProblem
from bochner.solvers.ridge import PredictiveSpread, RidgeSolution, effective_dof, solve_ridge

__all__ = [
    "BandedRidge",
    "EigenRidge",
    "PredictiveSpread",
    "RidgeFactor",
    "RidgePath",
    "RidgePoint",
    "RidgeProblem",
    "RidgeSolution",
    "effective_dof",
    "factorise",
    "solve_ridge",
]
