"""Supremum of the error along a line: from the slope of exp(lambda f), without a cover; Li & Honorio's case d = 1.

With f = s - k, f(0) = 0 and F = exp(lambda f) - 1, sup F over [0, R] is at most the integral of abs(F').
Markov's and Hoelder's inequalities, 1/p + 1/q = 1, and log E exp(lambda f) <= v lambda^2 / (2m), `theory.sub_gaussian`:

    P(sup f >= eps)  <=  lambda R ||f'||_p exp(q v lambda^2 / (2m)) / (exp(lambda eps) - 1)         for every lambda > 0

||f'||_2 <= sigma_p / sqrt(m) for every kernel. For normal frequencies of variance 1 a term of f' has variance at most 1
and fourth moment at most (3^(1/4) + e^(-1/2))^4 < 13.7, and by symmetrisation and contraction ||f'||_p is at most twice
the norm of a normal variable of variance 1/m. The error is even, so [0, R] is the whole line segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from bochner.theory.base import Evidence, Source, Status, require
from bochner.theory.pointwise import IID
from bochner.theory.region import REGION, SECOND_MOMENT, UniformBound
from bochner.theory.sources import BOCHNER
from bochner.theory.sub_gaussian import variance_proxy

__all__ = ["LineSupremum"]

_LAMBDA = np.geomspace(1e-2, 1e9, 4000)
_POWERS = (8, 16, 32, 64, 128)


@dataclass(frozen=True, kw_only=True)
class LineSupremum(UniformBound):
    """Inputs of one dimension, paired; any kernel whose spectral measure has a second moment.

        2 min over lambda, p of lambda R ||f'||_p exp(q v lambda^2 / (2m)) / (exp(lambda eps) - 1),   R = diameter

    v is 1 for any kernel, 3/4 for mixtures of Gaussian kernels, 1/2 for those; p = 2 but for the Gaussian kernel.

    Examples
    --------
    >>> from bochner.kernels import Gaussian
    >>> LineSupremum(kernel=Gaussian(), n_features=1, diameter=6.0).features_needed(eps=0.1, delta=0.05)
    1878
    """

    statement: ClassVar[str] = (
        "P(sup over a line |s - k| >= eps) <= 2 lambda R ||f'||_p exp(q v lambda^2/(2m))/(exp(lambda eps) - 1), "
        "for all lambda > 0"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "slope of the exponential of the error")
    assumptions: ClassVar[tuple[str, ...]] = (IID, REGION, SECOND_MOMENT, "inputs on a line", "paired embedding")
    evidence: ClassVar[Evidence] = Evidence.COMPUTER_ASSISTED

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.n_features == 1, "inputs on a line (n_features = 1)", self.n_features)
        require(self._paired, "the paired embedding", self.embedding)
        self._region_kernel.sigma_p(1)

    def _tail(self, eps: float, m: int) -> float:
        rise = _LAMBDA * eps
        log_share = np.log(_LAMBDA * self.diameter) - rise - np.log(-np.expm1(-rise))
        v = variance_proxy(self._normalised, "paired")
        best = min(
            float(np.min(log_share + np.log(norm) + p / (p - 1) * v * _LAMBDA**2 / (2 * m)))
            for p, norm in self._slopes(m)
        )
        return float(2 * np.exp(min(best, 0.0)))

    def _slopes(self, m: int) -> list[tuple[int, float]]:
        """p, and a bound on ||f'||_p at any point."""
        unit = self._region_kernel.sigma_p(1) / np.sqrt(m)
        if not self._normalised.is_gaussian:
            return [(2, unit)]
        higher = [(p, 2 * _normal_norm(p) * unit) for p in _POWERS]
        return [(2, unit), (4, float(3 + 10.7 / m) ** 0.25 * unit), *higher]


def _normal_norm(p: int) -> float:
    """(E |g|^p)^(1/p) of a standard normal g."""
    return float(np.sqrt(2) * np.exp((gammaln((p + 1) / 2) - np.log(np.pi) / 2) / p))
