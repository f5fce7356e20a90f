"""Ridge solvers as objects that declare which statistics of the rows they need.

"moments"     the D x D moments of one pass (`statistics.Moments`)
"products"    products with the normal equations, a pass each (`statistics.NormalOperator`)
"fourier_sums"  sums over the modes of a grid of frequencies (`statistics.FourierSums`)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sklearn.base import BaseEstimator

from bochner._typing import Array
from bochner.data import RowSource
from bochner.errors import invalid_parameter
from bochner.solvers.conjugate_gradient import State
from bochner.solvers.eigen import EigenRidge
from bochner.solvers.iterative import Validation, solve_ridge_iteratively
from bochner.solvers.iterative_solution import IterativeSolution
from bochner.solvers.iterative_state import IterativeSchema
from bochner.solvers.ridge import RidgeSolution, solve_ridge
from bochner.solvers.solution import Solution
from bochner.statistics.moments import Moments
from bochner.statistics.normal_equations import NormalOperator
from bochner.statistics.state_schema import AnyState, StateSchema

__all__ = ["DirectSolver", "IterativeSolver", "PenaltyRule", "RidgeSolver", "SolverContext"]


@dataclass(frozen=True)
class PenaltyRule:
    """Rule for the penalty: a number, or a selection criterion.

    Attributes
    ----------
    alpha : float or str
        The penalty, or a criterion: "auto", "gcv", "evidence", "loo".
    alphas : array or None
        Penalties to choose from; None: the solver's own.
    fit_intercept : bool
    """

    alpha: float | str
    alphas: Array | None = None
    fit_intercept: bool = True


@dataclass(frozen=True)
class SolverContext:
    """Optional inputs of a solver: seed, callbacks, resumed state.

    Attributes
    ----------
    seed : int
    leave_one_out : callable or None
        `leave_one_out(solver, alphas)`: mean squared leave-one-out errors, by one more pass over the rows.
    validation : callable or None
        (coef, intercept) -> error on rows kept aside.
    on_iteration : callable or None
        Called after every iteration with the state; True ends the iterations.
    state : dict or None
        A state of an interrupted solve, to go on from.
    """

    seed: int = 0
    leave_one_out: Callable[[EigenRidge, Array], Array] | None = None
    validation: Validation | None = None
    on_iteration: Callable[[State], object] | None = None
    state: State | None = None


class RidgeSolver(ABC, BaseEstimator):
    """Solver of (G + alpha I) w = c. A user's solver is a subclass, handed over as `KernelRegressor(solver=...)`.

    Attributes
    ----------
    needs : {"moments", "products", "fourier_sums"}
        The statistics that `solve` is given.
    criteria : frozenset of str
        How it can choose a penalty: of "auto", "gcv", "evidence" and "loo".
    """

    needs: ClassVar[Literal["moments", "products", "fourier_sums"]]
    criteria: ClassVar[frozenset[str]] = frozenset()

    @property
    def name(self) -> str:
        """Name of the solver, shown as `solver_`. A solver that has a keyword overrides."""
        return type(self).__name__

    @property
    def accuracy(self) -> float:
        """Relative residual that the solver iterates to; 0: as small as it can be."""
        return 0.0

    def require(self, rule: PenaltyRule, rows: RowSource, owner: object) -> None:
        """Refuse rows or a criterion that this solver cannot work with, naming both."""
        if getattr(self, "needs", None) not in ("moments", "products", "fourier_sums"):
            declared = f"one whose class says needs = 'moments' or 'products', as {self.name} does not"
            raise invalid_parameter(owner, "solver", declared, self)
        if self.needs != "moments" and rows.passes is not None:
            one_pass = f"one that needs moments, for rows that can be read only {rows.passes} time(s)"
            raise invalid_parameter(owner, "solver", one_pass, self.name)
        if isinstance(rule.alpha, str) and rule.alpha not in self.criteria:
            able = [repr(name) for name in sorted(self.criteria)]
            allowed = f"{' or '.join([*able, 'a number'])} for solver={self.name!r}"
            raise invalid_parameter(owner, "alpha", allowed, rule.alpha)

    @abstractmethod
    def solve(self, statistics: Any, rule: PenaltyRule, context: SolverContext) -> Solution:
        """The solution from the statistics that the solver needs."""

    def state_schema(self, width: int, n_targets: int, rule: PenaltyRule) -> StateSchema:
        """Schema of the states that `SolverContext.on_iteration` is given, for checkpoints. Solvers override it."""
        return AnyState()


class DirectSolver(RidgeSolver):
    """Direct solution from the moments, with all criteria."""

    needs = "moments"
    criteria = frozenset({"auto", "gcv", "evidence", "loo"})

    @property
    def name(self) -> str:  # the word of the constructor's parameter
        return "direct"

    def solve(self, statistics: Moments, rule: PenaltyRule, context: SolverContext) -> RidgeSolution:
        return solve_ridge(
            statistics,
            fit_intercept=rule.fit_intercept,
            alpha=rule.alpha,
            alphas=rule.alphas,
            leave_one_out=context.leave_one_out,
        )


class IterativeSolver(RidgeSolver):
    """Preconditioned conjugate gradients, for wide maps.

    Parameters
    ----------
    tol : float, default=1e-6
        Residual of the normal equations relative to their right side.
    max_iter : int, default=200
    """

    needs = "products"
    criteria = frozenset({"auto", "gcv"})

    def __init__(self, tol: float = 1e-6, max_iter: int = 200) -> None:
        self.tol = tol
        self.max_iter = max_iter

    @property
    def name(self) -> str:  # the word of the constructor's parameter
        return "iterative"

    @property
    def accuracy(self) -> float:
        return self.tol

    def solve(self, statistics: NormalOperator, rule: PenaltyRule, context: SolverContext) -> IterativeSolution:
        return solve_ridge_iteratively(
            statistics,
            alpha=_criterion(rule),
            alphas=rule.alphas,
            tol=self.tol,
            max_iter=self.max_iter,
            validation=context.validation,
            seed=context.seed,
            on_iteration=context.on_iteration,
            state=context.state,
        )

    def state_schema(self, width: int, n_targets: int, rule: PenaltyRule) -> IterativeSchema:
        return IterativeSchema(width, n_targets, _criterion(rule), rule.alphas)


def _criterion(rule: PenaltyRule) -> float | str:
    return "gcv" if rule.alpha == "auto" else rule.alpha
