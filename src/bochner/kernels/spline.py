"""The periodic spline kernels; their frequencies are the multiples of 2 pi / period, with power-law probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import factorial, gamma, polygamma, psi, zeta

from bochner._typing import Array
from bochner.errors import invalid_parameter
from bochner.kernels.base import WithLengthScale, check_positive
from bochner.kernels.measure import CoordinateProduct, SpectralMeasure

__all__ = ["CosineSum", "Spline"]

_LARGEST_WAVE = 2.0**52  # beyond it k t has no phase in float64


class Spline(WithLengthScale):
    """Periodic spline kernel of Wahba (1990), as in Rudi & Rosasco (2017).

        k(x, y) = Lambda_q((x - y) / length_scale),     Lambda_q(t) = 1 + 2 sum_{k >= 1} cos(2 pi k t) / k^q
        omega = 2 pi k / length_scale,                  P(k) = |k|^-q / Lambda_q(0),   P(0) = 1 / Lambda_q(0)

    Its functions have period `length_scale` and about q/2 derivatives. Orders add up under integration over a period:

        int Lambda_q(x, z) Lambda_p(z, y) dz = Lambda_{q + p}(x, y)

    With d features it is the product over the features, divided by Lambda_q(0)^(d-1), so that k(0) = Lambda_q(0) =
    1 + 2 zeta(q) whatever d. It has negative values. For q <= 3 the measure has no second moment, and for q < 2 the
    kernel is not Lipschitz.

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0
        The period: one, or one per feature. Points that differ by a period are the same to the kernel, so it must
        exceed the range of data that are not periodic.
    order : float, default=2
        q > 1. Values err by less than 1e-12 k(0), next to (but not at) an odd order by less than 1e-9 k(0).

    Examples
    --------
    >>> from bochner import Spline
    >>> Spline(order=2)([[0.0], [0.3]]).round(4)
    array([[4.2899, 0.1446],
           [0.1446, 4.2899]])
    """

    def __init__(self, length_scale: float | Array = 1.0, order: float = 2) -> None:
        self.length_scale = length_scale
        self.order = order

    @property
    def variance(self) -> float:  # Lambda_q(0), not 1: the kernel keeps the constant of its papers
        return float(1 + 2 * zeta(self._order()))

    def at(self, delta: Array) -> Array:
        delta = np.asarray(delta, dtype=float)
        values = self.waves(delta / self.scales(delta.shape[-1])) / self.variance
        return self.variance * np.prod(values, axis=-1)

    def waves(self, t: Array) -> Array:
        """Lambda_q(t), of any shape, in the float type of t."""
        return 1 + 2 * CosineSum(self._order()).at(t)

    def spectral_measure(self, d: int) -> SpectralMeasure:
        return CoordinateProduct(self.scales(d), _WaveQuantile(self._order()))

    def second_moments(self, d: int) -> Array:
        """(2 pi)^2 2 zeta(q-2) / Lambda_q(0), infinite for q <= 3."""
        q = self._order()
        mean_square = 2 * (2 * np.pi) ** 2 * zeta(q - 2) / self.variance if q > 3 else np.inf
        return np.broadcast_to(mean_square / np.square(self.scales(d)), (d,)).copy()

    def lipschitz(self, d: int) -> float:
        """Exact for one feature; for more the bound sqrt(sum_j L_j^2), as every factor is at most 1."""
        slopes = np.broadcast_to(self._steepest_slope() / self.scales(d), (d,))
        return float(np.linalg.norm(slopes))

    def _steepest_slope(self) -> float:
        """max 4 pi sum sin(2 pi k t) / k^(q-1), a concave function of t in (0, 1/2); 2 pi^2, at 0+, for q = 2."""
        q = self._order()
        if q <= 2:
            return 2 * np.pi**2 if q == 2 else np.inf
        slope = CosineSum(q).slope
        best = minimize_scalar(lambda u: slope(u), bounds=(0.0, 0.5), method="bounded", options={"xatol": 1e-10})
        return float(-2 * best.fun * (1 + 1e-9))  # the last factor covers the search tolerance

    def _matrix(self, X: Array, Y: Array) -> Array:
        scale = np.broadcast_to(self.scales(X.shape[1]), (X.shape[1],))
        product = np.full((len(X), len(Y)), self.variance)
        for j in range(X.shape[1]):  # one feature at a time: memory stays at a few n x n arrays
            product *= self.waves(np.subtract.outer(X[:, j], Y[:, j]) / scale[j]) / self.variance
        return product

    def _order(self) -> float:
        order = check_positive(self, "order", self.order)
        if not order > 1:
            raise invalid_parameter(self, "order", "greater than 1", self.order)
        return order


@dataclass(frozen=True)
class CosineSum:
    """sum_{k >= 1} cos(2 pi k u) / k^q, by the expansion of the polylogarithm about u = 0, with theta = 2 pi |u| <= pi:

        pi / (2 Gamma(q) cos(pi q / 2)) theta^(q-1) + sum_n (-1)^n zeta(q - 2n) theta^(2n) / (2n)!

    (Lindeloef; NIST 25.12.12). Terms fall as 4^-n. For even q it is finite: a Bernoulli polynomial. At odd q the first
    term and the one of theta^(q-1) have poles that cancel: next to them, a first-order expansion of their sum is used.
    """

    order: float

    _TERMS = 31
    _POLE = 5e-6  # the formula errs by 1e-16 / distance from an odd order, the expansion by its square
    _STIELTJES = -0.0728158454836767  # zeta(1 + e) = 1/e + euler_gamma - stieltjes e + ...

    def at(self, t: Array) -> Array:
        """The sum at every t, in its float type."""
        u = np.abs(t - np.round(t))
        if self.q % 2 == 0:
            return self._inside(u)
        return self._inside(u.astype(float)).astype(u.dtype)  # large terms cancel next to odd orders

    def slope(self, u: float) -> float:
        """Derivative at 0 < u <= 1/2, by a complex step: no difference is taken."""
        step = 1e-100
        return float(self._inside(np.array([u + 1j * step]))[0].imag / step)

    def _inside(self, u: Array) -> Array:
        """The sum at 0 <= u <= 1/2."""
        return self._polynomial(u * u) + self._singular(u)

    @property
    def q(self) -> float:
        """The order, up to 64."""
        return min(self.order, 64.0)  # 2^-64: only cos(2 pi u) is left

    @property
    def _half(self) -> int:
        """Half of the even number nearest to q - 1."""
        return round((self.q - 1) / 2)

    @property
    def _from_odd(self) -> float:
        return self.q - (2 * self._half + 1)

    @property
    def at_pole(self) -> bool:
        """Next to an odd order: the singular term is not a multiple of a power of u."""
        return self._half > 0 and abs(self._from_odd) < self._POLE

    @cached_property
    def coefficients(self) -> Array:
        """Coefficients of the powers of u^2."""
        n = np.arange(self._TERMS)
        safe = np.where(self.at_pole & (n == self._half), 0.5, self.q - 2 * n)
        terms = (-1.0) ** n * zeta(safe) * (2 * np.pi) ** (2 * n) / factorial(2 * n)
        terms[self.at_pole & (n == self._half)] = 0.0
        return terms

    def significant(self, eps: float) -> Array:
        """The coefficients up to the last whose term exceeds eps / 16 somewhere, u^2 <= 1/4."""
        size = np.abs(self.coefficients) * 4.0 ** -np.arange(self._TERMS)
        return self.coefficients[: np.flatnonzero(size > eps / 16)[-1] + 1]

    def singular_height(self) -> float:
        """c of the singular term c u^(q-1), away from the poles."""
        # cos(pi q / 2) without the rounding of q next to an odd number
        sine = np.sin(np.pi * self._from_odd / 2)
        return float(-((-1) ** self._half) * np.pi / (2 * gamma(self.q) * sine) * (2 * np.pi) ** (self.q - 1))

    def _polynomial(self, z: Array) -> Array:
        kept = self.significant(float(np.finfo(z.dtype).eps))
        total = np.full_like(z, kept[-1])
        for c in kept[:-1][::-1]:
            total *= z
            total += z.dtype.type(c)
        return total

    def _singular(self, u: Array) -> Array:
        q, half, e = self.q, self._half, self._from_odd
        if not self.at_pole:
            power = u * (u * u) ** int(q / 2 - 1) if q % 2 == 0 else u ** (q - 1)
            return power * u.dtype.type(self.singular_height())
        digamma, log = psi(2 * half + 1), np.log(2 * np.pi * np.maximum(u, np.finfo(u.dtype).tiny))
        first = np.pi**2 / 24 - polygamma(1, 2 * half + 1) / 2 + (log - digamma) ** 2 / 2
        bracket = np.euler_gamma + digamma - log - e * (self._STIELTJES + first)
        term: Array = (-1) ** half * (2 * np.pi * u) ** (2 * half) / factorial(2 * half) * bracket
        return term.astype(u.dtype)


@dataclass(frozen=True)
class _WaveQuantile:
    """Quantile of 2 pi k, P(k) = |k|^-q / Lambda_q(0), for u < 1/2: the largest k with P(-k or below) >= u, negated.

    P(-k or below) = zeta(q, k) / Lambda_q(0), Hurwitz's zeta function, which is (k - 1/2)^(1-q) / (q - 1) to O(k^-2).
    """

    order: float

    def __call__(self, u: Array) -> Array:
        q = self.order
        tail = u * (1 + 2 * zeta(q))
        with np.errstate(over="ignore", divide="ignore"):
            k = np.minimum(np.floor(0.5 + ((q - 1) * tail) ** (1 / (1 - q))), _LARGEST_WAVE)
        # The guess is off by one at most, to either side.
        k = np.where(zeta(q, np.maximum(k, 1)) < tail, k - 1, k)
        k = np.where(zeta(q, np.maximum(k, 0) + 1) >= tail, k + 1, k)
        return -2 * np.pi * np.clip(k, 0, _LARGEST_WAVE)
