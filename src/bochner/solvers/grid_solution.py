"""Ridge regression on a grid of frequencies by conjugate gradients; error bars by posterior draws, on demand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bochner._typing import Array, FloatType, Rows
from bochner.features import FeatureMap, GridMap, gradient_response, linear_response
from bochner.memory import MemoryBill
from bochner.solvers.base import PenaltyRule, RidgeSolver, SolverContext
from bochner.solvers.conjugate_gradient import ConjugateGradients
from bochner.solvers.grid_equations import GridEquations
from bochner.solvers.iterative_solution import Ending
from bochner.solvers.solution import Solution, Spread
from bochner.solvers.toeplitz import ToeplitzSystem, affordable_block
from bochner.statistics.fourier_sums import FourierSums
from bochner.statistics.moments import Moments

__all__ = ["DRAWS", "PROBED_MODES", "DrawnSpread", "GridSolution", "ToeplitzSolver", "grid_bill", "grid_block"]

DRAWS = 32
"""Posterior draws behind error bars: a variance has a relative standard error of sqrt(2 / 32), 25 %."""

_BLOCKS = 4000, 6000  # features of the preconditioner that are solved together, of a grid that is probed or larger
PROBED_MODES = 2**17
"""Modes up to which evidence and degrees of freedom are estimated: hundreds of products."""

_SMALLEST = 1e-12  # of the weight times k(0): penalties below are rounding errors of the transforms


@dataclass(frozen=True)
class GridSolution(Solution):
    """A ridge model on a grid of frequencies. It keeps the Fourier sums, so that rows can be added.

    Attributes
    ----------
    features : GridMap
    sums : FourierSums
    centred : bool
        Whether there is an intercept.
    dof : float
        Effective degrees of freedom, an estimate; nan, as the log evidence, for more than 131,072 modes unless the
        evidence was asked for.
    evidence_error : float
        Standard error of the log evidence.
    residuals : array of shape (n_iter + 1, t)
    outcome : str
        Name of the `Ending`.
    condition : tuple of float
        Condition number of the equations, at most, and of the preconditioned ones, at least.
    seed : int
        Of the draws.
    n_draws : int
        Functions drawn for error bars.
    """

    features: GridMap | None = None
    sums: FourierSums | None = None
    centred: bool = True
    dof: float = np.nan
    evidence_error: float = np.nan
    residuals: Array | None = None
    outcome: str = "CONVERGED"
    condition: tuple[float, float] = (np.nan, np.nan)
    seed: int = 0
    n_draws: int = DRAWS

    # What an iterative solver knows of its way.

    @property
    def iterations(self) -> int:
        return 0 if self.residuals is None else len(self.residuals) - 1

    @property
    def log_evidence_error(self) -> float:
        return self.evidence_error

    @property
    def residual_history(self) -> Array | None:
        return self.residuals

    @property
    def condition_numbers(self) -> tuple[float, float]:
        return self.condition

    @property
    def status(self) -> str | None:
        if Ending[self.outcome] is Ending.CONVERGED or self.residuals is None:
            return None
        worst = float(np.max(self.residuals[-1]))
        return f"{Ending[self.outcome].value} Relative residual {worst:.1e} after {self.iterations} iterations."

    @property
    def target_means(self) -> Array | None:
        return None if self.sums is None else self.sums.reference + self.sums.unit * self.sums.y_mean

    def dof_of(self, moments: Moments | None, *, fit_intercept: bool) -> float:
        return self.dof

    # Error bars are those of functions drawn from the posterior law.

    @property
    def fourier_sums(self) -> FourierSums | None:
        return self.sums

    @property
    def spread_width(self) -> int:
        return self.n_draws

    def spread_bytes(self) -> int:
        return 8 * self.n_draws * len(self.coef)

    def spread_features(self, feature_map: FeatureMap, X: Rows, dtype: FloatType) -> Array:
        return linear_response(feature_map, X, self.draws, -self._offsets, np.dtype(float))

    def spread_of(self, moments: Moments | None, *, fit_intercept: bool) -> DrawnSpread:
        assert self.sums is not None
        return DrawnSpread(self, 1.0 + (1 / self.sums.weight if self.centred else 0.0))

    def slope_variances(self, spread: Spread, feature_map: FeatureMap, X: Rows, dtype: FloatType) -> Array:
        """Mean squares of the slopes of drawn functions; those of the prior law outside of the cell."""
        assert self.features is not None
        slopes = gradient_response(feature_map, X, self.draws, np.dtype(float))
        return spread.of_slopes(slopes) + self.features.unseen_slopes(X) / self.alpha

    @cached_property
    def draws(self) -> Array:
        """Coefficients (M, n_draws) of functions drawn from the posterior law, less its mean, in units of the noise."""
        return self.equations.draws(self.n_draws)

    @cached_property
    def _offsets(self) -> Array:
        """Means of the drawn functions over the rows, which the intercept takes away."""
        return self.equations.system.mean @ self.draws

    @property
    def equations(self) -> GridEquations:
        """The equations that it solves."""
        assert self.sums is not None
        assert self.features is not None
        system = ToeplitzSystem.of(self.sums, self.features.amplitude, self.centred)
        return GridEquations(system, self.alpha, grid_block(system.size), seed=self.seed)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in ("draws", "_offsets")}


@dataclass(frozen=True, eq=False)
class DrawnSpread:
    """Predictive variance in units of the noise from drawn functions: offset + their mean square.

    The mean square of S draws has a relative standard error of sqrt(2 / S). Rows Z and J are values and slopes (n, S)
    of the drawn functions.
    """

    solution: GridSolution
    offset: float

    def of(self, Z: Array) -> Array:
        return self.offset + self.of_slopes(Z)

    def of_slopes(self, J: Array) -> Array:
        return np.mean(np.square(J), axis=1)

    def covariance(self, Z: Array) -> Array:
        return Z @ Z.T / Z.shape[1] + (self.offset - 1)

    def draws(self, beyond: Array, random: np.random.Generator) -> tuple[Array, Array]:
        """New draws, other than those behind the error bars."""
        equations = replace(self.solution.equations, seed=int(random.integers(2**32)))
        drawn = equations.draws(beyond.shape[1])
        shift = np.sqrt(self.offset - 1) * random.standard_normal(beyond.shape[1])
        return drawn - beyond, shift - equations.system.mean @ drawn


class ToeplitzSolver(RidgeSolver):
    """Preconditioned conjugate gradients with fast Fourier transforms, for features on a grid of frequencies.

    Parameters
    ----------
    tol : float, default=1e-6
        Residual of the equations relative to their right side.
    max_iter : int, default=200
    """

    needs = "fourier_sums"
    criteria = frozenset({"auto", "evidence"})

    def __init__(self, tol: float = 1e-6, max_iter: int = 200) -> None:
        self.tol = tol
        self.max_iter = max_iter

    @property
    def name(self) -> str:  # a word, as those of other solvers
        return "toeplitz"

    def solve(self, statistics: tuple[GridMap, FourierSums], rule: PenaltyRule, context: SolverContext) -> GridSolution:
        """The solution at a penalty that is a number; with its evidence and degrees of freedom, unless it is large."""
        small = statistics[1].grid.n_modes <= PROBED_MODES
        return (self.solve_probed if small else self.solve_alone)(statistics, rule, context)

    def solve_probed(
        self, statistics: tuple[GridMap, FourierSums], rule: PenaltyRule, context: SolverContext
    ) -> GridSolution:
        """The solution, its evidence with a standard error, and degrees of freedom: hundreds of products."""
        equations = self._equations(statistics, rule, context)
        found, evidence = self._solution(equations, statistics, rule, context), equations.evidence()
        return replace(found, log_evidence=evidence.log_evidence, evidence_error=evidence.error, dof=equations.dof())

    def solve_alone(
        self, statistics: tuple[GridMap, FourierSums], rule: PenaltyRule, context: SolverContext
    ) -> GridSolution:
        """The solution without what random probes tell of it."""
        return self._solution(self._equations(statistics, rule, context), statistics, rule, context)

    def _equations(
        self, statistics: tuple[GridMap, FourierSums], rule: PenaltyRule, context: SolverContext
    ) -> GridEquations:
        features, sums = statistics
        system = ToeplitzSystem.of(sums, features.amplitude, rule.fit_intercept)
        alpha = max(float(rule.alpha), _SMALLEST * sums.weight * features.kernel.variance)
        return GridEquations(system, alpha, grid_block(system.size), seed=context.seed)

    def _solution(
        self,
        equations: GridEquations,
        statistics: tuple[GridMap, FourierSums],
        rule: PenaltyRule,
        context: SolverContext,
    ) -> GridSolution:
        (features, sums), system, alpha = statistics, equations.system, equations.alpha
        found, outcome = self._iterate(equations, context)
        left = np.maximum(system.target_energy - np.sum(system.right * found.x, axis=0), 0.0)
        return GridSolution(
            alpha=alpha,
            coef=found.x * sums.unit,
            intercept=sums.reference + sums.unit * (sums.y_mean - system.mean @ found.x if rule.fit_intercept else 0.0),
            noise_variance=left / equations.dimension * sums.unit**2,
            log_evidence=np.nan,
            raised=alpha > float(rule.alpha),
            features=features,
            sums=sums,
            centred=rule.fit_intercept,
            residuals=found.state["history"],
            outcome=outcome.name,
            condition=(1 + sums.weight * features.kernel.variance / alpha, found.condition(0)),
            seed=context.seed,
        )

    def _iterate(self, equations: GridEquations, context: SolverContext) -> tuple[ConjugateGradients, Ending]:
        system, t = equations.system, equations.system.right.shape[1]
        found = ConjugateGradients(
            product=lambda V, columns: system.product(V),
            precondition=lambda R, columns: equations.preconditioner.solve(R),
            shifts=np.full(t, equations.alpha),
            right=system.right,
            tols=np.full(t, self.tol),
        )
        while found.n_iter < self.max_iter and (len(found.running) or found.forgive()):
            found.step()
            if context.on_iteration is not None and context.on_iteration(found.state):
                return found, Ending.STOPPED
        if np.all(found.relative <= self.tol):
            return found, Ending.CONVERGED
        return found, Ending.MAX_ITER if found.n_iter >= self.max_iter else Ending.PRECISION


def grid_block(n_modes: int) -> int:
    """Features of a grid that are solved together: more where a product takes longer than a step of their factor."""
    return _BLOCKS[n_modes > PROBED_MODES]


def grid_bill(n_modes: int) -> MemoryBill:
    """Memory of a solution: the factor of the preconditioner, vectors of the solver, transforms of a product."""
    block = min(affordable_block(grid_block(n_modes)), n_modes)
    return MemoryBill({"factor of the preconditioner": 24 * block**2, "vectors and transforms": 8 * 40 * n_modes})
