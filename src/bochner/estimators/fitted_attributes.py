"""Fitted attributes that models share, read from the fitted value."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from sklearn.utils.validation import check_is_fitted

from bochner.features import FeatureMap
from bochner.fitting import FittedClassifier, FittedRegression, FittedRidge
from bochner.tuning import Tuning

__all__ = ["FittedAttributes"]

Fit = TypeVar("Fit", FittedRidge, FittedClassifier, FittedRegression)


class FittedAttributes(Generic[Fit]):
    """Attributes of an estimator that stores its fit as `fitted_`."""

    fitted_: Fit

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def _fit_value(self) -> Fit:
        check_is_fitted(self)
        return self.fitted_

    @property
    def features_(self) -> Any:
        return self._fit_value().features

    @property
    def feature_map_(self) -> FeatureMap:
        return self._fit_value().feature_map

    @property
    def tuning_(self) -> Tuning | None:
        return self._fit_value().tuning
