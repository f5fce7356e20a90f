"""From moments to coefficients."""

from bochner.solvers.band import BandedRidge
from bochner.solvers.cholesky import RidgeFactor, factorise
from bochner.solvers.eigen import EigenRidge
from bochner.solvers.path import RidgePath
from bochner.solvers.principal import PrincipalAxes, principal_axes
from bochner.solvers.problem import RidgePoint, RidgeProblem
from bochner.solvers.ridge import PredictiveSpread, RidgeSolution, effective_dof, solve_ridge

__all__ = [
    "BandedRidge",
    "EigenRidge",
    "PredictiveSpread",
    "PrincipalAxes",
    "RidgeFactor",
    "RidgePath",
    "RidgePoint",
    "RidgeProblem",
    "RidgeSolution",
    "effective_dof",
    "factorise",
    "principal_axes",
    "solve_ridge",
]
