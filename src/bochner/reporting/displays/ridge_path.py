"""The criterion along the penalties that were tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from bochner._typing import Array
from bochner.errors import AssumptionError, invalid_parameter
from bochner.reporting.choices import penalty_path
from bochner.reporting.displays.base import BLUE, ORANGE, Display
from bochner.reporting.view import ModelView

__all__ = ["RidgePathDisplay"]


@dataclass(eq=False)
class RidgePathDisplay(Display):
    """How good every penalty is, and which one was chosen.

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

    _labels: ClassVar[dict[str, str]] = {
        "gcv": "estimated squared error (GCV)",
        "loo": "squared leave-one-out error",
        "cv": "cross-validated loss",
        "log_evidence": "log evidence",
        "dof": "effective degrees of freedom",
    }

    @classmethod
    def from_estimator(cls, estimator: Any, *, criterion: str | None = None, ax: Any = None) -> Self:
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
        known = [name for name in cls._labels if path.get(name) is not None]
        asked = {"evidence": "log_evidence"}.get(path["asked"], path["asked"])
        criterion = (asked if asked in known else known[0]) if criterion is None else criterion
        if criterion not in known:
            raise invalid_parameter(cls.__name__, "criterion", f"one of {known}", criterion)
        return cls(np.asarray(path["alphas"]), np.asarray(path[criterion]), path["alpha"], criterion).plot(ax)

    def _draw(self, ax: Any) -> None:
        ax.semilogx(self.alphas, self.values, "o-", color=BLUE, ms=4, label=self._labels[self.criterion])
        if self.criterion in ("gcv", "loo") and np.nanmin(self.values) > 0:
            ax.set_yscale("log")
        ax.axvline(self.alpha, color=ORANGE, ls="--", lw=1.2, label=f"chosen: {self.alpha:.3g}")
        ax.set(xlabel="penalty alpha", ylabel=self._labels[self.criterion])
        ax.legend(frameon=False)
