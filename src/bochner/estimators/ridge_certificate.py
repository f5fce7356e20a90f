"""Certificates of a fitted KernelRegressor: how far it is from exact kernel ridge regression."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bochner._typing import Array
from bochner.errors import AssumptionError, InvalidDataError
from bochner.estimators.certification import COMPUTED_ROWS
from bochner.estimators.map_transformer import CertificateContext, MapTransformer
from bochner.estimators.rows_of_fit import CertifiedRows, share_rows
from bochner.estimators.sampled_certificate import SampledCertificate, takes_too_long
from bochner.estimators.spectral_certificate import spectral_limit
from bochner.features import transform
from bochner.memory import fits, row_slices, rows_within
from bochner.solvers.exact_ridge import ExactDistance, ExactRidge, Patience
from bochner.theory import Certificate
from bochner.theory.a_posteriori import SpectralCloseness
from bochner.theory.base import check_delta
from bochner.theory.distance import AnyTargetDistance, DistanceAtRows, NewRows, RidgeDistance
from bochner.theory.downstream import RidgePrediction

__all__ = ["RidgeModel", "certify_ridge", "certify_rows", "certify_without_rows"]

_NEW_ROWS_QUANTILE = 0.95
_MACHINE = "exact kernel ridge"
_DENSE_MATRICES = 7  # of the rows, at the peak of the statements that need them


@dataclass(frozen=True)
class RidgeModel:
    """Inputs of the certificates of a ridge model.

    Attributes
    ----------
    features : MapTransformer
    context : CertificateContext
    alpha : float
    intercept : bool
    target_norms : array of shape (t,) or None
        Weighted norms of the training targets, centred if there is an intercept; None if they are not known.
    target_rms : float or None
        Weighted root mean square of the largest training target, not centred.
    weight : float
        Sum of the weights.
    row_type : dtype
        Float type of the rows of the fit.
    on : str
        What the targets are, if they are not those of the rows.
    """

    features: MapTransformer
    context: CertificateContext
    alpha: float
    intercept: bool
    target_norms: Array | None
    target_rms: float | None
    weight: float
    row_type: np.dtype[Any] = field(default_factory=lambda: np.dtype(float))
    on: str = ""

    @property
    def machine(self) -> str:
        """The exact machine, in words."""
        return f"{_MACHINE}{self.on}{self.features.exact_kernel().named()}"

    @property
    def is_exact(self) -> bool:
        """Whether the model is the exact machine itself."""
        return self.features.map_.kernel_values is not None

    @property
    def reference(self) -> str:
        """What the predictions are compared with at other rows, in words."""
        return "the exact solution of its equations" if self.is_exact else self.machine

    def require_penalty(self) -> None:
        if not self.alpha > 0:
            raise AssumptionError(f"The distance to {_MACHINE} needs a positive penalty. Got alpha = {self.alpha:g}.")


def certify_without_rows(model: RidgeModel, n_rows: int, delta: float) -> Certificate:
    """A priori certificate without the training rows: a bound on the kernel estimates."""
    found = model.features.certify_rows_of_fit(n_rows, check_delta(delta), model.context)
    certificate = replace(found, instead="no rows were given")
    return replace(certificate, others=tuple(_by_kernel_error(model, certificate, n_rows)))


def certify_rows(model: RidgeModel, rows: CertifiedRows, delta: float) -> Certificate:
    """Certificate without targets: for any targets of the same size on few training rows, else for the kernel."""
    context = replace(model.context, at_rows_of_fit=rows.difference is None)
    kernel = model.features.certify_kernel(rows.X, delta, context)
    if rows.difference is not None:
        return replace(kernel, instead=rows.difference)
    if rows.n_rows > COMPUTED_ROWS or model.target_norms is None or not model.alpha > 0 or not _has_room(rows):
        kernel = replace(kernel, instead=_why_no_targets(rows))
        return replace(kernel, others=(*kernel.others, *_by_kernel_error(model, kernel, rows.n_rows)))
    dense = _dense_statements(model, rows, model.target_norms)
    if not dense:
        reason = "no targets were given, and alpha is below the rounding errors of the kernel matrix"
        return replace(kernel, instead=reason)
    return replace(dense[0], others=(*dense[1:], replace(kernel, others=()), *kernel.others))


def _why_no_targets(rows: CertifiedRows) -> str:
    """Why the distance for any targets is not stated."""
    if rows.n_rows > COMPUTED_ROWS or _has_room(rows):
        return "no targets were given"
    return f"no targets were given, and the memory budget has no room for kernel matrices of {rows.n_rows:,} rows"


def certify_ridge(
    model: RidgeModel,
    rows: CertifiedRows,
    predict: Callable[[Array], Array],
    X_new: Array | None,
    *,
    delta: float,
    patience: Patience,
    seed: int = 0,
    on_product: Callable[[int], bool] | None = None,
) -> Certificate:
    """The distance of the predictions from those of exact kernel ridge, on the training rows and on new ones.

    By products with the kernel matrix, or by kernel sums at a sample of the rows where these take too long.
    """
    check_delta(delta)
    rows.require("The distance to exact kernel ridge")
    model.require_penalty()
    began, predictions = time.monotonic(), predict(rows.X).astype(float)
    problem = ExactRidge(model.features.exact_kernel().of(rows.X), rows.Y, rows.weight, model.alpha, model.intercept)
    if takes_too_long(problem, patience.time_limit):
        sampled = SampledCertificate(problem, predictions, model.features, seed)
        left = None if patience.time_limit is None else patience.time_limit - (time.monotonic() - began)
        return sampled.issue(model.machine, rows.weighted, delta, left, on_product)
    found = problem.distance(predictions, patience, on_product)
    certificate, others = _distance(found, rows, model), []
    if X_new is not None:
        others += _at_new_rows(found, X_new, predict, model.reference, delta)
    if rows.n_rows <= COMPUTED_ROWS and _has_room(rows) and not model.is_exact:
        others += _dense_statements(model, rows, None)
    elif not model.is_exact and rows.X.dtype == model.row_type == np.float64:
        left = None if patience.time_limit is None else patience.time_limit - (time.monotonic() - began)
        others += spectral_limit(problem, model.features, rows.weighted, delta, seed, left)
    return replace(certificate, others=tuple(others))


def _distance(found: ExactDistance, rows: CertifiedRows, model: RidgeModel) -> Certificate:
    low, high = found.root_mean_square()
    high = min(high, found.problem.largest_distance(found.predictions) * (1 + 1e-9))
    other_type = rows.X.dtype != np.float64 or model.row_type != np.float64
    return RidgeDistance(
        at_least=low,
        at_most=high,
        largest=found.largest(),
        n_rows=rows.n_rows,
        n_products=found.n_products,
        alpha=model.alpha,
        weighted=rows.weighted,
        machine=model.machine,
        predictions=f"the {rows.X.dtype} predictions" if other_type else "the predictions",
        exact=model.is_exact,
    ).certificate()


def _at_new_rows(
    exact: ExactDistance, X: Array, predict: Callable[[Array], Array], machine: str, delta: float
) -> list[Certificate]:
    """The distance at every given row, and a quantile over their law if they are new, and enough for one."""
    limits = np.empty(len(X))
    row = 8 * (8 * exact.dual.shape[1] + 4 * X.shape[1] + 8)
    for some in row_slices(len(X), rows_within(row, least=512)):
        values, slack = exact.at(X[some])
        limits[some] = np.max(np.abs(values - predict(X[some])) + slack, axis=1)
    found = [DistanceAtRows(limits=limits, machine=machine).certificate()]
    with suppress(InvalidDataError):  # too few for a quantile; the rows themselves are certified
        if not share_rows(exact.problem.product.X, X):
            found.append(NewRows(difference=limits, machine=machine).certificate(_NEW_ROWS_QUANTILE, delta))
    return found


def _matrices(model: RidgeModel, rows: CertifiedRows) -> tuple[Array, Array, Array, float]:
    """K and K^ of the rows, times the roots of the weights from both sides, these roots, and how far K may be off."""
    root = np.sqrt(rows.weight)
    dtype = np.promote_types(rows.X.dtype, model.context.precision)
    Z = transform(model.features.map_, rows.X, dtype).astype(float) * root[:, None]
    product = model.features.exact_kernel().of(rows.X)
    rounding = product.value_rounding() * float(rows.weight.sum())  # of a matrix whose entries are off by so much
    K = product.matrix()
    K *= root
    K *= root[:, None]
    return K, Z @ Z.T, root, rounding


def _has_room(rows: CertifiedRows) -> bool:
    """Whether the dense matrices are within the memory budget: both, both inverses, and a copy while one is made."""
    return fits(_DENSE_MATRICES * 8 * rows.n_rows**2)


def _dense_statements(model: RidgeModel, rows: CertifiedRows, norms: Array | None) -> list[Certificate]:
    """Certificates from the dense kernel matrix, for few rows: for any targets of these norms, and spectral.

    Nothing where the penalty is below the rounding errors of the matrix.
    """
    K, approximate, root, rounding = _matrices(model, rows)
    shared: dict[str, Any] = {"exact": K, "approximate": approximate, "alpha": model.alpha, "rounding": rounding}
    try:
        closeness = SpectralCloseness(**shared, weighted=rows.weighted).certificate()
        if norms is None:
            return [closeness]
        any_target = AnyTargetDistance(**shared, root=root, intercept=model.intercept, norms=norms)
        return [any_target.certificate(), closeness]
    except np.linalg.LinAlgError:
        return []


def _by_kernel_error(model: RidgeModel, kernel_error: Certificate, n_rows: int) -> list[Certificate]:
    """Proposition 9 at the training rows: it covers models without an intercept and without weights."""
    plain = not model.intercept and model.weight == n_rows and model.target_rms is not None and model.alpha > 0
    if not plain or kernel_error.value == 0 or not model.target_rms:
        return []
    transfer = RidgePrediction(
        penalty=model.alpha / model.weight,
        target_rms=model.target_rms,
        kappa=model.features.exact_kernel().kernel.variance,
    )
    return [transfer.certificate(kernel_error, f"the {n_rows:,} training rows")]
