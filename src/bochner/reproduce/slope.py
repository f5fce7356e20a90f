"""The exponent of a power law, fitted on logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import linregress, t

from bochner.reproduce.experiment import Numbers

__all__ = ["fitted_slope", "power_law"]


def fitted_slope(x: Any, y: Any) -> Numbers:
    """Slope of a linear regression of log y on log x, with Student's 95 % interval."""
    fit = linregress(np.log(x), np.log(y))
    margin = t.ppf(0.975, len(x) - 2) * fit.stderr
    return {"estimate": float(fit.slope), "interval": [float(fit.slope - margin), float(fit.slope + margin)]}


def power_law(x: Any, y: Any, slope: float) -> Any:
    """The power law of a given slope nearest to y(x), at every x."""
    power = np.asarray(x, dtype=float) ** slope
    return power * np.exp(np.mean(np.log(y) - np.log(power)))
