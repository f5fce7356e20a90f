"""Kernel error display: approximation error against the number of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bochner._typing import Array, JsonDict, MatrixLike
from bochner.errors import AssumptionError
from bochner.reporting.approximation import kernel_error_curve
from bochner.reporting.displays.base import ChartDisplay
from bochner.reporting.figures import kernel_error_chart
from bochner.reporting.svg import Chart
from bochner.reporting.view import ModelView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KernelErrorDisplay"]


@dataclass(eq=False)
class KernelErrorDisplay(ChartDisplay):
    """Kernel error at nested widths, measured on rows, with the guarantee where one holds.

    Attributes
    ----------
    widths : array
        Numbers of features: those of the model, parts of them, and more of the same seed.
    largest, root_mean_square : array
        Over all pairs of the rows.
    guaranteed : array or None
        Bound on the largest error with probability 1 - `delta`, before looking.
    width : int
        That of the model.
    n_rows : int
    delta : float
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> import bochner as bo
    >>> X = np.random.default_rng(0).standard_normal((100, 3))
    >>> features = bo.FourierFeatures(n_components=256, random_state=0).fit(X)
    >>> display = bo.KernelErrorDisplay.from_estimator(features, X)
    >>> bool(display.largest[-1] < display.largest[0])
    True
    """

    widths: Array
    largest: Array
    root_mean_square: Array
    guaranteed: Array | None
    width: int
    n_rows: int
    delta: float

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: MatrixLike, *, delta: float = 0.01, n_rows: int = 300, ax: Axes | None = None
    ) -> Self:
        """Measure and draw.

        Parameters
        ----------
        estimator : estimator
            `FourierFeatures`, or a fitted model on them, or a pipeline that ends in one.
        X : array-like of shape (n_samples, n_features)
        delta : float, default=0.01
        n_rows : int, default=300
            Rows of X to use, at most.
        ax : matplotlib Axes, default=None

        Returns
        -------
        display : KernelErrorDisplay
        """
        curve = kernel_error_curve(ModelView.of(estimator), X, delta=delta, n_rows=n_rows)
        if "missing" in curve:
            raise AssumptionError(curve["missing"])
        guaranteed = None if curve["guaranteed"] is None else np.array(curve["guaranteed"], dtype=float)
        return cls(
            np.array(curve["widths"]),
            np.array(curve["largest"]),
            np.array(curve["root_mean_square"]),
            guaranteed,
            curve["width"],
            curve["n_rows"],
            delta,
        ).plot(ax)

    def _chart(self, part: JsonDict) -> Chart:
        return kernel_error_chart(part)
