"""Predictive variances of a kernel regressor as nodes of an ONNX graph."""

from __future__ import annotations

from functools import singledispatch
from typing import cast

import numpy as np
from scipy.linalg.lapack import dtrtri

from bochner._typing import Array
from bochner.errors import UnsupportedModelError
from bochner.estimators import KernelRegressor
from bochner.features import WarpedMap
from bochner.features.nystroem import KernelMap, NystroemMap
from bochner.fitting import missing_variance, variance_far_out
from bochner.io.onnx.graph import Tensor
from bochner.solvers import KernelSolution, RidgeProblem, Solution
from bochner.solvers.cholesky import factorise

__all__ = ["standard_deviation"]


def standard_deviation(model: KernelRegressor, Z: Tensor) -> Tensor:
    """`FittedRidge.standard_deviations` of rows with features Z."""
    Z = Z.astype(np.float64)  # entries of the inverse factor are large
    variance = _variance(model.fitted_.solution, model, Z) + _unseen_variance(model.feature_map_, Z, model.alpha_)
    squares = variance * np.atleast_1d(model.noise_variance_) + _far_out(model, variance)
    return cast("Tensor", np.sqrt(squares))


def _far_out(model: KernelRegressor, variance: Tensor) -> Tensor | float:
    """`FittedRidge._far_out` from predictive variances in units of the noise, of a kernel whose k(x, x) is constant."""
    fit = model.fitted_
    prior = fit.feature_map.prior_variance(np.zeros((1, model.n_features_in_)), fit.solution.alpha)
    if fit.far_variance is None or prior is None:
        return 0.0
    missing = missing_variance(fit.far_variance, fit.solution.noise_variance, prior)
    if not np.any(missing):
        return 0.0
    left = cast("Array", variance - 1.0)
    return cast("Tensor", variance_far_out(left, float(prior[0]), missing))


@singledispatch
def _variance(solution: Solution, model: KernelRegressor, Z: Tensor) -> Tensor:
    """`PredictiveSpread`, 1 + (z - zbar)'(G + alpha I)^-1 (z - zbar) + 1/n, as nodes."""
    moments, centred = model.moments_, model.fit_intercept
    assert moments is not None
    factor = factorise(RidgeProblem.from_moments(moments, centred), model.alpha_)
    whitened = (Z - moments.z_mean if centred else Z) @ _inverse(factor.upper)
    return (whitened * whitened).sum(1, keepdims=True) + (1 + (1 / moments.weight if centred else 0.0))


@_variance.register
def _(solution: KernelSolution, model: KernelRegressor, Z: Tensor) -> Tensor:
    """`KernelSpread`, 1 + ((1 - u'k)^2 / 1'u - ||L^-1 k||^2) / alpha, as nodes."""
    equations = solution.spread_of(None, fit_intercept=model.fit_intercept).equations
    whitened = Z @ _inverse(np.tril(equations.factor).T)
    explained = (whitened * whitened).sum(1, keepdims=True)
    if equations.intercept:
        missing = Z @ -equations.constant[:, None] + 1.0
        explained = explained - missing * missing * (1 / equations.constant.sum())
    return explained * (-1 / equations.alpha) + 1.0


@singledispatch
def _unseen_variance(feature_map: object, Z: Tensor, alpha: float) -> Tensor | float:
    """Residual variance k(x, x) - ||z(x)||^2 of rows with features Z, in units of the noise; 0 for a random map."""
    return 0.0


@_unseen_variance.register
def _(feature_map: NystroemMap, Z: Tensor, alpha: float) -> Tensor:
    if feature_map.values.transforms is not None:
        raise UnsupportedModelError("Error bars of a model with invariant landmarks have no static graph.")
    shortfall = np.maximum(feature_map.values.kernel.variance - (Z * Z).sum(1, keepdims=True), 0.0)
    return feature_map.in_units_of_noise(shortfall, alpha)


@_unseen_variance.register
def _(feature_map: KernelMap, Z: Tensor, alpha: float) -> float:
    if feature_map.transforms is not None:
        raise UnsupportedModelError("Error bars of a model with an orbit kernel have no static graph.")
    return feature_map.kernel.variance / alpha


@_unseen_variance.register
def _(feature_map: WarpedMap, Z: Tensor, alpha: float) -> Tensor | float:
    return _unseen_variance(feature_map.base, Z, alpha)


def _inverse(upper: Array) -> Array:
    """U^-1 of a Cholesky factor: z'(G + alpha I)^-1 z = ||z'U^-1||^2."""
    inverse, _ = dtrtri(upper, lower=0)
    return np.triu(inverse)
