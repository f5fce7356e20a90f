"""Weak normal priors on what few rows say too surely: ratios of length scales, and of noise to signal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bochner._typing import Array
from bochner.tuning.coordinates import Loss
from bochner.tuning.parameters import EvidenceParameters

__all__ = ["Posterior", "ScalePrior"]

_LOG_NOISE_RATIO = -4.0  # centre of log(noise / signal): two per cent


@dataclass(frozen=True)
class ScalePrior:
    """Minus a log prior density over theta, per row of n, with its gradient.

        (a / n) sum_j (log l_j - mean log l)^2  +  (b / n) (log(noise / signal) - c)^2

    As many scales as columns learn few rows by heart, and the evidence then takes them for free of noise: the maximum
    is that of a posterior (Rasmussen & Williams 2006, section 5.2). Both terms vanish with n, and neither sees units.

    Attributes
    ----------
    ratios : float
        a; 1/2 is a standard deviation of 1 in the logarithm.
    noise : float
        b.
    centre: float
        c; -4 is two per cent of noise.
    """

    ratios: float
    noise: float = 0.0
    centre: float = _LOG_NOISE_RATIO

    def __call__(self, parameters: EvidenceParameters, n: float) -> tuple[float, EvidenceParameters]:
        spread = parameters.log_scales - np.mean(parameters.log_scales)
        ratio = parameters.log_noise - parameters.log_signal - self.centre
        by_ratio = 2 * self.noise * ratio / n
        value = (self.ratios * float(np.sum(spread**2)) + self.noise * ratio**2) / n
        by_scales: Array = 2 * self.ratios / n * spread
        return value, EvidenceParameters(by_scales, by_ratio, -by_ratio)


@dataclass(frozen=True)
class Posterior:
    """A criterion per row of n, and the prior beside it, over theta."""

    loss: Loss
    prior: ScalePrior
    n: float

    def __call__(self, theta: Array) -> tuple[float, Array]:
        value, gradient = self.loss(theta)
        prior, slope = self.prior(EvidenceParameters.from_vector(theta), self.n)
        return value + prior, gradient + slope.to_vector()
