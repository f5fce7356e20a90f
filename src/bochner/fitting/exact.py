"""Exact kernel ridge regression on some thousand rows: the penalty by leave-one-out errors, then one factorisation.

Leave-one-out errors of 2,000 rows of the final model calibrate its error bars.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bochner.data import ArrayRows, RowSource
from bochner.features import linear_response
from bochner.fitting.exact_penalty import search_penalty
from bochner.fitting.exact_problem import ExactProblem, ordered_rows, rows_of_exact, targets_of
from bochner.fitting.features import DrawnFeatures
from bochner.fitting.left_out import LeftOut, calibrated
from bochner.fitting.ridge_model import FittedRidge
from bochner.kernels import Stationary
from bochner.memory import require_memory
from bochner.planning import PILOT_ROWS, require_time
from bochner.solvers import DirectSolver, PenaltyRule, kernel_matrix_bill
from bochner.statistics import identify
from bochner.tuning import Tuning

if TYPE_CHECKING:
    from bochner.fitting.ridge import RidgeSettings

__all__ = ["ExactMachine", "add_to_exact", "last_rows"]


@dataclass(frozen=True, eq=False)
class ExactMachine:
    """An exact kernel machine whose penalty is chosen, and whose equations are not factorised yet.

    Attributes
    ----------
    rows : RowSource
    ordered : ArrayRows
        Rows of positive weight in random order, those to be left out last.
    drawn : DrawnFeatures
        Kernel values against all of them.
    problem : ExactProblem
    alpha : float
    tuning : Tuning or None
    settings : RidgeSettings
    """

    rows: RowSource
    ordered: ArrayRows
    drawn: DrawnFeatures
    problem: ExactProblem
    alpha: float
    tuning: Tuning | None
    settings: RidgeSettings

    @classmethod
    def of(cls, rows: RowSource, kernel: Stationary, tuning: Tuning | None, settings: RidgeSettings) -> Self:
        """The machine of rows in memory, after the memory bill is checked."""
        ordered = ordered_rows(rows_of_exact(rows), settings.seed)
        bill = kernel_matrix_bill(ordered.n_rows, rows.n_features, rows.n_targets)
        require_memory(bill, "Use features='nystroem', or raise the budget with bochner.set_config(memory=...).")
        require_time(ordered.n_rows, rows.n_features, iterative=False)
        drawn, rule = settings.features.draw_exact(kernel, ordered, tuning), settings.rule
        problem = ExactProblem.of(drawn.map, *targets_of(ordered), rule.fit_intercept)
        alpha = search_penalty(problem.in_units(settings.alike), rule.alpha, rule.alphas, tuning)
        return cls(rows, ordered, drawn, problem, alpha, tuning, settings)

    def fit(self) -> tuple[FittedRidge, LeftOut]:
        """The fit, and its leave-one-out errors."""
        equations = self.problem.matrix().raised(self.alpha)
        solution, left_out = self.problem.solution(equations, raised=equations.alpha != self.alpha)
        fit = FittedRidge(
            features=self.drawn.transformer,
            feature_map=self.drawn.map,
            rule=self.settings.rule,
            solver=DirectSolver(),
            row_type=self.rows.dtype,
            found=solution,
            tuning=self.tuning,
            row_identity=identify(self.rows),
        )
        return fit, left_out

    def few_rows(self) -> ArrayRows:
        """The rows that the penalty was searched on, those to be left out last."""
        return last_rows(self.ordered, PILOT_ROWS)

    def errors_of_few(self) -> LeftOut:
        """Leave-one-out errors of the machine of these rows alone."""
        few = self.problem.last(PILOT_ROWS)
        return few.solution(few.matrix().raised(self.alpha), raised=False)[1]


def last_rows(rows: ArrayRows, size: int) -> ArrayRows:
    """The last rows, `size` at most."""
    some = slice(max(0, rows.n_rows - size), None)
    weight = None if rows.sample_weight is None else rows.sample_weight[some]
    return replace(rows, X=rows.X[some], Y=rows.Y[some], sample_weight=weight)


def add_to_exact(fit: FittedRidge, rows: RowSource, rule: PenaltyRule) -> FittedRidge:
    """The exact machine of more rows, with the scales and the penalty of the fit, solved anew: O(n^3).

    Targets of the rows before are read off their coefficients, y_i = f(x_i) + alpha a_i / w_i.
    """
    before, values, new = fit.solution, fit.feature_map.kernel_values, rows_of_exact(rows)
    old = before.row_weights
    assert values is not None
    assert old is not None
    fitted = linear_response(values, values.points, before.coef, before.intercept, np.dtype(float))
    Y, weight = targets_of(new)
    grown = fit.feature_map.with_more_points(new.X[np.flatnonzero(weight)])
    bill = kernel_matrix_bill(grown.n_components, rows.n_features, rows.n_targets)
    require_memory(bill, "Fit all rows with features='fourier', or raise the memory budget.")
    targets = np.vstack([fitted + before.alpha * before.coef / old[:, None], Y[weight > 0]])
    problem = ExactProblem.of(grown, targets, np.append(old, weight[weight > 0]), rule.fit_intercept)
    alpha = before.alpha if isinstance(rule.alpha, str) else float(rule.alpha)
    solution, left_out = problem.solution(problem.matrix().raised(alpha), raised=False)
    more = None if fit.row_identity is None else fit.row_identity + identify(rows)
    features: Any = fit.features
    model = replace(
        fit, features=features.with_map(grown), feature_map=grown, found=solution, width_curve=None, row_identity=more
    )
    return model if rule.alpha != "auto" else calibrated(model, left_out, scores=fit.conformal is not None)
