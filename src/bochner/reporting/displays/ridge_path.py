"""Regularisation path display: the selection criterion along the penalties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.errors import AssumptionError, invalid_parameter
from bochner.reporting.choices import penalty_path
from bochner.reporting.displays.base import ChartDisplay
from bochner.reporting.figures import CRITERIA, criterion_chart
from bochner.reporting.svg import Chart
from bochner.reporting.view import ModelView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RidgePathDisplay"]


@dataclass(eq=False)
class RidgePathDisplay(ChartDisplay):
    """Selection criterion along the penalties, and the penalty that was chosen.

    Attributes
    ----------
    alphas, values : array
    alpha : float
        The chosen penalty.
    criterion : {"gcv", "log_evidence", "dof", "loo", "cv"}
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    alphas: Array
    values: Array
    alpha: float
    criterion: str

    @classmethod
    def from_estimator(cls, estimator: Any, *, criterion: str | None = None, ax: Axes | None = None) -> Self:
        """Draw the path of a fitted model whose penalty was chosen, not given.

        Parameters
        ----------
        estimator : KernelRegressor or KernelClassifier, or a pipeline that ends in one
        criterion : {"gcv", "log_evidence", "dof", "loo", "cv"}, default=None
            None: the one that chose the penalty.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : RidgePathDisplay
        """
        path = penalty_path(ModelView.of(estimator))
        if "missing" in path:
            raise AssumptionError(path["missing"])
        known = [name for name in CRITERIA if path.get(name) is not None]
        asked = {"evidence": "log_evidence", "auto": "loo"}.get(path["asked"], path["asked"])
        criterion = (asked if asked in known else known[0]) if criterion is None else criterion
        if criterion not in known:
            raise invalid_parameter(cls.__name__, "criterion", f"one of {known}", criterion)
        return cls(np.asarray(path["alphas"]), np.asarray(path[criterion]), path["alpha"], criterion).plot(ax)

    def _chart(self, part: JsonDict) -> Chart:
        return criterion_chart(part)
