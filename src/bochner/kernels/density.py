"""Spectral densities, and the aliases of a kernel on a lattice: what equispaced frequencies need to know of it.

    k(delta) = int p(omega) cos(omega . delta) d omega,      p >= 0,   int p = k(0)

Frequencies 2 pi j / P on a lattice, with the weights p times the volume of a cell, sum to the periodic kernel
(Poisson), k(delta) + sum over n != 0 of k(delta + n P). The second sum is the aliasing error. All kernels here decrease
in every |delta_a|, so that over |delta_a| <= width_a it is at most

    sum over n != 0 of k(max(0, |n_a| P_a - width_a))

summed over some shells of the lattice, with a closed bound on the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product as lattice
from math import exp, lgamma, log, pi

import numpy as np
from scipy.special import kve

from bochner._typing import Array
from bochner.errors import AssumptionError

__all__ = ["CoordinateDensity", "ExponentialTail", "PowerTail", "RadialDensity", "SpectralDensity", "WeightedDensities"]

_SHELLS = 8  # of the lattice that are summed one by one
_ROUNDING = 1 + 1e-11  # far above the errors of sums and Bessel functions


class SpectralDensity(ABC):
    """Density of the spectral measure on R^d, of integral k(0).

    Attributes
    ----------
    shortest, longest : array of shape (d,)
        Least and largest length scale of every axis.
    variance : float
        k(0).
    """

    shortest: Array
    longest: Array
    variance: float

    @abstractmethod
    def at(self, omega: Array) -> Array:
        """Values at frequencies (N, d)."""

    @abstractmethod
    def images(self, period: Array, width: Array) -> float:
        """Upper bound on the sum over n != 0 of k(delta + n period), over all |delta_a| <= width_a <= period_a."""


class Tail(ABC):
    """How a decreasing profile ends: closed bounds on sums far out."""

    @abstractmethod
    def beyond(self, value: float, r: float, step: float, first: int, d: int) -> float:
        """At least sum_i 2 d (first + 2 i)^(d - 1) k(r + i step), i >= 0, for a profile with k(r) = value."""


@dataclass(frozen=True)
class ExponentialTail(Tail):
    """k(r + x) <= k(r) exp(-rate(r) x). The sum is geometric, as (first + 2 i) <= first exp(2 i / first)."""

    rate: Callable[[float], float]

    def beyond(self, value: float, r: float, step: float, first: int, d: int) -> float:
        ratio = exp(2 * (d - 1) / first - min(self.rate(r) * step, 700.0))
        return 2 * d * first ** (d - 1) * value / (1 - ratio) if ratio < 1 else np.inf


@dataclass(frozen=True)
class PowerTail(Tail):
    """k(r) <= factor r^-power. With first + 2 i <= c (r + i step) and power > d, the sum is below an integral."""

    factor: float
    power: float

    def beyond(self, value: float, r: float, step: float, first: int, d: int) -> float:
        c, left = max(first / r, 2 / step), self.power + 1 - d
        return 2 * d * c ** (d - 1) * self.factor * (r**-left + r ** (1 - left) / (step * (left - 1)))


@dataclass(frozen=True, eq=False)
class RadialDensity(SpectralDensity):
    """Density of a kernel of scaled distance, p(omega) = radial(||omega * scale||) * prod scale, with k(0) = 1."""

    scale: Array
    radial: Callable[[Array], Array]
    profile: Callable[[Array], Array]
    tail: Tail
    variance: float = 1.0

    @property
    def shortest(self) -> Array:  # type: ignore[override]
        return self.scale

    longest = shortest  # type: ignore[assignment]

    def at(self, omega: Array) -> Array:
        return self.radial(np.sqrt(np.sum(np.square(omega * self.scale), axis=1))) * np.prod(self.scale)

    def images(self, period: Array, width: Array) -> float:
        P, W, d = period / self.scale, width / self.scale, len(self.scale)
        n, times = _shells(d)
        r = np.linalg.norm(np.maximum(n * P - W, 0.0), axis=1)
        far = float(np.min((_SHELLS + 1) * P - W))
        if far <= 0:
            return np.inf
        rest = self.tail.beyond(float(self.profile(np.array([far]))[0]), far, float(P.min()), 2 * _SHELLS + 3, d)
        return float(times @ self.profile(r) + rest) * _ROUNDING


@dataclass(frozen=True, eq=False)
class CoordinateDensity(SpectralDensity):
    """Density of a product of kernels of one axis each; `alias` bounds the images of one, at scaled period and width.

    sum over n != 0 of prod_a k_a = prod_a (k_a + images_a) - prod_a k_a <= prod_a (1 + images_a) - 1.
    """

    scale: Array
    marginal: Callable[[Array], Array]
    alias: Callable[[float, float], float]
    variance: float = 1.0

    @property
    def shortest(self) -> Array:  # type: ignore[override]
        return self.scale

    longest = shortest  # type: ignore[assignment]

    def at(self, omega: Array) -> Array:
        return np.prod(self.marginal(omega * self.scale) * self.scale, axis=1)

    def images(self, period: Array, width: Array) -> float:
        each = [self.alias(float(p), float(w)) for p, w in zip(period / self.scale, width / self.scale)]
        return float(np.expm1(np.sum(np.log1p(each)))) * _ROUNDING


@dataclass(frozen=True, eq=False)
class WeightedDensities(SpectralDensity):
    """Density of a sum of kernels with positive factors."""

    parts: tuple[SpectralDensity, ...]
    factors: tuple[float, ...]

    @property
    def variance(self) -> float:  # type: ignore[override]
        return sum(factor * part.variance for factor, part in zip(self.factors, self.parts))

    @property
    def shortest(self) -> Array:  # type: ignore[override]
        return np.min([part.shortest for part in self.parts], axis=0)

    @property
    def longest(self) -> Array:  # type: ignore[override]
        return np.max([part.longest for part in self.parts], axis=0)

    def at(self, omega: Array) -> Array:
        return np.sum([factor * part.at(omega) for factor, part in zip(self.factors, self.parts)], axis=0)

    def images(self, period: Array, width: Array) -> float:
        return sum(factor * part.images(period, width) for factor, part in zip(self.factors, self.parts))


@cache
def _shells(d: int) -> tuple[Array, Array]:
    """|n| of the first shells of the lattice but 0, and how many n have it."""
    n = np.array(list(lattice(range(_SHELLS + 1), repeat=d)))[1:]
    return n, 2.0 ** np.count_nonzero(n, axis=1)


def normal_density(scale: Array, profile: Callable[[Array], Array]) -> RadialDensity:
    """Of the Gaussian kernel: exp(-(r + x)^2 / 2) <= exp(-r^2 / 2) exp(-r x)."""
    d = len(scale)
    return RadialDensity(scale, lambda s: np.exp(-(s**2) / 2) / (2 * pi) ** (d / 2), profile, ExponentialTail(float))


def student_density(scale: Array, profile: Callable[[Array], Array], nu: float) -> RadialDensity:
    """Of the Matern kernel: a Student t law of 2 nu degrees of freedom.

    With t = sqrt(2 nu) r, -d log k / dt = K_{nu-1}(t) / K_nu(t), which increases to 1 for nu > 1/2 and decreases to 1
    below (Ismail & Muldoon 1978): its value at t, or 1, is a rate from there on.
    """
    d = len(scale)
    constant = exp(lgamma(nu + d / 2) - lgamma(nu) - d / 2 * log(2 * pi * nu))

    def rate(r: float) -> float:
        t = np.sqrt(2 * nu) * r
        return float(np.sqrt(2 * nu) * (kve(nu - 1, t) / kve(nu, t) if nu > 0.5 else 1.0))

    def radial(s: Array) -> Array:
        return constant * (1 + s**2 / (2 * nu)) ** -(nu + d / 2)

    return RadialDensity(scale, radial, profile, ExponentialTail(rate))


def bessel_density(
    scale: Array, profile: Callable[[Array], Array], alpha: float, matern: Callable[[Array, float], Array]
) -> RadialDensity:
    """Of the rational quadratic kernel: with mu = alpha - d/2 and m_mu the Matern profile t^mu K_mu(t) of value 1 at 0,

    p(s) = (alpha / 2 pi)^(d/2) Gamma(mu) / Gamma(alpha) m_mu(sqrt(2 alpha) s),   k(r) <= (2 alpha)^alpha r^(-2 alpha)
    """
    d = len(scale)
    mu = alpha - d / 2
    if mu <= 0:
        raise AssumptionError(
            f"RationalQuadratic(alpha={alpha:g}) in {d} dimensions decays too slowly for equispaced frequencies: the "
            f"sum of its images on a lattice is infinite. Take alpha above {d / 2:g}, or a Matern kernel."
        )
    constant = exp(d / 2 * log(alpha / (2 * pi)) + lgamma(mu) - lgamma(alpha))

    def radial(s: Array) -> Array:
        return constant * matern(np.sqrt(2 * alpha) * s, mu)

    return RadialDensity(scale, radial, profile, PowerTail((2 * alpha) ** alpha, 2 * alpha))


def laplace_alias(period: float, width: float) -> float:
    """2 sum_n exp(-(n P - W)), n >= 1: of the Laplacian kernel."""
    return float(2 * np.exp(width - period) / -np.expm1(-period))


def cauchy_alias(period: float, width: float) -> float:
    """2 sum_n 1 / (1 + (n P - W)^2), n >= 1: of the Cauchy kernel; the rest is below 1 / (P (N P - W))."""
    n = np.arange(1, 1000)
    last = n[-1] * period - width
    return float(2 * (np.sum(1 / (1 + (n * period - width) ** 2)) + 1 / (period * last))) if last > 0 else np.inf
