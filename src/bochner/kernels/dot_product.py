"""Dot-product kernels k(x, y) = f(x . y): polynomials and the exponential."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from scipy.special import binom, gammaln

from bochner._typing import Array, FloatType
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.kernels.base import Kernel, check_positive, check_scale

__all__ = ["DotProduct", "Exponential", "Linear", "Polynomial"]

_ROOM = 1e-6  # of the largest number of a float type: sums of kernel values over rows are numbers, too
_DOUBLE: FloatType = np.dtype(np.float64)


class DotProduct(Kernel):
    """A kernel of the dot product of rows in its own unit: f(t) = sum_n a_n t^n at t = (u x).(u y).

    It is positive definite in every dimension if, and only if, no a_n is negative (Schoenberg 1942). A subclass gives
    f, its coefficients and the unit u.
    """

    _remedy: ClassVar[str] = "smaller unit"  # makes values smaller

    @abstractmethod
    def of_product(self, t: Array) -> Array:
        """f(t)."""

    @abstractmethod
    def coefficients(self, degrees: Array) -> Array:
        """a_n, the coefficients of the series of f, for an array of degrees n."""

    @abstractmethod
    def unit(self, d: int) -> Array | float:
        """u, the factor of every feature: a number, or an array of shape (d,)."""

    def product_of(self, value: float) -> float:
        """The t >= 0 at which f(t) is a large value; infinite where it is not known."""
        return np.inf

    @property
    def degree_limit(self) -> int | None:
        """The degree of the last term of the series; None: it has no end."""
        return None

    def require_numbers(self, largest: float, dtype: FloatType = _DOUBLE) -> None:
        """Refuse rows whose largest dot product, in the unit of the kernel, has no value in a float type."""
        if largest > self.product_of(_ROOM * float(np.finfo(dtype).max)):
            wider = "" if dtype == _DOUBLE else ", or give float64"
            raise InvalidDataError(
                f"The {type(self).__name__} kernel of these rows is no number in {dtype}: x.y in the unit of the "
                f"kernel is {largest:.3g} for some. Give a {self._remedy}, or scale the rows{wider}."
            )

    def _matrix(self, X: Array, Y: Array) -> Array:
        unit = self.unit(X.shape[1])
        return self.of_product((X * unit) @ (Y * unit).T)

    def _diagonal(self, X: Array) -> Array:
        return self.of_product(np.sum((X * self.unit(X.shape[1])) ** 2, axis=1))


class Polynomial(DotProduct):
    """Polynomial kernel, as in scikit-learn.

        k(x, y) = (gamma x.y + coef0)^degree

    Parameters
    ----------
    degree : int, default=3
    gamma : float or None, default=None
        None: 1 / n_features.
    coef0 : float, default=1.0
        Not negative: with a negative offset the kernel is not positive definite.

    Examples
    --------
    >>> from bochner import Polynomial
    >>> Polynomial(degree=2, gamma=1.0)([[1.0, 0.0], [1.0, 2.0]])
    array([[ 4.,  4.],
           [ 4., 36.]])
    """

    _remedy = "smaller gamma or degree"

    def __init__(self, degree: int = 3, *, gamma: float | None = None, coef0: float = 1.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def of_product(self, t: Array) -> Array:
        self.require_numbers(float(max(np.max(t, initial=0.0), -np.min(t, initial=0.0))))
        return (t + self._offset()) ** self.degree_limit

    def product_of(self, value: float) -> float:
        return float(value ** (1 / self.degree_limit)) - self._offset()

    def coefficients(self, degrees: Array) -> Array:
        """binom(degree, n) coef0^(degree - n)."""
        p, n = self.degree_limit, np.asarray(degrees)
        return np.where(n <= p, binom(p, n) * float(self._offset()) ** np.maximum(p - n, 0), 0.0)

    def unit(self, d: int) -> float:
        return float(np.sqrt(1 / d if self.gamma is None else check_positive(self, "gamma", self.gamma)))

    @property
    def degree_limit(self) -> int:  # a polynomial ends
        if isinstance(self.degree, bool) or not isinstance(self.degree, Integral) or self.degree < 1:
            raise invalid_parameter(self, "degree", "a whole number of 1 or more", self.degree)
        return int(self.degree)

    def _offset(self) -> float:
        if isinstance(self.coef0, bool) or not isinstance(self.coef0, Real) or not 0 <= self.coef0 < np.inf:
            raise invalid_parameter(
                self, "coef0", "0 or a positive number (with a negative one the kernel is not positive definite)",
                self.coef0,
            )  # fmt: skip
        return float(self.coef0)


class Exponential(DotProduct):
    """Exponential dot-product kernel: the Gaussian one, times exp(||x||^2 / 2) and exp(||y||^2 / 2) in its unit.

        k(x, y) = exp(x.y / length_scale^2)

    Parameters
    ----------
    length_scale : float or array of shape (n_features,), default=1.0

    Examples
    --------
    >>> from bochner import Exponential
    >>> Exponential()([[0.0], [1.0]]).round(4)
    array([[1.    , 1.    ],
           [1.    , 2.7183]])
    """

    _remedy = "larger length_scale"

    def __init__(self, length_scale: float | Array = 1.0) -> None:
        self.length_scale = length_scale

    def of_product(self, t: Array) -> Array:
        self.require_numbers(float(np.max(t, initial=0.0)))
        return np.exp(t)

    def product_of(self, value: float) -> float:
        return float(np.log(value))

    def coefficients(self, degrees: Array) -> Array:
        """1 / n!"""
        return np.exp(-gammaln(np.asarray(degrees, dtype=float) + 1))

    def unit(self, d: int) -> Array | float:
        return 1 / check_scale(self, self.length_scale, d)


class Linear(DotProduct):
    """The linear kernel k(x, y) = x.y.

    Examples
    --------
    >>> from bochner import Linear
    >>> Linear()([[1.0, 2.0], [0.0, 1.0]])
    array([[5., 2.],
           [2., 1.]])
    """

    def of_product(self, t: Array) -> Array:
        return t

    def coefficients(self, degrees: Array) -> Array:
        return (np.asarray(degrees) == 1).astype(float)

    def unit(self, d: int) -> float:
        return 1.0

    @property
    def degree_limit(self) -> int:  # one term
        return 1
