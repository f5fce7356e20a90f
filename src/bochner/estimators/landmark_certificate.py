"""Certificates of Nystroem features: residual variances, without probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._typing import Array
from bochner.estimators.certification import (
    COMPUTED_ROWS,
    computed_error,
    least_error,
    require_computed_error,
    tightest_first,
)
from bochner.features import transform
from bochner.features.nystroem import NystroemMap
from bochner.memory import row_slices, rows_within
from bochner.statistics.kernel_product import ExactKernel
from bochner.theory import Certificate
from bochner.theory.a_posteriori import ResidualVariance

__all__ = ["certify_landmarks"]

_ROWS = 4096
_CHECKED = 256  # landmarks at which the rounding of residual variances is measured


def certify_landmarks(features: NystroemMap, exact: ExactKernel, X: Any, dtype: np.dtype[Any]) -> Certificate:
    """The tightest bound on the largest kernel error over the rows, with the other beside it.

    Features are computed in float64 and handed on in `dtype`.
    """
    rows = rows_within(24 * features.n_components, most=_ROWS)
    residual = np.concatenate([_residual(features, X[some]) for some in row_slices(X.shape[0], rows)])
    handed_on = 2 * float(np.finfo(dtype).eps) * exact.kernel.variance
    bound = ResidualVariance(residual=residual, rounding=_rounding(features) + handed_on, kernel=str(exact))
    found = [bound.certificate()]
    if X.shape[0] <= COMPUTED_ROWS:
        require_computed_error(X.shape[0], features.n_components)
        found.append(computed_error(exact, X, transform(features, X, dtype).astype(float)))
    return tightest_first(found, least_error(exact, X, features.n_components))


def _residual(features: NystroemMap, X: Any) -> Array:
    """k(x, x) - ||z(x)||^2, not clipped."""
    rows = dense(X, float)
    return features.residual_variance(rows, transform(features, rows, np.dtype(float)))


def _rounding(features: NystroemMap) -> float:
    """Ten times the largest residual variance of either sign at landmarks, where it is 0 but for the jitter."""
    points = features.values.points[:: max(1, features.n_components // _CHECKED)]
    return 10 * float(np.max(np.abs(_residual(features, points))))
