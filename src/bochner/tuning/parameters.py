"""Named parameters of a tuning criterion: log length scales with noise and signal variance, or with a penalty.

Optimisers move a vector theta; everything else asks for its parts by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self, cast

import numpy as np

from bochner._typing import Array
from bochner.kernels import Isotropic, Stationary

__all__ = ["ClassifierParameters", "EvidenceParameters"]


@dataclass(frozen=True)
class EvidenceParameters:
    """theta = (log length scales, log noise variance, log signal variance), of a Gaussian process or ridge model.

    A gradient by theta has the same parts.

    Attributes
    ----------
    log_scales : array of shape (d,) or (1,)
        One per feature, or one for all.
    log_noise, log_signal : float
    """

    log_scales: Array
    log_noise: float
    log_signal: float

    @classmethod
    def from_vector(cls, theta: Array) -> Self:
        return cls(theta[:-2], theta[-2], theta[-1])

    def to_vector(self) -> Array:
        return np.append(self.log_scales, [self.log_noise, self.log_signal])

    @property
    def scales(self) -> Array:
        return np.exp(self.log_scales)

    @property
    def noise(self) -> float:
        return float(np.exp(self.log_noise))

    @property
    def signal(self) -> float:
        return float(np.exp(self.log_signal))

    def at_half_distance(self, kernel: Stationary, other: Stationary) -> Self:
        """The scales of a kernel as a start for another one: the distance at which it is a half stays."""
        return self.stretched(np.log(_half_distance(kernel) / _half_distance(other)))

    def stretched(self, log_factors: float | Array) -> Self:
        """With all scales, or each by its own, multiplied by exp(log_factors)."""
        return replace(self, log_scales=self.log_scales + log_factors)

    def with_common_scale(self) -> Self:
        """With the geometric mean of the scales as one for all features."""
        return replace(self, log_scales=np.mean(self.log_scales, keepdims=True))


@dataclass(frozen=True)
class ClassifierParameters:
    """theta = (log length scales, log penalty), of logistic regression; the penalty is alpha / n.

    Attributes
    ----------
    log_scales : array of shape (d,) or (1,)
        One per feature, or one for all.
    log_penalty : float
    """

    log_scales: Array
    log_penalty: float

    @classmethod
    def from_vector(cls, theta: Array) -> Self:
        return cls(theta[:-1], theta[-1])

    def to_vector(self) -> Array:
        return np.append(self.log_scales, self.log_penalty)

    @property
    def scales(self) -> Array:
        return np.exp(self.log_scales)

    @property
    def penalty(self) -> float:
        return float(np.exp(self.log_penalty))


def _half_distance(kernel: Stationary) -> float:
    """Scaled distance at which the kernel has fallen to a half."""
    profile = cast("Isotropic", kernel).with_length_scale(1.0).profile
    r = np.geomspace(1e-2, 1e2, 2000)
    return float(r[np.argmax(profile(r) < 0.5)])
