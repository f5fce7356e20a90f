"""Calibration display of error bars: observed against nominal coverage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bochner._typing import Array, ArrayLike, JsonDict, MatrixLike
from bochner.errors import InvalidDataError
from bochner.fitting import normal_half_widths
from bochner.reporting.displays.base import ChartDisplay
from bochner.reporting.figures import coverage_chart
from bochner.reporting.svg import Chart
from bochner.reporting.validation import coverage
from bochner.reporting.view import ModelView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ErrorBarDisplay"]


@dataclass(eq=False)
class ErrorBarDisplay(ChartDisplay):
    """Share of targets inside intervals of every level, against that level.

    scikit-learn's `CalibrationDisplay` does the same for the probabilities of a classifier.

    Attributes
    ----------
    levels, observed : array
    low, high : array
        The band that chance allows an honest model.
    n_rows : int
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> import bochner as bo
    >>> y = np.random.default_rng(0).standard_normal(1000)
    >>> display = bo.ErrorBarDisplay.from_predictions(y, np.zeros(1000), np.ones(1000))
    >>> bool(np.abs(display.observed - display.levels).max() < 0.05)
    True
    """

    levels: Array
    observed: Array
    low: Array
    high: Array
    n_rows: int

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw for the intervals of a model, `predict(X, return_interval=level)`, best on rows that it has not seen.

        Parameters
        ----------
        estimator : KernelRegressor, or a pipeline that ends in one
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : ErrorBarDisplay
        """
        view = ModelView.of(estimator)
        mean, std = view.estimator.predict(view.inputs(X), return_std=True)
        return cls._of(y, mean, std, sample_weight, view.half_widths).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        mean: ArrayLike,
        std: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw for predictions and their standard deviations: intervals are those of the normal law.

        Parameters
        ----------
        y, mean, std : array-like of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array-like of shape (n_samples,), default=None
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : ErrorBarDisplay
        """
        return cls._of(y, mean, std, sample_weight, normal_half_widths).plot(ax)

    @classmethod
    def _of(
        cls,
        y: ArrayLike,
        mean: ArrayLike,
        std: ArrayLike,
        sample_weight: ArrayLike | None,
        half_widths: Callable[[Array, float], Array],
    ) -> Self:
        y, mean, std = (np.asarray(part, dtype=float) for part in (y, mean, std))
        if not y.shape == mean.shape == std.shape or len(y) == 0:
            raise InvalidDataError(f"y, mean and std must have one shape. Got {y.shape}, {mean.shape}, {std.shape}.")
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        part = coverage(y, mean, std, weight, half_widths)
        return cls(part["levels"], part["observed"], part["low"], part["high"], part["n_rows"])

    def _chart(self, part: JsonDict) -> Chart:
        return coverage_chart(part)
