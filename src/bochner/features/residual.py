"""Gaussian process beyond features: functions of the kernel that landmarks or rows do not determine.

    r ~ GP(0, s (k(x, y) - z(x).z(y))),      r(x) = g(x) - z(x).C^-1 g(L),   g ~ GP(0, s k)

for Nystroem features z with landmarks L and K_LL = C C'; for kernel values against rows, which determine nothing by
themselves, r = g. As functions of x they are drawn with random Fourier features of the kernel in the place of g
(Wilson et al. 2020): the covariance of g is then an estimate, and all else is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.linalg import solve_triangular

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, Rows
from bochner.features.base import FeatureMap, transform
from bochner.features.fourier import FourierMap, draw_fourier_map
from bochner.features.orbit import draw_orbit_map
from bochner.kernels.base import Stationary
from bochner.sampling.monte_carlo import MonteCarlo
from bochner.sampling.quasi_monte_carlo import QuasiMonteCarlo

if TYPE_CHECKING:
    from bochner.features.nystroem import KernelMap

__all__ = ["KernelResidual", "ResidualDraws", "ResidualProcess", "draw_prior"]

_SOBOL_COLUMNS = 200  # errors of k with 4,096 features are a twentieth at d = 2, a half at 5, the same beyond 20


@dataclass(frozen=True, eq=False)
class ResidualDraws:
    """Functions g(x) = u(x).coef, drawn from the kernel.

    Attributes
    ----------
    feature_map : FeatureMap
        u.
    coef : array of shape (D_u, count)
    projected : array of shape (D, count)
        As the features of the model see them: C^-1 g(L), or g at the rows of an exact machine.
    """

    feature_map: FeatureMap
    coef: Array
    projected: Array


class ResidualProcess(Protocol):
    """Gaussian process beyond the features of a map, in units of the noise variance."""

    @property
    def scale(self) -> float:
        """Variance of the kernel's functions over k."""
        ...

    def covariance(self, X: Rows, Z: Array) -> Array:
        """Covariance (n, n) of rows with features Z."""
        ...

    def draw(self, count: int, n_components: int, seed: int) -> ResidualDraws:
        """So many functions on random Fourier features of this number, the same ones for all."""
        ...


@dataclass(frozen=True, eq=False)
class KernelResidual:
    """The process r of kernel values against landmarks or rows: a `ResidualProcess`.

    Attributes
    ----------
    values : KernelMap
        Kernel values against landmarks or rows.
    scale : float
        s, in units of the noise variance.
    factor : array of shape (L, L) or None
        C in its lower triangle; None: nothing is explained.
    """

    values: KernelMap
    scale: float
    factor: Array | None = None

    def covariance(self, X: Rows, Z: Array) -> Array:
        """s (k(x, y) - z(x).z(y)) of all pairs of rows with features Z."""
        rows = dense(X, float)
        K = transform(replace(self.values, points=rows, _cast={}), rows, np.dtype(float))
        if self.factor is not None:
            K -= Z.astype(float, copy=False) @ Z.T
        return self.scale * K

    def draw(self, count: int, n_components: int, seed: int) -> ResidualDraws:
        values = self.values
        drawn, coef = draw_prior(values.kernel, values.points.shape[1], count, n_components, seed)
        prior: FeatureMap = drawn if values.transforms is None else draw_orbit_map(drawn, values.transforms)
        coef *= np.sqrt(self.scale)
        projected = transform(prior, values.points, np.dtype(float)) @ coef
        if self.factor is not None:
            projected = solve_triangular(self.factor, projected, lower=True, check_finite=False)
        return ResidualDraws(prior, coef, projected)


def draw_prior(kernel: Stationary, d: int, count: int, n_components: int, seed: int) -> tuple[FourierMap, Array]:
    """A Fourier map u of a kernel, and coefficients (D_u, count) of functions u(x).coef drawn from its process."""
    random = generator(seed, Purpose.DRAWS)
    sizes = {"n_features": d, "n_components": n_components, "seed": int(random.integers(2**32))}
    sampler = QuasiMonteCarlo() if d <= _SOBOL_COLUMNS else MonteCarlo()
    drawn = draw_fourier_map(kernel, sampler, embedding="paired", **sizes)
    return drawn, random.standard_normal((n_components, count))
