"""Fitted attributes of models with an iterative linear solution: classifiers, and regressors of other losses."""

from __future__ import annotations

from typing import TypeVar

from bochner._typing import Array
from bochner.estimators.fitted_attributes import FittedAttributes
from bochner.fitting import FittedClassifier, FittedRegression

__all__ = ["LinearAttributes"]

LinearFit = TypeVar("LinearFit", FittedClassifier, FittedRegression)


class LinearAttributes(FittedAttributes[LinearFit]):
    """Attributes of an estimator whose `fitted_` has a `LinearSolution`."""

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
    def n_rows_(self) -> int:
        return self._fit_value().n_rows

    @property
    def objective_(self) -> float:
        return self._fit_value().solution.objective

    @property
    def dual_gap_(self) -> float:
        return self._fit_value().solution.gap

    @property
    def n_iter_(self) -> int:
        return self._fit_value().solution.n_iter
