"""Drift display: evidence over a stream, or the contribution of each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bochner._axes import BLUE
from bochner._typing import Array, MatrixLike
from bochner.errors import AssumptionError, invalid_parameter
from bochner.estimators import DriftDetector
from bochner.estimators.drift_plot import EVIDENCE_SIZE
from bochner.reporting.displays.base import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DriftDisplay"]


@dataclass(eq=False)
class DriftDisplay(Display):
    """Drift evidence of a `DriftDetector` over its stream, or the contribution of each column.

    Attributes
    ----------
    detector : DriftDetector
    kind : {"evidence", "contributions"}
    contributions : array of shape (n_features,) or None
        Shares of the columns in the difference.
    names : tuple of str
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure
    """

    detector: DriftDetector
    kind: str
    contributions: Array | None
    names: tuple[str, ...]

    _size = EVIDENCE_SIZE

    @classmethod
    def from_estimator(
        cls, estimator: DriftDetector, X: MatrixLike | None = None, *, kind: str = "evidence", ax: Axes | None = None
    ) -> Self:
        """Plot drift evidence or column contributions of a fitted detector.

        Parameters
        ----------
        estimator : DriftDetector
        X : array-like of shape (n_samples, n_features), default=None
            A batch whose contributions to show; None: those of the window that raised the alarm.
        kind : {"evidence", "contributions"}, default="evidence"
            The evidence over the stream, or the share of every column in the difference.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : DriftDisplay
        """
        check_is_fitted(estimator)
        if kind not in ("evidence", "contributions"):
            raise invalid_parameter(cls.__name__, "kind", "'evidence' or 'contributions'", kind)
        shares = estimator.contributions_ if X is None else estimator.contributions(X)
        if kind == "contributions" and shares is None:
            raise AssumptionError("No alarm was raised, so there are no contributions: give a batch X.")
        known = getattr(estimator, "feature_names_in_", range(estimator.n_features_in_))
        names = tuple(name if isinstance(name, str) else f"column {name}" for name in known)
        return cls(estimator, kind, shares, names).plot(ax)

    def _draw(self, ax: Axes) -> None:
        if self.kind == "evidence":
            self.detector.plot(ax)
            return
        assert self.contributions is not None
        order = np.argsort(self.contributions)
        ax.barh([self.names[j] for j in order], self.contributions[order], color=BLUE)
        ax.set(xlabel="share in the difference")
