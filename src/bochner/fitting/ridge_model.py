"""Fitted ridge regression as a value: features, moments, solution, predictions and error bars."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from bochner._typing import Array, FloatType, Rows, Transformer
from bochner.features import FeatureMap, LinearResponse
from bochner.fitting.far import missing_variance, variance_far_out
from bochner.fitting.importance import ColumnImportance, LinearModel, Posterior, column_importance
from bochner.fitting.intervals import ConformalScores, normal_half_widths
from bochner.fitting.noise import NoiseFunction
from bochner.fitting.width_rule import WidthCurve
from bochner.memory import MemoryBill, require_memory, row_slices, rows_within
from bochner.solvers import PenaltyRule, RidgeSolver, Solution, SolverContext, Spread
from bochner.statistics import Moments, RowIdentity
from bochner.tuning import Tuning

__all__ = ["TOO_FEW_ROWS", "FittedRidge"]

TOO_FEW_ROWS = 5
"""So many rows say nothing of a model's skill."""

_SPREAD_ROWS = 1024
_KEPT_SPREAD = 2**25  # bytes of a factor that a model keeps: 2,048 features
_DRAWN_ROWS = 2**19  # of transforms, whose cost is hardly that of the rows
_SPREAD_COPIES = 5  # of the features of a block, in float64


