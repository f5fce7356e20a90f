"""Sizes of errors as a power of the model's standard deviations, learned from leave-one-out errors.

    E |y - f(x)| = c s(x)^p,      minimise over p   log mean_i(|e_i| s_i^-p) + p mean_i(log s_i) + (p - 1)^2 tau / (2 m)

the likelihood of Laplace's law with c at its best, a convex function of p, and a weak normal prior around 1, the power
of a model that is right. A kernel that is too smooth or too rough for its data knows which rows are far from others,
but not how fast errors grow there: in the gaps of a satellite image intervals of 90 % held 74 % of the pixels with
p = 1, and 89 % with the power that rows of the image had. Deviations far outside the range of those of the rows that
were left out grow as they are, without the power: away from the data intervals are neither lost nor blown up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array

__all__ = ["DeviationPower"]

_PRIOR = 4.0  # tau: rows that say p = 1, by one unit of the logarithm of a deviation
_POWERS = 0.0, 3.0
_SEEN, _MARGIN = (0.01, 0.99), 1.5  # quantiles of the deviations of rows that are left out, and a factor beyond them
_STEPS, _LONGEST = 50, 0.5


@dataclass(frozen=True)
class DeviationPower:
    """Sizes of errors s min(max(s, low), high)^(power - 1) at standard deviations s, up to a constant.

    Attributes
    ----------
    power, low, high : arrays of shape (t,)
        Of every target; deviations of rows that were left out are between `low` and `high`, but for a few.
    """

    power: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, errors: Array, deviations: Array) -> DeviationPower:
        """Learned from leave-one-out errors (m, t) and their standard deviations (m, t)."""
        low, high = np.quantile(deviations, _SEEN, axis=0)
        low, high = low / _MARGIN, high * _MARGIN
        within = np.log(np.clip(deviations, low, high))
        powers = [_power(np.abs(e), s) for e, s in zip(errors.T, within.T, strict=True)]
        return cls(np.clip(powers, *_POWERS), low, high)

    def __call__(self, deviations: Array) -> Array:
        """Sizes (n, t) of errors at standard deviations (n, t)."""
        sizes: Array = deviations * np.clip(deviations, self.low, self.high) ** (self.power - 1)
        return sizes


def _power(sizes: Array, logarithms: Array) -> float:
    """The power of one target, by Newton's method; 1 if all deviations are the same or there are no errors."""
    centred, m = logarithms - np.mean(logarithms), len(sizes)
    if not np.any(sizes) or not np.all(np.isfinite(centred)):
        return 1.0
    power = 1.0
    for _ in range(_STEPS):
        part = sizes * np.exp(-power * centred)
        part /= part.sum()
        mean = float(part @ centred)
        curvature = float(part @ (centred - mean) ** 2) + _PRIOR / m
        step = (_PRIOR / m * (power - 1) - mean) / curvature
        power -= float(np.clip(step, -_LONGEST, _LONGEST))
        if abs(step) < 1e-9:
            break
    return power
