"""Fitted attributes of ridge models, computed lazily from the fitted value."""

from __future__ import annotations

from typing import Any

from bochner._typing import Array, FloatType
from bochner.estimators.fitted_attributes import FittedAttributes
from bochner.fitting import FittedRidge, WidthCurve
from bochner.solvers import RidgePath, Spread
from bochner.statistics import Moments

__all__ = ["RidgeAttributes"]


class RidgeAttributes(FittedAttributes[FittedRidge]):
    """Attributes of an estimator whose `fitted_` is a `FittedRidge`; the equations are solved on demand."""

    _flat_target: bool

    def _shaped(self, values: Array) -> Any:
        """Values (t,) of the targets: a number for a single one."""
        return float(values[0]) if self._flat_target else values

    @property
    def moments_(self) -> Moments | None:
        return self._fit_value().moments

    @property
    def width_curve_(self) -> WidthCurve | None:
        return self._fit_value().width_curve

    @property
    def solver_(self) -> str:
        return self._fit_value().solver.name

    @property
    def alpha_(self) -> float:
        return self._fit_value().solution.alpha

    @property
    def coef_(self) -> Array:
        coef = self._fit_value().solution.coef
        return coef[:, 0] if self._flat_target else coef.T

    @property
    def intercept_(self) -> Any:
        return self._shaped(self._fit_value().solution.intercept)

    @property
    def noise_variance_(self) -> Any:
        return self._shaped(self._fit_value().solution.noise_variance)

    @property
    def log_marginal_likelihood_(self) -> float:
        return self._fit_value().solution.log_evidence

    @property
    def log_marginal_likelihood_error_(self) -> float:
        return self._fit_value().solution.log_evidence_error

    @property
    def dof_(self) -> float:
        return self._fit_value().dof

    @property
    def precision_(self) -> FloatType:
        return self._fit_value().precision

    @property
    def row_dtype_(self) -> FloatType:
        """Float type of the rows of the fit."""
        return self._fit_value().row_type

    @property
    def path_(self) -> RidgePath | None:
        return self._fit_value().solution.path

    @property
    def loo_errors_(self) -> Array | None:
        return self._fit_value().solution.loo

    @property
    def n_iter_(self) -> int:
        return max(1, self._fit_value().solution.iterations)

    @property
    def residuals_(self) -> Array | None:
        return self._fit_value().solution.residual_history

    @property
    def condition_(self) -> tuple[float, float] | None:
        return self._fit_value().solution.condition_numbers

    @property
    def spread_(self) -> Spread:
        return self._fit_value().spread
