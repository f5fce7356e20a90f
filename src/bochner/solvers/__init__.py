"""From moments to coefficients."""

from bochner.solvers.band import BandedRidge
from bochner.solvers.calibration import inverse_temperature
from bochner.solvers.cholesky import RidgeFactor, factorise
from bochner.solvers.classification import (
    ClassificationProblem,
    Fold,
    choose_penalty,
    default_penalties,
    out_of_fold_scores,
)
from bochner.solvers.eigen import EigenRidge
from bochner.solvers.iterative import Ending, IterativeSolution, solve_ridge_iteratively
from bochner.solvers.linear import LinearSolution
from bochner.solvers.losses import Logistic
from bochner.solvers.path import RidgePath
from bochner.solvers.penalty import QuadraticPenalty
from bochner.solvers.preconditioner import LowRankSpread, SubsampleGram
from bochner.solvers.principal import PrincipalAxes, principal_axes
from bochner.solvers.problem import RidgePoint, RidgeProblem
from bochner.solvers.ridge import PredictiveSpread, RidgeSolution, effective_dof, solve_ridge

__all__ = [
    "BandedRidge",
    "ClassificationProblem",
    "EigenRidge",
    "Ending",
    "Fold",
    "IterativeSolution",
    "LinearSolution",
    "Logistic",
    "LowRankSpread",
    "PredictiveSpread",
    "QuadraticPenalty",
    "PrincipalAxes",
    "RidgeFactor",
    "RidgePath",
    "RidgePoint",
    "RidgeProblem",
    "RidgeSolution",
    "SubsampleGram",
    "choose_penalty",
    "default_penalties",
    "effective_dof",
    "factorise",
    "inverse_temperature",
    "out_of_fold_scores",
    "principal_axes",
    "solve_ridge",
    "solve_ridge_iteratively",
]
