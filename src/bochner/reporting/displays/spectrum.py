"""Spectrum display: eigenvalues of the second moment of the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.errors import AssumptionError
from bochner.reporting.choices import spectrum
from bochner.reporting.displays.base import ChartDisplay
from bochner.reporting.figures import spectrum_chart
from bochner.reporting.svg import Chart
from bochner.reporting.view import ModelView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SpectrumDisplay"]


@dataclass(eq=False)
class SpectrumDisplay(ChartDisplay):
    """Eigenvalues of the second moment of the features, per row, with the penalty: those above it are learned.

    Attributes
    ----------
    rank, eigenvalue : array
    penalty : float or None
        alpha / n.
    n_above_penalty : int or None
        Eigenvalues above it.
    width : int
        Number of features.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    rank: Array
    eigenvalue: Array
    penalty: float | None
    n_above_penalty: int | None
    width: int

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None) -> Self:
        """Draw the spectrum of a model that keeps its moments.

        Parameters
        ----------
        estimator : KernelRegressor or KernelPCA, or a pipeline that ends in one
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : SpectrumDisplay
        """
        part = spectrum(ModelView.of(estimator))
        if "missing" in part:
            raise AssumptionError(part["missing"])
        rank, eigenvalue = np.asarray(part["rank"]), np.asarray(part["eigenvalue"])
        return cls(rank, eigenvalue, part["penalty"], part["n_above_penalty"], part["width"]).plot(ax)

    def _chart(self, part: JsonDict) -> Chart:
        return spectrum_chart(part)
