"""What a fitted ridge model says of itself, from its solution."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from bochner._typing import Array
from bochner.solvers import IterativeSolution, LowRankSpread, PredictiveSpread, RidgePath, RidgeSolution, effective_dof

__all__ = ["RidgeAttributes"]


class RidgeAttributes:
    """Attributes of a model whose `_solved()` is a solution; computed on demand after partial_fit."""

    fit_intercept: bool
    moments_: Any
    _flat_target: bool
    _row_dtype: np.dtype[Any]

    @abstractmethod
    def _solved(self) -> RidgeSolution:
        """The solution, found now if rows were added since."""

    @property
    def alpha_(self) -> float:
        return self._solved().alpha

    @property
    def coef_(self) -> Array:
        return self._solved().coef[:, 0] if self._flat_target else self._solved().coef.T

    @property
    def intercept_(self) -> Any:
        return float(self._solved().intercept[0]) if self._flat_target else self._solved().intercept

    @property
    def noise_variance_(self) -> Any:
        return float(self._solved().noise_variance[0]) if self._flat_target else self._solved().noise_variance

    @property
    def log_marginal_likelihood_(self) -> float:
        return self._solved().log_evidence

    @property
    def dof_(self) -> float:
        solution = self._solved()
        if isinstance(solution, IterativeSolution):
            return solution.dof
        return effective_dof(self.moments_, fit_intercept=self.fit_intercept, alpha=self.alpha_)

    @property
    def precision_(self) -> np.dtype[Any]:
        if self.moments_ is None:
            return self._row_dtype
        return np.dtype(np.float32 if self.moments_.precision > 1e-10 else np.float64)

    @property
    def path_(self) -> RidgePath | None:
        return self._solved().path

    @property
    def loo_errors_(self) -> Array | None:
        return self._solved().loo

    @property
    def n_iter_(self) -> int:
        solution = self._solved()
        return max(1, solution.n_iter) if isinstance(solution, IterativeSolution) else 1

    @property
    def residuals_(self) -> Array | None:
        return getattr(self._solved(), "residuals", None)

    @property
    def condition_(self) -> tuple[float, float] | None:
        return getattr(self._solved(), "condition", None)

    @property
    def spread_(self) -> PredictiveSpread | LowRankSpread:
        solution = self._solved()
        if isinstance(solution, IterativeSolution):
            return solution.spread
        return PredictiveSpread(self.moments_, fit_intercept=self.fit_intercept, alpha=solution.alpha)
