"""Fitted attributes that models share, read from the fitted value."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.features import FeatureMap
from bochner.fitting import ColumnImportance, FittedClassifier, FittedRegression, FittedRidge
from bochner.kernels import DistanceKernel, Stationary
from bochner.tuning import Tuning

__all__ = ["FittedAttributes"]

Fit = TypeVar("Fit", FittedRidge, FittedClassifier, FittedRegression)


class FittedAttributes(Generic[Fit]):
    """Attributes of an estimator that stores its fit as `fitted_`."""

    fitted_: Fit
    n_features_in_: int

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
    def is_exact(self) -> bool:
        """Whether the fitted model is the exact kernel machine: kernel values against the rows, or all as landmarks."""
        asked: bool = getattr(self, "_settings_of_fit", {}).get("features") == "exact"
        return self._fit_value().feature_map.kernel_values is not None or asked

    @property
    def tuning_(self) -> Tuning | None:
        return self._fit_value().tuning

    @property
    def metric_(self) -> Array:
        """M (d, d) of a kernel of distance, k(x, y) = kappa(sqrt((x - y)'M(x - y))); of normal scores if warped."""
        kernel: Stationary | None = getattr(self._fit_value().features, "kernel_", None)
        distance: DistanceKernel | None = None if kernel is None else kernel.of_distance()
        if distance is None:
            raise AttributeError("metric_ is that of a kernel of distance, which the features of this model have not.")
        factors = distance.coordinates(np.eye(self.n_features_in_))
        return factors @ factors.T

    @property
    def column_importance_(self) -> ColumnImportance:
        """Average outer product of gradients, computed when it is asked for."""
        fit = self._fit_value()
        known = [getattr(self, "column_spreads_", None), getattr(fit.tuning, "column_spreads", None)]
        unit = next((each for each in known if each is not None), None)
        if unit is None:
            raise AttributeError("Importances need the spreads of the columns: fit rows in memory, or a metric.")
        try:
            return fit.column_importance(unit)
        except AssumptionError as refused:
            raise AttributeError(str(refused)) from refused

    @property
    def feature_importances_(self) -> Array:
        """Shares (d,) of the columns in the mean squared gradient, in units of their spreads."""
        return self.column_importance_.values

    @property
    def feature_importances_std_(self) -> Array:
        """Their standard deviations by the posterior law of the coefficients."""
        found = self.column_importance_.deviations
        if found is None:
            raise AttributeError("Importances of a classifier have no error bars.")
        return found
