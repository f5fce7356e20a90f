"""Certificates of ridge models: the distance to exact kernel ridge, for the rows of the fit, other rows, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from bochner._sklearn import check_sample_weight, with_callbacks
from bochner.data import ArrayRows
from bochner.errors import AssumptionError, InvalidDataError, invalid_parameter
from bochner.estimators.map_transformer import CertificateContext, certified_features
from bochner.estimators.ridge_certificate import RidgeModel, certify_ridge, certify_rows, certify_without_rows
from bochner.estimators.rows import adopt_columns, new_rows, open_rows, rows_to_fit
from bochner.estimators.rows_of_fit import CertifiedRows, certified_rows, in_memory, without
from bochner.estimators.validation import validated_rows
from bochner.estimators.watch import CallbackWatch
from bochner.fitting import WIDTHS, FittedRidge, calibration_split, left_out_rows
from bochner.solvers.exact_ridge import Patience
from bochner.theory import Certificate
from bochner.theory.base import check_delta

__all__ = ["CertifiedRidge"]


class CertifiedRidge:
    """`certify` of ridge models; training rows are recognised by checksum."""

    seed_: int
    interval: str
    validation_fraction: float | None
    _rows_chose_scales: bool
    _fit_value: Callable[[], FittedRidge]
    _require_settings_of_fit: Callable[[], None]

    @with_callbacks
    def certify(
        self,
        X: Any = None,
        *,
        y: Any = None,
        sample_weight: Any = None,
        X_new: Any = None,
        delta: float = 0.01,
        independent: bool = True,
        tightness: float = 1.1,
        max_products: int = 100,
        time_limit: float | None = None,
    ) -> Certificate:
        """Certificate of the distance to exact kernel ridge regression with the same kernel and penalty.

        With the rows, targets and weights of the fit, at any number of rows: the distance between the predictions of
        the two models, from below and from above, without probability (`bochner.theory.distance.RidgeDistance`). It
        takes products with the exact kernel matrix, in tiles: O(n^2) time each, O(n) memory. Where these take too long,
        kernel sums at a random sample of the rows bound it, with probability 1 - `delta`
        (`bochner.theory.sampled_distance`). A model knows its rows by a checksum; a statement about predictions is
        refused for others. Callbacks, such as a progress bar, are told of every product.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), a scan, or a Dask array, default=None
            The training rows, in any order. Without `y` the distance is bounded for any targets of the same size (up
            to 4,000 rows). Other rows, and no rows at all, have a certificate of the kernel only, and it says so.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            The training targets.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the fit, if it had some.
        X_new : array-like of shape (n_new, n_features), default=None
            Other rows: with `X` and `y`, the `others` have the distance at these rows, computed, and, if they are
            independent draws from one law, a limit on its 95 % quantile. Not where the time allows a sample only.
        delta : float, default=0.01
            Failure probability of the statements that have one.
        independent : bool, default=True
            As in `FourierFeatures.certify`.
        tightness : float, default=1.1
            Products are made until the upper limit is at most so many times the lower one.
        max_products : int, default=100
            Most products with the exact kernel, at least 3: for the mean, the start and the residual.
        time_limit : float, default=None
            Seconds, about: no further product begins, and none at all that would take longer. Every product tightens
            the limits, which hold at any time. None: as many products as are asked for up to 100,000 rows, else a
            sample, for a minute.

        Returns
        -------
        certificate : Certificate
        """
        _check_search(tightness, max_products, time_limit)
        check_delta(delta)
        self._require_settings_of_fit()
        model = self._certified_model(independent)
        if X is None:
            if any(given is not None for given in (y, sample_weight, X_new)):
                raise InvalidDataError("y, sample_weight and X_new say something about rows X. Got no X.")
            return certify_without_rows(model, self._n_rows_of_fit(), delta)
        rows = self._rows_to_certify(X, y, sample_weight)
        if rows.Y.shape[1] == 0:
            if X_new is not None:
                raise InvalidDataError("The distance at X_new needs the training targets: give y as well.")
            return certify_rows(model, rows, delta)
        predict = self._fit_value().response()
        new = None if X_new is None else new_rows(self, X_new)
        on_block, finish = CallbackWatch(self, rows).begin(None)  # type: ignore[arg-type]  # X and Y are all it reads
        certificate = certify_ridge(
            model,
            rows,
            predict,
            new,
            delta=delta,
            patience=Patience(tightness, max_products, time_limit),
            seed=self.seed_,
            on_product=lambda number: on_block(0),
        )
        finish()
        return certificate

    def _certified_model(self, independent: bool) -> RidgeModel:
        """Inputs of the certificates, as a value."""
        fit = self._fit_value()
        widths = 1 if fit.width_curve is None else WIDTHS
        context = CertificateContext(independent, widths, fit.precision.type, self._rows_chose_scales)
        moments, intercept, norms, rms = fit.moments, fit.rule.fit_intercept, None, None
        if moments is not None:
            squares = moments.yy + (0 if intercept else moments.weight * moments.y_mean**2)
            norms, rms = np.sqrt(squares), float(np.sqrt(np.max(moments.yy / moments.weight + moments.y_mean**2)))
        weight = float("nan") if moments is None else moments.weight
        features = certified_features(fit.features)
        return RidgeModel(features, context, fit.solution.alpha, intercept, norms, rms, weight, fit.row_type)

    def _rows_to_certify(self, X: Any, y: Any, sample_weight: Any) -> CertifiedRows:
        """The rows, less those that the fit held out, and how they differ from those of the fit."""
        source = open_rows(X, y, sample_weight)
        if source is not None:
            adopt_columns(self, source, reset=False)
            rows = in_memory(source)
        elif y is None:
            X = validated_rows(self, X, reset=False)
            rows = ArrayRows(X, np.empty((X.shape[0], 0)), check_sample_weight(sample_weight, X), X.dtype)
        else:
            rows, _ = rows_to_fit(self, X, y, sample_weight, reset=False, multi_output=True, y_numeric=True)  # type: ignore[assignment]
        targets = rows.n_targets > 0
        fit = self._fit_value()
        if targets and rows.n_targets != fit.n_targets:
            raise InvalidDataError(f"y must have {fit.n_targets} targets, as in the fit. Got {rows.n_targets}.")
        kept = self._kept(rows)
        found = certified_rows(kept, fit.identity, targets=targets)
        if found.difference is not None and kept is not rows:  # other rows: none of them are held out
            order = "a fit that holds rows out takes them by their place: give all rows in the order of the fit"
            reason = f"{found.difference}; {order}"
            return replace(certified_rows(rows, None, targets=False), difference=reason)
        return found

    def _kept(self, rows: ArrayRows) -> ArrayRows:
        """The rows less those that the fit held out, to calibrate intervals or to end its iterations."""
        try:
            kept = calibration_split(rows, self.seed_)[0] if self.interval == "conformal" else rows
        except InvalidDataError:
            return rows  # too few: they are not those of the fit
        if self._fit_value().solver.needs != "products" or self.validation_fraction is None:
            return kept
        return without(kept, left_out_rows(self.validation_fraction, kept.n_rows, self.seed_))

    def _n_rows_of_fit(self) -> int:
        fit = self._fit_value()
        if fit.identity is not None:
            return fit.identity.n_rows
        if fit.moments is None:
            raise AssumptionError("This model does not know how many rows it was fitted to. Give rows: X.")
        return int(fit.moments.n_rows)


def _check_search(tightness: Any, max_products: Any, time_limit: Any) -> None:
    """Validate the stopping rule of the search for a tighter limit."""
    if isinstance(tightness, bool) or not isinstance(tightness, Real) or not float(tightness) >= 1:
        raise invalid_parameter("certify", "tightness", "a number >= 1", tightness)
    if isinstance(max_products, bool) or not isinstance(max_products, Integral) or max_products < 3:
        raise invalid_parameter("certify", "max_products", "an integer >= 3", max_products)
    if time_limit is not None and not (isinstance(time_limit, Real) and float(time_limit) >= 0):
        raise invalid_parameter("certify", "time_limit", "None or a number of seconds >= 0", time_limit)
