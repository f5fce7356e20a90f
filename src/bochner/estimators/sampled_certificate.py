"""Certificates of ridge models from kernel sums at some of the training rows, where products with all take too long."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.estimators.map_transformer import MapTransformer
from bochner.features import transform
from bochner.memory import row_slices, rows_within
from bochner.solvers.exact_ridge import ExactRidge
from bochner.solvers.kernel_preconditioner import DENSE_ROWS, preconditioner_seconds
from bochner.solvers.sampled_ridge import Projection, dual_of_errors, product_seconds, sample_residual
from bochner.theory import Certificate
from bochner.theory.sampled_distance import SampledDistance

__all__ = ["SampledCertificate", "takes_too_long"]

_PRODUCTS = 3  # that a statement on all rows takes: for the mean, the start and the residual
_ALL_ROWS = 100_000  # whose products are made where no time is given: minutes
_ROUNDING = 1e-10  # of residual variances, relative to the kernel's variance


def takes_too_long(problem: ExactRidge, time_limit: float | None) -> bool:
    """Whether the products of a statement on all rows go beyond the time limit, or minutes where there is none."""
    n = problem.product.n_rows
    if time_limit is None:
        return n > _ALL_ROWS
    factor = preconditioner_seconds(n) if n <= DENSE_ROWS else 0.0
    return factor + _PRODUCTS * product_seconds(problem) > time_limit


@dataclass(frozen=True, eq=False)
class SampledCertificate:
    """Maker of the certificate of some predictions.

    Attributes
    ----------
    problem : ExactRidge
    predictions : array of shape (n, t)
    features : MapTransformer
        Of the model.
    seed : int
    """

    problem: ExactRidge
    predictions: Array
    features: MapTransformer
    seed: int

    def issue(
        self,
        machine: str,
        weighted: bool,
        delta: float,
        time_limit: float | None,
        on_block: Callable[[int], bool] | None,
    ) -> Certificate:
        """The limit on the distance that as many rows as the time allows give."""
        began = time.monotonic()
        projection = self._projection()
        sample = sample_residual(
            self.problem,
            self.predictions,
            projection,
            seed=self.seed,
            time_limit=None if time_limit is None else time_limit - (time.monotonic() - began),
            on_block=on_block,
        )
        return SampledDistance(
            sample=sample,
            alpha=self.problem.alpha,
            machine=machine,
            weighted=weighted,
            at_most=self.problem.largest_distance(self.predictions),
            exact=self.features.map_.kernel_values is not None,
        ).certificate(delta)

    def _projection(self) -> Projection | None:
        """What landmarks make of the errors of the model, in two passes over the rows; None for other features."""
        problem, features, X = self.problem, self.features.map_, self.problem.product.X
        _, dual = dual_of_errors(problem, self.predictions)
        weighted, residual = problem.weight[:, None] * dual, np.empty(len(X))
        values, inner = np.empty(dual.shape), np.zeros((features.n_components, dual.shape[1]))
        blocks = list(row_slices(len(X), rows_within(24 * features.n_components)))
        try:
            for some in blocks:
                Z = transform(features, X[some], np.dtype(float))
                inner += Z.T @ weighted[some]
                residual[some] = features.residual_variance(X[some], Z)
        except AssumptionError:
            return None
        for some in blocks:
            values[some] = transform(features, X[some], np.dtype(float)) @ inner
        return Projection(values, np.maximum(residual, 0) + _ROUNDING * problem.product.kernel.variance)
