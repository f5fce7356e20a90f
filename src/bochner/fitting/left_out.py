"""Exact leave-one-out errors of a fitted ridge model on some of its rows: what it says of rows that it has not seen.

    y_i - f_-i(x_i) = (y_i - f(x_i)) / (1 - h_i),      h_i = (z_i - zbar)'(G + alpha I)^-1 (z_i - zbar) + 1/n

with h_i the leverage of the row, times the weight that leaves with it (`bochner.data.weights`). The predictive variance
of a row that is left out is sigma^2 / (1 - h_i) if its weight is 1, and what the features do not explain beside it; of
any weight, that of a new row there (`bochner.data.weights.new_row_weight`). Exact kernel machines by iterations have
estimates, which are mostly larger (`solvers.landmark_spread`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bochner._typing import Array
from bochner.data import ArrayRows, RowSource, left_out_weight, new_row_weight
from bochner.fitting.deviations import DeviationPower
from bochner.fitting.intervals import ConformalScores
from bochner.fitting.ridge_model import TOO_FEW_ROWS, FittedRidge

__all__ = [
    "LEFT_OUT_ROWS",
    "LeftOut",
    "calibrated",
    "errors_of_classes",
    "held_out_errors",
    "left_out_errors",
    "mean_errors",
    "rows_to_judge",
]

LEFT_OUT_ROWS = 2000
"""Rows that are left out, one by one, to calibrate error bars and to compare models."""


_JUDGED_SHARE, _MANY_JUDGED = 5, 10_000
_NEARLY_ALL = 0.97  # share of a class, from which on 2,000 rows have too few of the others to compare models by
_RARE_ROWS, _MOST_LEFT_OUT = 200, 50_000  # of the other classes among the rows that are left out; of all, at most
_FEWEST_FOR_POWER = 200  # rows that tell a power of deviations: of fifty, intervals of one split held 72 %


@dataclass(frozen=True)
class LeftOut:
    """Leave-one-out errors of some rows.

    Attributes
    ----------
    errors : array of shape (m, t)
        Target less the prediction of the model without the row.
    variances : array of shape (m,)
        Of the prediction, in units of the noise variance.
    weight : array of shape (m,)
        Of the rows.
    targets : array of shape (m, t)
    """

    errors: Array
    variances: Array
    weight: Array
    targets: Array

    @property
    def noise_variance(self) -> Array:
        """sigma^2 of every target at which squared errors are as large as predictive variances, in the mean of ratios.

        A ratio of means would be that of a few rows far from all others, whose variances are large and often too much
        so: error bars of all other rows were half as long as errors are.
        """
        found: Array = np.average(self.errors**2 / self.variances[:, None], axis=0, weights=self.weight)
        return found

    def squares(self, variance: Array) -> Array:
        """Squared errors (m,) in units of the variances of the targets, averaged over targets."""
        return np.mean(self.errors**2 / np.where(variance > 0, variance, 1.0), axis=1)

    def mistakes(self) -> Array:
        """Whether signs of classes (m, t) as targets have another class predicted, as 0.0 or 1.0; shape (m,)."""
        predicted = self.targets - self.errors
        if self.targets.shape[1] == 1:
            return (predicted[:, 0] * self.targets[:, 0] <= 0).astype(float)
        return (predicted.argmax(axis=1) != self.targets.argmax(axis=1)).astype(float)

    def shortfalls(self) -> LeftOut:
        """Of signs of classes as targets: no error beyond the own sign, as hinge losses have it."""
        return replace(self, errors=self.targets * np.maximum(self.targets * self.errors, 0.0))

    def margins(self) -> Array:
        """Score of the own class less the largest other one, of signs of classes (m, t) as targets; shape (m,)."""
        predicted = self.targets - self.errors
        if self.targets.shape[1] == 1:
            return predicted[:, 0] * self.targets[:, 0]
        own = self.targets > 0
        margins: Array = predicted[own] - np.where(own, -np.inf, predicted).max(axis=1)
        return margins

    def relative_error(self) -> float | None:
        """Root mean squared error over that of predicting the mean of the other rows; None of too few rows to tell."""
        if len(self.errors) <= TOO_FEW_ROWS:
            return None
        variance = mean_errors(self.targets, self.weight)
        return float(np.sqrt(np.average(self.squares(variance), weights=self.weight)))

    def scores(self, noise_variance: Array, ratios: Array | float = 1.0) -> ConformalScores:
        """|error| / standard deviation, for prediction intervals (the jackknife of Barber et al. 2021).

        Of a power of the deviations that the errors themselves tell (`bochner.fitting.deviations`), if rows are
        some and have the same weight: copies that leave together have other deviations than a new row.
        `ratios` (m, t) of a noise function are those of noise at the rows to `noise_variance`.
        """
        variances = self.variances[:, None] - 1 + ratios
        deviations = np.sqrt(np.maximum(noise_variance, np.finfo(float).tiny) * variances)
        told = len(self.errors) >= _FEWEST_FOR_POWER and bool(np.all(self.weight == self.weight[0]))
        power = DeviationPower.of(self.errors, deviations) if told else None
        return ConformalScores.of(self.errors, np.zeros_like(self.errors), deviations, self.weight, power)


def mean_errors(Y: Array, weight: Array | None) -> Array:
    """Mean squared leave-one-out errors (t,) of predicting the mean."""
    total = float(len(Y) if weight is None else max(weight.sum(), len(Y)))
    squares: Array = np.average((Y - np.average(Y, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
    return squares / max(1 - 1 / max(total, 1.0), 0.5) ** 2


def rows_to_judge(rows: RowSource, *, rare: bool) -> int:
    """Number of left-out rows that compare models: a fifth of the rows, between 2,000 and 10,000.

    `rare`: whether targets are signs of classes. If one class has 97 % of the rows, as many are left out as have 200
    rows of the others, 50,000 at most.
    """
    many = int(np.clip(rows.n_rows // _JUDGED_SHARE, LEFT_OUT_ROWS, _MANY_JUDGED))
    if not rare:
        return many
    Y, weight = rows.targets()
    shares = np.average(Y > 0, axis=0, weights=weight)
    largest = float(np.max(shares if len(shares) > 1 else [shares[0], 1 - shares[0]]))
    if largest < _NEARLY_ALL:
        return many
    return int(np.clip(_RARE_ROWS / max(1 - largest, _RARE_ROWS / _MOST_LEFT_OUT), many + 1, _MOST_LEFT_OUT))


def left_out_errors(fit: FittedRidge, rows: RowSource, seed: int, n_rows: int = LEFT_OUT_ROWS) -> LeftOut:
    """Of so many rows of positive weight at most, drawn at random."""
    sample = ArrayRows.sampled(rows, n_rows, seed)
    Y, weight = sample.targets()
    removed = left_out_weight(sample.X, Y, weight)
    means, factors, variances = fit.without_own_row(sample.X, removed)
    variances = variances + (new_row_weight(sample.X, Y, removed) - 1) * (factors - 1) / removed
    own = np.ones(len(Y)) if weight is None else weight
    return LeftOut((Y - means) * factors[:, None], variances, own, Y)


def held_out_errors(fit: FittedRidge, rows: RowSource, index: Array) -> LeftOut:
    """Of rows that the fit has not seen at all."""
    Y, weight = rows.targets()
    means, leverage, unseen = fit.means_and_leverages(rows.take(index))
    own = np.ones(len(index)) if weight is None else weight[index]
    return LeftOut(Y[index] - means, np.maximum(1 + leverage + unseen, 1.0), own, Y[index])


def errors_of_classes(fit: FittedRidge, rows: RowSource, index: Array) -> LeftOut:
    """Of signs of classes at rows that the fit has not seen at all; classes have no use for variances, which cost."""
    Y, weight = rows.targets()
    errors = Y[index] - np.asarray(fit.response()(rows.take(index)))
    own = np.ones(len(index)) if weight is None else weight[index]
    return LeftOut(errors, np.ones(len(index)), own, Y[index])


def calibrated(fit: FittedRidge, left_out: LeftOut, *, scores: bool) -> FittedRidge:
    """The fit with noise variance, skill and, if asked for, the interval scores of its leave-one-out errors."""
    variance = left_out.noise_variance
    solution = replace(fit.solution, noise_variance=variance)
    return replace(
        fit,
        found=solution,
        conformal=left_out.scores(variance) if scores else fit.conformal,
        left_out_error=left_out.relative_error(),
        far_variance=np.average((left_out.targets - solution.intercept) ** 2, axis=0, weights=left_out.weight),
    )
