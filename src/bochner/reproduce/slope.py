"""Log-log regression: the exponent of a power law."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import linregress, t

from bochner._typing import Array
from bochner.reproduce.experiment import Numbers

__all__ = ["fitted_slope", "power_law"]


def fitted_slope(x: Sequence[float] | Array, y: Sequence[float] | Array) -> Numbers:
    """Slope of a linear regression of log y on log x, with Student's 95 % interval."""
    fit = linregress(np.log(x), np.log(y))
    margin = t.ppf(0.975, len(x) - 2) * fit.stderr
    return {"estimate": float(fit.slope), "interval": [float(fit.slope - margin), float(fit.slope + margin)]}


def power_law(x: Sequence[float] | Array, y: Sequence[float] | Array, slope: float) -> Array:
    """The power law of a given slope nearest to y(x), at every x."""
    power: Array = np.asarray(x, dtype=float) ** slope
    return power * np.exp(np.mean(np.log(y) - np.log(power)))
