"""Certificates of classifiers: the distance to the exact kernel machine, for the rows of the fit, or other rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from bochner._sklearn import check_sample_weight
from bochner._typing import Array
from bochner.data import ArrayRows
from bochner.errors import AssumptionError, InvalidDataError
from bochner.estimators.classifier_certificate import ClassifierModel, certify_classifier
from bochner.estimators.map_transformer import CertificateContext, MapTransformer, certified_features
from bochner.estimators.ridge_certificate import RidgeModel, certify_ridge
from bochner.estimators.rows import adopt_columns, new_rows, open_rows
from bochner.estimators.rows_of_fit import CertifiedRows, certified_rows, in_memory
from bochner.estimators.validation import validated_rows
from bochner.fitting import FittedClassifier
from bochner.solvers import signs_of
from bochner.solvers.exact_ridge import Patience
from bochner.theory import Certificate
from bochner.theory.base import check_delta

__all__ = ["CertifiedClassifier"]


class CertifiedClassifier:
    """`certify` of classifiers; training rows are recognised by checksum."""

    classes_: Array
    class_weight: Any
    fit_intercept: bool
    loss_: str
    max_iter: int
    seed_: int
    _rows_chose_scales: bool
    _fit_value: Callable[[], FittedClassifier]
    _require_settings_of_fit: Callable[[], None]
    _row_weights: Callable[[Array, Array, Array | None, Array | None], Array]

    def certify(
        self,
        X: Any,
        *,
        y: Any = None,
        sample_weight: Any = None,
        X_new: Any = None,
        delta: float = 0.01,
        independent: bool = True,
        tighten: bool = True,
    ) -> Certificate:
        """Certificate of the distance of the scores to the exact kernel machine with the same loss and penalty.

        With the rows, labels and weights of the fit: by the duality gap of the *exact* kernel problem, without
        probability (`bochner.theory.distance.ClassifierDistance`; with the squared error, `RidgeDistance`). It takes a
        product or two with the exact kernel matrix, in tiles. Without `y`, and for other rows, the certificate is one
        of the kernel only, and says so.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a scan, or a Dask array
            The training rows, in any order, or other rows.
        y : array-like of shape (n_samples,), default=None
            The training labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the fit, if it had some; class weights are known.
        X_new : array-like of shape (n_new, n_features), default=None
            Other rows: with `X` and `y`, the `others` have the distance at these rows, computed, and, if they are
            independent draws from one law, a limit on its 95 % quantile.
        delta : float, default=0.01
            Failure probability of the statements that have one.
        independent : bool, default=True
            As in `FourierFeatures.certify`.
        tighten : bool, default=True
            Solve the problem once more, on landmarks of the exact kernel (all rows, if there are at most 4,000): its
            dual variables usually have a far smaller gap.

        Returns
        -------
        certificate : Certificate
        """
        fit = self._fit_value()
        check_delta(delta)
        self._require_settings_of_fit()
        context = CertificateContext(independent=independent, scale_is_of_rows=self._rows_chose_scales)
        features, scores = certified_features(fit.features), fit.response()
        rows = self._rows_to_certify(X, y, sample_weight)
        if rows.Y.shape[1] == 0:
            if X_new is not None:
                raise InvalidDataError("The distance at X_new needs the training labels: give y as well.")
            context = replace(context, at_rows_of_fit=rows.difference is None)
            kernel = features.certify_kernel(rows.X, delta, context)
            return replace(kernel, instead=rows.difference or "no labels were given")
        new = None if X_new is None else new_rows(self, X_new)
        if self.loss_ == "squared_error":
            signed = replace(rows, Y=signs_of(rows.Y[:, 0].astype(np.intp), len(self.classes_)))
            machine = self._certified_least_squares(features, context, signed)
            return certify_ridge(machine, signed, scores, new, delta=delta, patience=Patience())
        model = self._certified_model(features, context, rows)
        return certify_classifier(model, rows, scores, new, delta=delta, tighten=tighten)

    def _certified_least_squares(
        self, features: MapTransformer, context: CertificateContext, rows: CertifiedRows
    ) -> RidgeModel:
        weight, alpha = float(rows.weight.sum()), self._fit_value().alpha
        return RidgeModel(
            features, context, alpha, self.fit_intercept, None, None, weight, on=" on signs of the classes"
        )

    def _certified_model(
        self, features: MapTransformer, context: CertificateContext, rows: CertifiedRows
    ) -> ClassifierModel:
        fit = self._fit_value()
        if fit.prior is not None:
            raise AssumptionError("A model of partial_fit approximates that of all rows: no distance is certified.")
        return ClassifierModel(
            features=features,
            context=context,
            loss=self.loss_,
            alpha=fit.alpha,
            intercept=self.fit_intercept,
            n_classes=len(self.classes_),
            offsets=np.asarray(fit.solution.intercept, dtype=float),
            dual=self._dual_of(rows),
            max_iter=self.max_iter,
            seed=self.seed_,
        )

    def _dual_of(self, rows: CertifiedRows) -> Array | None:
        """Dual variables, where the model has them: feasible for these rows in any order, good in the order of the fit.

        Those of an exact model are its coefficients: of a hinge loss times the signs. Where rows outside the margin
        have none, they are the slopes of the squared hinge.
        """
        fit = self._fit_value()
        solution, dual = fit.solution, fit.solution.dual
        if fit.feature_map.kernel_values is not None:
            signs = 1.0 if self.loss_ == "logistic" else signs_of(rows.Y[:, 0].astype(np.intp), len(self.classes_))
            if len(solution.coef) == rows.n_rows:
                return fit.alpha * signs * solution.coef
            if self.loss_ == "squared_hinge":
                short: Array = np.maximum(0, 1 - signs * fit.response()(rows.X))
                return 2 * rows.weight[:, None] * short
        if dual is None or rows.kept.max(initial=-1) >= len(dual):
            return None
        return fit.alpha * dual[rows.kept]

    def _rows_to_certify(self, X: Any, y: Any, sample_weight: Any) -> CertifiedRows:
        """The rows with their labels as numbers, and how they differ from those of the fit."""
        source = open_rows(X, y, sample_weight)
        if source is not None:
            adopt_columns(self, source, reset=False)
            X, y, sample_weight = _parts(in_memory(source))
        X = validated_rows(self, X, reset=False)
        weight = check_sample_weight(sample_weight, X)
        fit = self._fit_value()
        of_fit = fit.row_identity
        if y is None:
            rows = ArrayRows(X, np.empty((X.shape[0], 0)), weight, X.dtype)
            found = certified_rows(rows, of_fit, targets=False, weights=None)
            partial = "partial_fit approximates the model of all rows, and keeps none of them in mind"
            return replace(found, difference=partial) if fit.prior is not None else found
        labels = self._labels(column_or_1d(y), X.shape[0], weight)
        weights = self._row_weights(self.classes_[labels], labels, weight, None)
        origin = "the sample weights" if self.class_weight is None else "the labels or the sample weights"
        return certified_rows(ArrayRows(X, labels, weights, X.dtype), of_fit, targets=True, weights=origin)

    def _labels(self, y: Array, n_rows: int, weight: Array | None) -> Array:
        """Labels as numbers; those of rows of weight 0 may be of any class."""
        if len(y) != n_rows:
            raise InvalidDataError(f"X and y must have the same length. Got {n_rows} and {len(y)}.")
        known = np.isin(y, self.classes_)
        counts = np.ones(n_rows, dtype=bool) if weight is None else np.asarray(weight) > 0
        if np.any(counts & ~known):
            unseen = y[counts & ~known][0]
            raise InvalidDataError(f"y must have the classes {list(self.classes_)} only. Got {unseen!r}.")
        return np.searchsorted(self.classes_, np.where(known, y, self.classes_[0]))


def _parts(rows: ArrayRows) -> tuple[Any, Array | None, Array | None]:
    return rows.X, rows.Y[:, 0] if rows.n_targets else None, rows.sample_weight
