"""Linear models from statistics of the rows: ridge regression and classification."""

from bochner.solvers.band import BandedRidge
from bochner.solvers.base import DirectSolver, IterativeSolver, PenaltyRule, RidgeSolver, SolverContext
from bochner.solvers.calibration import chosen_classes, inverse_temperature, probabilities
from bochner.solvers.cholesky import RidgeFactor, factorise
from bochner.solvers.classification import ClassificationProblem, classifier_bill, signs_of
from bochner.solvers.eigen import EigenRidge
from bochner.solvers.grid_equations import GridEquations, GridEvidence
from bochner.solvers.grid_solution import (
    DRAWS,
    PROBED_MODES,
    DrawnSpread,
    GridSolution,
    ToeplitzSolver,
    grid_bill,
    grid_block,
)
from bochner.solvers.huber import Huber
from bochner.solvers.iterative import solve_ridge_iteratively
from bochner.solvers.iterative_bill import iterative_bill
from bochner.solvers.iterative_solution import Ending, IterativeSolution
from bochner.solvers.kernel_bill import CANDIDATES, KernelBudget, kernel_budget
from bochner.solvers.kernel_iterations import KernelIterations, KernelProblem, KernelSolver, float32_penalty
from bochner.solvers.kernel_losses import KernelLogistic, KernelLoss, KernelSquaredHinge
from bochner.solvers.kernel_matrix import KernelEquations, KernelMatrix, kernel_matrix_bill
from bochner.solvers.kernel_newton import KernelNewton
from bochner.solvers.kernel_solution import KernelSolution, KernelSpread
from bochner.solvers.landmark_preconditioner import LandmarkFeatures, LandmarkPreconditioner
from bochner.solvers.landmark_spread import LandmarkSpread
from bochner.solvers.linear import LinearSolution
from bochner.solvers.linear_problem import (
    Fold,
    LinearProblem,
    choose_penalty,
    default_penalties,
    linear_bill,
    out_of_fold_scores,
)
from bochner.solvers.losses import Hinge, Logistic
from bochner.solvers.low_rank_spread import LowRankSpread
from bochner.solvers.margin_machine import MarginMachine, SupportRows
from bochner.solvers.margin_solution import MarginSolution
from bochner.solvers.moments_bill import pca_bill, ridge_bill
from bochner.solvers.path import RidgePath
from bochner.solvers.penalty import QuadraticPenalty
from bochner.solvers.pinball import Pinball, pinball
from bochner.solvers.preconditioner import SampledRows, SubsampleGram
from bochner.solvers.principal import PrincipalAxes, principal_axes
from bochner.solvers.problem import RidgePoint, RidgeProblem
from bochner.solvers.progress import NO_PROGRESS, Progress
from bochner.solvers.regression import RegressionLoss, RegressionProblem
from bochner.solvers.ridge import PredictiveSpread, RidgeSolution, effective_dof, solve_ridge
from bochner.solvers.settling import Settling
from bochner.solvers.solution import Solution, Spread
from bochner.solvers.toeplitz import ToeplitzSystem
from bochner.solvers.tweedie import Tweedie

__all__ = [
    "CANDIDATES",
    "KernelBudget",
    "kernel_budget",
    "NO_PROGRESS",
    "BandedRidge",
    "ClassificationProblem",
    "DRAWS",
    "PROBED_MODES",
    "DirectSolver",
    "DrawnSpread",
    "EigenRidge",
    "Ending",
    "Fold",
    "GridEquations",
    "GridEvidence",
    "GridSolution",
    "ToeplitzSolver",
    "ToeplitzSystem",
    "Hinge",
    "Huber",
    "IterativeSolution",
    "IterativeSolver",
    "KernelEquations",
    "KernelIterations",
    "KernelLogistic",
    "KernelLoss",
    "KernelMatrix",
    "KernelNewton",
    "KernelProblem",
    "KernelSolution",
    "KernelSolver",
    "KernelSpread",
    "KernelSquaredHinge",
    "LandmarkFeatures",
    "LandmarkPreconditioner",
    "LandmarkSpread",
    "LinearProblem",
    "LinearSolution",
    "Logistic",
    "LowRankSpread",
    "MarginMachine",
    "MarginSolution",
    "PenaltyRule",
    "Pinball",
    "PredictiveSpread",
    "PrincipalAxes",
    "Progress",
    "QuadraticPenalty",
    "RegressionLoss",
    "RegressionProblem",
    "RidgeFactor",
    "RidgePath",
    "RidgePoint",
    "RidgeProblem",
    "RidgeSolution",
    "RidgeSolver",
    "Solution",
    "Settling",
    "SolverContext",
    "Spread",
    "SupportRows",
    "SampledRows",
    "SubsampleGram",
    "Tweedie",
    "choose_penalty",
    "chosen_classes",
    "classifier_bill",
    "default_penalties",
    "effective_dof",
    "factorise",
    "float32_penalty",
    "inverse_temperature",
    "iterative_bill",
    "kernel_matrix_bill",
    "linear_bill",
    "out_of_fold_scores",
    "pca_bill",
    "pinball",
    "principal_axes",
    "probabilities",
    "ridge_bill",
    "signs_of",
    "solve_ridge",
    "solve_ridge_iteratively",
    "grid_bill",
    "grid_block",
]
