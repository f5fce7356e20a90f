"""Certificates of a fitted KernelRegressor: how far it is from exact kernel ridge regression."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array

from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.estimators.certification import EXACT_ROWS, MapCertifier, certify_map, tightest_first
from bochner.features import transform
from bochner.planning import WIDTHS
from bochner.solvers import RidgeProblem
from bochner.theory import Certificate
from bochner.theory.a_posteriori import NewRows, RidgeDistance, SpectralCloseness
from bochner.theory.downstream import RidgePrediction

if TYPE_CHECKING:
    from bochner.estimators.regressor import KernelRegressor

__all__ = ["certify_regressor"]

_NEW_ROWS_QUANTILE = 0.95
_ROWS = 1024


def certify_regressor(
    model: KernelRegressor, X: Any, y: Any, X_new: Array | None, *, delta: float, independent: bool
) -> Certificate:
    """The tightest certificate for what is given: the training rows (and targets), other rows, or nothing."""
    widened = getattr(model, "width_curve_", None) is not None  # older files have none
    certifier = replace(model._certifier(independent), n_widths=WIDTHS if widened else 1)
    if model.moments_ is None:
        if X is None:
            raise AssumptionError("A model of the iterative solver keeps nothing of its rows to certify. Give rows: X.")
        return certify_map(certifier, X.astype(float), delta)
    if X is None:
        found = list(certifier.a_priori(model.moments_.n_rows, delta))
        if not found:
            raise AssumptionError(f"Without X there is no certificate: {certifier.a_priori_refusal()}. Give rows.")
        return _with_predictions(model, tightest_first(found, []))
    if not _are_training_rows(model, X):
        return certify_map(certifier, X.astype(float), delta)
    if X.shape[0] > EXACT_ROWS:
        return _with_predictions(model, certify_map(certifier, X.astype(float), delta))
    rows = np.asarray(X.toarray() if issparse(X) else X, dtype=float)
    Y = None if y is None else check_array(y, ensure_2d=False, dtype=float).reshape(len(rows), -1)
    return _distance_to_exact(model, certifier, rows, Y, X_new, delta)


def _distance_to_exact(
    model: KernelRegressor, certifier: MapCertifier, X: Array, Y: Array | None, X_new: Array | None, delta: float
) -> Certificate:
    """The distance on the training rows, computed (with targets) or bounded, and a limit for new rows."""
    Z, K = certifier.features(X), certifier.kernel(X)
    approximate, alpha = Z @ Z.T, model.alpha_
    distance = RidgeDistance(exact=K, approximate=approximate, alpha=alpha, intercept=model.fit_intercept)
    norms = np.sqrt(RidgeProblem.from_moments(model.moments_, model.fit_intercept).energy)
    on_rows = [distance.for_every_target(norms)]
    others = [SpectralCloseness(exact=K, approximate=approximate, alpha=alpha).certificate()]
    if Y is not None:
        on_rows.append(distance.for_target(Y))
        if X_new is not None:
            dual, offset = distance.exact_dual(Y)
            exact = certifier.kernel(X_new, X) @ dual + offset
            gap = np.abs(exact - np.reshape(model.predict(X_new), exact.shape)).max(axis=1)
            others.append(NewRows(difference=gap).certificate(_NEW_ROWS_QUANTILE, delta))
    return tightest_first(on_rows, others)


def _are_training_rows(model: KernelRegressor, X: Any) -> bool:
    """Whether X is what the model was fitted to, each row once, told by the mean of its features."""
    moments = model.moments_
    if X.shape[0] != moments.n_rows or moments.weight != moments.n_rows:
        return False
    total = np.zeros_like(moments.z_mean)
    for start in range(0, X.shape[0], _ROWS):
        total += transform(model._map(), X[start : start + _ROWS], X.dtype).sum(axis=0, dtype=float)
    tolerance = 1e-5 * np.sqrt(model.features_.kernel_.variance)
    return bool(np.allclose(total / X.shape[0], moments.z_mean, atol=tolerance))


def _with_predictions(model: KernelRegressor, kernel_error: Certificate) -> Certificate:
    """Add what the kernel error says of predictions; Proposition 9 covers models without an intercept."""
    moments = model.moments_
    mean_square = float(np.max(moments.yy / moments.weight + moments.y_mean**2))
    if model.fit_intercept or kernel_error.value == 0 or mean_square == 0:
        return kernel_error
    transfer = RidgePrediction(
        penalty=model.alpha_ / moments.weight,
        target_rms=float(np.sqrt(mean_square)),
        kappa=model.features_.kernel_.variance,
    )
    return replace(kernel_error, others=(*kernel_error.others, transfer.certificate(kernel_error)))