@dataclass(frozen=True, eq=False)
class FittedRidge:
    """A ridge model that was fitted to rows.

    Attributes
    ----------
    features : transformer
        Of the rows to the features.
    feature_map : FeatureMap
        Its map.
    rule : PenaltyRule
    solver : RidgeSolver
    row_type : dtype
        Float type of the rows.
    moments : Moments or None
        Sufficient statistics of the rows; None for a solver that needs none.
    found : Solution or None
        The solution, if it is settled; None: solved from the moments when it is asked for.
    tuning : Tuning or None
    width_curve : WidthCurve or None
    conformal : ConformalScores or None
        Scores of calibration rows, for intervals.
    row_identity : RowIdentity or None
        Checksum of the rows of a fit without moments; those with moments have it there.
    noise : NoiseFunction or None
        Noise variance as a function of the row; None: it is constant.
    left_out_error : float or None
        Root mean squared leave-one-out error over that of predicting the mean; None: it is not known.
    far_variance : array of shape (t,) or None
        Mean squared distance of targets to the intercept, which predictive variances have at least far from all rows;
        None: it is not known.
    """

    features: Transformer
    feature_map: FeatureMap
    rule: PenaltyRule
    solver: RidgeSolver
    row_type: FloatType
    moments: Moments | None = None
    found: Solution | None = None
    tuning: Tuning | None = None
    width_curve: WidthCurve | None = None
    conformal: ConformalScores | None = None
    row_identity: RowIdentity | None = None
    left_out_error: float | None = None
    noise: NoiseFunction | None = None
    far_variance: Array | None = None

    @cached_property
    def solution(self) -> Solution:
        """The solution, found now if rows were added since."""
        if self.found is not None:
            return self.found
        rule = replace(self.rule, alpha="gcv") if self.rule.alpha == "loo" else self.rule  # an interrupted fit
        return self.solver.solve(self.moments, rule, SolverContext())

    @property
    def identity(self) -> RowIdentity | None:
        """Checksum of the rows of the fit; None if it is not known."""
        return self.row_identity if self.moments is None else self.moments.identity

    @property
    def has_factor(self) -> bool:
        """Whether it is an exact kernel machine by a factor of its kernel matrix, to which rows can be added."""
        return self.moments is None and self.solver.needs == "moments"

    @property
    def target_mean(self) -> Array | None:
        """Weighted means of the targets (t,); None if they are not known."""
        return self.solution.target_means if self.moments is None else self.moments.y_mean

    @property
    def n_rows(self) -> int | None:
        """Rows of the fit; None if their number is not known."""
        if self.moments is not None:
            return int(self.moments.n_rows)
        return None if self.row_identity is None else self.row_identity.n_rows

    @property
    def n_targets(self) -> int:
        return int(self.solution.coef.shape[1] if self.moments is None else len(self.moments.y_mean))

    @property
    def precision(self) -> FloatType:
        """Float type of the products."""
        if self.moments is None:
            return self.row_type
        return np.dtype(np.float32 if self.moments.precision > 1e-10 else np.float64)

    def of_rows(self, identity: RowIdentity) -> FittedRidge:
        """The fit of rows that were counted once, as that of the rows themselves: their equations are the same."""
        if self.moments is None:
            return replace(self, row_identity=identity)
        moments = copy(self.moments)
        moments.identity = identity
        return replace(self, moments=moments)

    def with_more_noise(self, variance: Array) -> FittedRidge:
        """With further variance (t,) of the noise, which the means that it was fitted to do not have."""
        return replace(self, found=replace(self.solution, noise_variance=self.solution.noise_variance + variance))

    @property
    def dof(self) -> float:
        """Effective degrees of freedom."""
        return self.solution.dof_of(self.moments, fit_intercept=self.rule.fit_intercept)

    @property
    def spread(self) -> Spread:
        """Predictive spread (error bars). A small one is kept: rows that come one by one ask for it again and again."""
        if "_kept_spread" not in self.__dict__ and self.solution.spread_bytes() > _KEPT_SPREAD:
            return self._new_spread()
        return self._kept_spread

    @cached_property
    def _kept_spread(self) -> Spread:
        return self._new_spread()

    def _new_spread(self) -> Spread:
        return self.solution.spread_of(self.moments, fit_intercept=self.rule.fit_intercept)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_kept_spread"}  # computed anew

    @property
    def relative_error(self) -> float | None:
        """Error on rows that were left out, over that of predicting the mean; None: it is not known."""
        if self.left_out_error is not None:
            return self.left_out_error
        curve = self.width_curve
        if curve is None or curve.n_held_out <= TOO_FEW_ROWS:
            return None
        return float(curve.rmse[curve.widths == curve.n_components][0])

    def column_importance(self, unit: Array) -> ColumnImportance:
        """Shares of the columns in squared gradients, in units (d,), with error bars."""
        solution = self.solution
        law = Posterior(solution.alpha, solution.noise_variance, self.rule.fit_intercept)
        model = LinearModel(self.feature_map, solution.coef, self.moments, solution.row_weights, law)
        return column_importance(model, unit)

    def response(self) -> LinearResponse:
        """Predictions as a function of rows."""
        return LinearResponse(self.feature_map, self.solution.coef, self.solution.intercept, self.precision)

    def standard_deviations(self, X: Rows) -> Array:
        """Standard deviations of new observations, shape (n, t): noise, coefficients, Nystroem residual."""
        return self.means_and_deviations(X)[1]

    def means_and_deviations(self, X: Rows, n_arrays: int = 2) -> tuple[Array, Array]:
        """Predictions and their standard deviations, shape (n, t) each, from features that are computed once.

        `n_arrays` is how many arrays of this size the caller makes of them, for the memory bill.
        """
        require_memory(self._prediction_bill(X, n_arrays), "Predict fewer rows at a time.")
        shape, noise = (X.shape[0], self.n_targets), self.solution.noise_variance
        means, deviations = np.empty(shape, X.dtype), np.empty(shape, X.dtype)
        for part, mean, leverage, unseen, _ in self._in_blocks(X):
            means[part] = mean
            ratio = 1.0 if self.noise is None else self.noise.ratios(X[part])
            left = np.maximum(leverage + unseen, 0.0)[:, None]
            deviations[part] = np.sqrt((ratio + left) * noise + self._far_out(X[part], left))
        return means, deviations

    def _far_out(self, X: Rows, left: Array) -> Array | float:
        """Further variance (n, t) far from all rows, from the posterior variance (n, 1) in units of the noise."""
        prior = self.feature_map.prior_variance(X, self.solution.alpha)
        if self.far_variance is None or prior is None:
            return 0.0
        missing = missing_variance(self.far_variance, self.solution.noise_variance, prior[:, None])
        return variance_far_out(left, prior[:, None], missing)

    def means_and_leverages(self, X: Rows) -> tuple[Array, Array, Array]:
        """Predictions (n, t), and their variances (n,) in units of the noise: by the coefficients, beyond the features.

        At a row of the fit, the former is its leverage.
        """
        n = X.shape[0]
        means, leverages, unseens = np.empty((n, self.n_targets)), np.empty(n), np.empty(n)
        for part, mean, leverage, unseen, _ in self._in_blocks(X):
            means[part], leverages[part], unseens[part] = mean, leverage, unseen
        return means, leverages, unseens

    def without_own_row(self, X: Rows, removed: Array) -> tuple[Array, Array, Array]:
        """Predictions of rows of the fit (n, t); factors of their residuals, and variances, of models without the row.

        `removed` (n,) is the weight that leaves with a row.
        """
        n = X.shape[0]
        means, factors, variances = np.empty((n, self.n_targets)), np.empty(n), np.empty(n)
        for part, mean, leverage, unseen, Z in self._in_blocks(X):
            means[part] = mean
            beyond = np.broadcast_to(unseen, leverage.shape)
            factors[part], variances[part] = self.solution.without_own_row(Z, leverage, beyond, removed[part])
        return means, factors, variances

    def _in_blocks(self, X: Rows) -> Iterator[tuple[slice, Array, Array, Array | float, Array]]:
        """`means_and_leverages` of some rows after the other, and what error bars are a function of."""
        dtype, spread = np.promote_types(X.dtype, self.precision), self.spread
        coef, response = self.solution.coef, self.response()
        width = self.solution.spread_width
        # A linear form has fewer rounding errors, and costs little beside Z.
        other = width is not None or self.feature_map.linear_form(coef) is not None
        most = _SPREAD_ROWS if width is None else _DRAWN_ROWS
        for part in row_slices(X.shape[0], rows_within(8 * _SPREAD_COPIES * (width or len(coef)), most=most)):
            Z = self.solution.spread_features(self.feature_map, X[part], dtype)
            mean = response(X[part]) if other else Z @ coef.astype(dtype) + self.solution.intercept
            unseen = self.feature_map.unseen_variance(X[part], Z, self.solution.alpha)
            yield part, mean, spread.of(Z) - 1, unseen, Z

    def _prediction_bill(self, X: Rows, n_arrays: int) -> MemoryBill:
        """The bill of so many arrays of predictions, deviations or limits of the rows."""
        size, factor = X.shape[0] * self.n_targets * X.dtype.itemsize, self.solution.spread_bytes()
        return MemoryBill({"predictions, deviations and limits": n_arrays * size, "factor of the equations": factor})

    def half_widths(self, std: Array, level: float) -> Array:
        """Half the widths (n, t) of prediction intervals at standard deviations (n, t)."""
        found = normal_half_widths if self.conformal is None else self.conformal.half_widths
        return found(std, level)
