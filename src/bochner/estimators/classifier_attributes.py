"""Fitted attributes of classifiers, read from the fitted value."""

from __future__ import annotations

from bochner._typing import Array
from bochner.estimators.linear_attributes import LinearAttributes
from bochner.fitting import FittedClassifier

__all__ = ["ClassifierAttributes"]


class ClassifierAttributes(LinearAttributes[FittedClassifier]):
    """Attributes of an estimator whose `fitted_` is a `FittedClassifier`."""

    loss: str

    @property
    def loss_(self) -> str:
        return self._fit_value().loss or self.loss

    @property
    def inverse_temperature_(self) -> float:
        return self._fit_value().inverse_temperature

    @property
    def coef_(self) -> Array:
        return self._fit_value().solution.coef.T

    @property
    def intercept_(self) -> Array:
        return self._fit_value().solution.intercept
