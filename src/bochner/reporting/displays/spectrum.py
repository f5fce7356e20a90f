"""The spectrum of the features on the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.reporting.choices import spectrum
from bochner.reporting.displays.base import BLUE, GREEN, Display
from bochner.reporting.view import ModelView

__all__ = ["SpectrumDisplay"]


@dataclass(eq=False)
class SpectrumDisplay(Display):
    """Eigenvalues of the second moment of the features, per row, with the penalty: those above it are learned.

    Attributes
    ----------
    rank, eigenvalue : array
    penalty : float or None
        alpha / n.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    rank: Array
    eigenvalue: Array
    penalty: float | None

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
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
        return cls(np.asarray(part["rank"]), np.asarray(part["eigenvalue"]), part["penalty"]).plot(ax)

    def _draw(self, ax: Any) -> None:
        ax.loglog(self.rank, self.eigenvalue, "-", color=BLUE, lw=1.8, label="eigenvalue")
        if self.penalty:
            ax.axhline(self.penalty, color=GREEN, ls=":", label=f"penalty alpha / n = {self.penalty:.2g}")
        ax.set(xlabel="rank", ylabel="eigenvalue of the features' second moment")
        ax.legend(frameon=False, loc="lower left")
