"""Base classes of uniform bounds over a region: its diameter, and covers with Markov's inequality.

`diameter` is sup ||x - y|| over the region. For a kernel with one length scale per feature it is measured in scaled
coordinates, sup ||(x - y) / length_scale||: the bounds are then those of the kernel of unit length scale.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner._dense import dense
from bochner._typing import Rows
from bochner.errors import invalid_parameter
from bochner.kernels.base import Stationary
from bochner.theory.certificate import rounded_down
from bochner.theory.normalised import KernelTailBound, NormalisedKernel, normalised

__all__ = ["REGION", "SECOND_MOMENT", "MarkovBound", "UniformBound", "diameter_of"]

REGION = "the region has the stated diameter and was fixed before the frequencies"
SECOND_MOMENT = "the spectral measure has a second moment"

_BLOCK = 2**20  # numbers at once


def diameter_of(X: Rows, kernel: Stationary) -> float:
    """Upper bound on the diameter of rows (n, d), in the coordinates in which bounds for this kernel measure it.

    The diagonal of their box, or twice the largest distance from its middle, whichever is smaller; two passes.
    """
    scales = normalised(kernel).scales_per_feature(X.shape[1])
    rows = max(1, _BLOCK // max(1, X.shape[1]))
    blocks = [slice(start, start + rows) for start in range(0, X.shape[0], rows)]
    low = np.min([dense(X[block], float).min(axis=0) for block in blocks], axis=0) / scales
    high = np.max([dense(X[block], float).max(axis=0) for block in blocks], axis=0) / scales
    middle = (low + high) / 2
    radius = max(np.max(np.linalg.norm(dense(X[block], float) / scales - middle, axis=1)) for block in blocks)
    rounding = 8 * np.finfo(float).eps * np.linalg.norm(np.maximum(np.abs(low), np.abs(high)))
    return float(min(np.linalg.norm(high - low), 2 * radius) + rounding)


@dataclass(frozen=True, kw_only=True)
class UniformBound(KernelTailBound):
    """A bound over all pairs of a region of R^d.

    Parameters
    ----------
    n_features : int
        Dimension d of the inputs.
    diameter : float
        sup ||x - y||; sup ||(x - y) / length_scale|| for a kernel with one length scale per feature.
    """

    n_features: int
    diameter: float

    quantity: ClassVar[str] = "the largest kernel error over the region"
    error_name: ClassVar[str] = "the largest kernel error"

    def __post_init__(self) -> None:
        if isinstance(self.n_features, bool) or int(self.n_features) != self.n_features or self.n_features < 1:
            raise invalid_parameter(self, "n_features", "an integer >= 1", self.n_features)
        if not 0 < self.diameter < np.inf:
            raise invalid_parameter(self, "diameter", "a positive finite number", self.diameter)

    def _claim(self) -> str:
        # Overrides: the certificate names the region by its diameter.
        scaled = " length scales" if self._normalised.has_scale_per_feature else ""
        apart = f"{rounded_down(self.diameter)}{scaled} apart"
        return f"{self.error_name} over all points at most {apart} is {{value}} in exact arithmetic"

    @property
    def _region_kernel(self) -> NormalisedKernel:
        """The kernel in the coordinates in which the diameter is measured."""
        return self._normalised.in_scaled_coordinates(self.n_features)

    def _constants(self) -> tuple[float, float]:
        """sigma_p and the Lipschitz constant of k, for k(0) = 1."""
        kernel = self._region_kernel
        return kernel.sigma_p(self.n_features), kernel.lipschitz(self.n_features)


@dataclass(frozen=True, kw_only=True)
class MarkovBound(UniformBound):
    """Covers with Markov's inequality for the Lipschitz constant: any kernel with a second moment.

    Parameters
    ----------
    largest_variance : float, default=None
        sup Var cos(omega . (x - y)) over the region; None: 1/2 for the Gaussian kernel, else 1.
    """

    largest_variance: float | None = None

    def _largest_variance(self) -> float:
        if self.largest_variance is not None:
            return float(self.largest_variance)
        return 0.5 if self._normalised.is_gaussian else 1.0

    def _ratio(self, eps: float) -> float:
        """L ell / eps, at least 1: a smaller region has a smaller supremum."""
        return max(1.0, self._mean_lipschitz() * self.diameter / eps)

    @abstractmethod
    def _mean_lipschitz(self) -> float:
        """Bound on the root mean square of the Lipschitz constant of the error."""

    def real_width(self, eps: float, delta: float) -> float:
        """D that solves bound = delta, as a real number, for k(0) = 1."""
        factor, power, constant = self._shape(eps)
        return float(factor / eps**2 * (power * np.log(self._ratio(eps)) + np.log(constant / delta)))

    @abstractmethod
    def _shape(self, eps: float) -> tuple[float, float, float]:
        """(c, p, beta) of beta ratio^p exp(-D eps^2 / c)."""

    def _tail(self, eps: float, m: int) -> float:
        factor, power, constant = self._shape(eps)
        width = 2 * m if self._paired else m
        return float(constant * self._ratio(eps) ** power * np.exp(-width * eps**2 / factor))
