"""From moments to coefficients."""

from bochner.solvers.band import BandedRidge
from bochner.solvers.cholesky import RidgeFactor, factorise
from bochner.solvers.eigen import EigenRidge
from bochner.solvers.losses import Logistic
from bochner.solvers.path import RidgePath
from bochner.solvers.problem import RidgePoint, RidgeProblem
from bochner.solvers.ridge import PredictiveSpread, RidgeSolution, effective_dof, solve_ridge
from bochner.solvers.whitened import LinearSolution, WhitenedSolver

__all__ = [
    "BandedRidge",
    "EigenRidge",
    "LinearSolution",
    "Logistic",
    "PredictiveSpread",
    "RidgeFactor",
    "RidgePath",
    "RidgePoint",
    "RidgeProblem",
    "RidgeSolution",
    "WhitenedSolver",
    "effective_dof",
    "factorise",
    "solve_ridge",
]
