"""Fitted attributes of classifiers, read from the fitted value."""

from __future__ import annotations

from bochner._typing import Array
from bochner.estimators.fitted_attributes import FittedAttributes
from bochner.fitting import FittedClassifier

__all__ = ["ClassifierAttributes"]


class ClassifierAttributes(FittedAttributes[FittedClassifier]):
    """Attributes of an estimator whose `fitted_` is a `FittedClassifier`."""

    loss: str

    @property
    def loss_(self) -> str:
        return self._fit_value().loss or self.loss

    @property
    def alpha_(self) -> float:
        return self._fit_value().alpha

    @property
    def alphas_(self) -> Array | None:
        return self._fit_value().alphas

    @property
    def cv_losses_(self) -> Array | None:
        return self._fit_value().cv_losses

    @property
    def inverse_temperature_(self) -> float:
        return self._fit_value().inverse_temperature

    @property
    def n_rows_(self) -> int:
        return self._fit_value().n_rows

    @property
    def coef_(self) -> Array:
        return self._fit_value().solution.coef.T

    @property
    def intercept_(self) -> Array:
        return self._fit_value().solution.intercept

    @property
    def objective_(self) -> float:
        return self._fit_value().solution.objective

    @property
    def dual_gap_(self) -> float:
        return self._fit_value().solution.gap

    @property
    def n_iter_(self) -> int:
        return self._fit_value().solution.n_iter
