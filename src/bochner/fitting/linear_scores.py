"""Scores that are linear in features: what models of all losses but squares share."""

from __future__ import annotations

import numpy as np

from bochner._typing import Array, FloatType
from bochner.features import FeatureMap, LinearResponse
from bochner.fitting.importance import ColumnImportance, LinearModel, column_importance
from bochner.solvers import LinearSolution

__all__ = ["LinearScores"]


class LinearScores:
    """A feature map and a linear solution on it. A subclass is a dataclass with both."""

    feature_map: FeatureMap
    solution: LinearSolution

    def column_importance(self, unit: Array) -> ColumnImportance:
        """Shares of the columns in squared gradients of the scores, in units (d,), without error bars."""
        return column_importance(LinearModel(self.feature_map, self.solution.coef), unit)

    def response(self) -> LinearResponse:
        """Scores as a function of rows."""
        precision: FloatType = np.dtype(np.float32)  # that of the rows, if it is more
        return LinearResponse(self.feature_map, self.solution.coef, self.solution.intercept, precision)
