"""Features of dot-product kernels by random products (Kar & Karnick 2012) and by positive exponentials."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, JsonDict, Rows
from bochner.errors import AssumptionError, InvalidDataError, invalid_parameter
from bochner.features.base import FeatureMap, gemm_tile_width
from bochner.kernels.dot_product import DotProduct, Exponential
from bochner.memory import MemoryBill, require_memory, row_slices
from bochner.sampling.projection import multiplied

__all__ = [
    "MaclaurinMap",
    "PositiveMap",
    "draw_maclaurin_map",
    "draw_positive_map",
    "require_numbers",
    "squared_norms",
]

_HIGHEST = 200
"""Degree beyond which a series is cut off where it has no end: 1 / 200! is 1e-375."""

_LARGEST_NORM = 100.0
"""Mean squared norm of rows up to which nothing of a series lies beyond: a Poisson law of mean 100 ends before 200."""

_ROWS = 4096  # whose norms are computed at once


@dataclass(frozen=True)
class MaclaurinMap(FeatureMap):
    """Products of random signs: of f(t) = sum_n a_n t^n, each feature has one degree n, drawn with probability p_n.

        z_i(x) = sqrt(a_n / (p_n D)) prod_{l = 1 ... n} (s_il . u x),      s_il in {-1, 1}^d,      n = n_i

    E z(x).z(y) = f((u x).(u y)) for any p_n > 0 wherever a_n > 0, since E (s.x)(s.y) = x.y.

    Features are in the order of their degrees, the highest first. The signs of the l-th factors are one block of
    columns, for all features that have one: the first factors are a GEMM into the output, with the amplitudes in its
    matrix, and the others a second one.

    Attributes
    ----------
    kernel : DotProduct
    signs : array of shape (d, sum of the degrees), int8
    degrees : array of shape (D,), int64
    amplitude : array of shape (D,), float64
    """

    kernel: DotProduct
    signs: Array
    degrees: Array
    amplitude: Array
    _cast: dict[FloatType, tuple[Array, Array, Array]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_components(self) -> int:
        return len(self.degrees)

    @property
    def scratch_width(self) -> int:
        return int(self.signs.shape[1] - self._counts()[0])

    @property
    def tile_width(self) -> int:
        return gemm_tile_width(max(self.n_components, self.scratch_width), len(self.signs))

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        from bochner.features import _sketch_loops

        counts, (first, others, constant) = self._counts(), self._factors(out.dtype)
        linear = out[:, : counts[0]]
        product = multiplied(X, first, linear)
        if product is not linear:  # of sparse rows
            linear[...] = product
        out[:, counts[0] :] = constant
        if others.shape[1]:
            _sketch_loops.multiply_factors(multiplied(X, others, scratch), counts[1:], out)

    def check_rows(self, X: Rows) -> None:
        require_numbers(self.kernel, X)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.signs.size * (1 + dtype.itemsize)

    def kappa(self, X: Rows) -> float:
        """max_n sqrt(a_n / p_n) l^n, l the largest sum of absolute values of a row, in the unit of the kernel.

        abs(s.x) <= l. The probabilities p_n are those of the rows of the fit.
        """
        limit, drawn = self.kernel.degree_limit, np.unique(self.degrees)
        if limit is None:
            raise AssumptionError("Products of the infinitely many degrees of this kernel are not bounded.")
        missing = set(np.flatnonzero(self.kernel.coefficients(np.arange(limit + 1)) > 0)) - set(drawn)
        if missing:
            raise AssumptionError(f"No feature has the degrees {sorted(map(int, missing))}: draw a wider map.")
        unit = np.broadcast_to(np.abs(self.kernel.unit(X.shape[1])), (X.shape[1],))
        reach = float(np.max(np.abs(dense(X, float)) @ unit, initial=0.0))
        return float(np.max(self.amplitude * reach**self.degrees) * np.sqrt(self.n_components))

    def _counts(self) -> Array:
        """Number of features that have an l-th factor, l = 1, 2, ..."""
        highest = max(1, int(self.degrees.max(initial=0)))
        return np.array([np.count_nonzero(self.degrees > degree) for degree in range(highest)], dtype=np.int64)

    def _factors(self, dtype: FloatType) -> tuple[Array, Array, Array]:
        """First factors, with the amplitudes, and the other ones, in the unit of the kernel; features of degree 0."""
        if dtype not in self._cast:
            d, many = len(self.signs), int(self._counts()[0])
            signs = self.signs * np.broadcast_to(self.kernel.unit(d), (d,))[:, None]
            first = np.ascontiguousarray(signs[:, :many] * self.amplitude[:many], dtype)
            others = np.ascontiguousarray(signs[:, many:], dtype)
            self._cast[dtype] = first, others, self.amplitude[many:].astype(dtype)
        return self._cast[dtype]

    def __getstate__(self) -> JsonDict:
        return {name: value for name, value in vars(self).items() if name != "_cast"}

    def __setstate__(self, state: JsonDict) -> None:
        self.__dict__.update(state, _cast={})


def draw_maclaurin_map(
    kernel: DotProduct, *, n_features: int, n_components: int, squared_norm: float, seed: int
) -> MaclaurinMap:
    """Draw a map; degrees have the shares of their terms in f at a squared norm s: p_n = a_n s^n / f(s).

    At rows of that norm (in the unit of the kernel) all degrees then have features of one size. For the exponential
    kernel this is Poisson's law.
    """
    shares = _shares(kernel, squared_norm)
    degrees = generator(seed, Purpose.DEGREES).choice(len(shares), size=n_components, p=shares)
    degrees = -np.sort(-degrees)
    require_memory(
        MemoryBill({"random signs": 3 * n_features * int(degrees.sum())}), "Lower n_components, or the degree."
    )
    signs = generator(seed, Purpose.SIGNS).integers(0, 2, (n_features, int(degrees.sum())), dtype=np.int8) * 2 - 1
    weights = kernel.coefficients(degrees) / (shares[degrees] * n_components)
    return MaclaurinMap(kernel, signs.astype(np.int8), degrees.astype(np.int64), np.sqrt(weights))


def _shares(kernel: DotProduct, squared_norm: float) -> Array:
    """Probabilities of the degrees 0, 1, ..."""
    if kernel.degree_limit is None and squared_norm > _LARGEST_NORM:
        raise InvalidDataError(
            f"Maclaurin features of {kernel} need rows with a mean squared norm of {_LARGEST_NORM:.0f} at most, in the "
            f"unit of the kernel. Got {squared_norm:.3g}: scale the rows, or the kernel."
        )
    highest = _HIGHEST if kernel.degree_limit is None else kernel.degree_limit
    degrees = np.arange(highest + 1)
    coefficients = kernel.coefficients(degrees)
    if not np.all(np.isfinite(coefficients)):
        raise invalid_parameter(kernel, "degree", "1,000 or less: coefficients beyond are no numbers", highest)
    with np.errstate(divide="ignore"):
        logs = np.log(coefficients) + degrees * np.log(max(squared_norm, np.finfo(float).tiny))
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    present = coefficients > 0
    least = 1e-3 / float(present.sum())  # rows of another norm need the other degrees, too
    shares = np.where(present, np.maximum(shares, least if kernel.degree_limit is not None else 0.0), 0.0)
    return shares / shares.sum()


def require_numbers(kernel: DotProduct, X: Rows) -> None:
    """Refuse rows whose kernel values are no numbers in their float type: neither are their features."""
    unit = np.broadcast_to(kernel.unit(X.shape[1]), (X.shape[1],))
    norms = [np.max(squared_norms(X[some], unit)) for some in row_slices(X.shape[0], _ROWS)]
    kernel.require_numbers(float(max(norms, default=0.0)), X.dtype)


def squared_norms(X: Any, unit: Array) -> Array:
    """||u x||^2 of rows, dense or sparse, in float64."""
    squares = X.multiply(X) if hasattr(X, "multiply") else np.square(X, dtype=float)
    return np.asarray(squares @ unit**2, dtype=float)


@dataclass(frozen=True)
class PositiveMap(FeatureMap):
    """Positive features of the exponential kernel (Choromanski et al. 2021): no cancellation where the kernel is small.

        z_i(x) = exp(omega_i . u x - ||u x||^2 / 2) / sqrt(D),        omega_i normal

    E z(x).z(y) = exp((u x).(u y)).

    Attributes
    ----------
    kernel : Exponential
    omega : array of shape (D, d), float64
    """

    kernel: Exponential
    omega: Array

    @property
    def n_components(self) -> int:
        return len(self.omega)

    @property
    def scratch_width(self) -> int:
        return 0

    @property
    def tile_width(self) -> int:
        return self.n_components

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        unit = np.broadcast_to(self.kernel.unit(self.omega.shape[1]), (self.omega.shape[1],))
        exponent = multiplied(X, (self.omega * unit).T.astype(out.dtype), out)
        exponent -= (0.5 * squared_norms(X, unit)).astype(out.dtype)[:, None]
        np.exp(exponent, out=out)
        out /= np.sqrt(self.n_components).astype(out.dtype)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.omega.size * (8 + dtype.itemsize)

    def kappa(self, X: Rows) -> float:
        raise AssumptionError("Positive features are not bounded: exp(omega.x) grows with a normal omega.")


def draw_positive_map(kernel: Exponential, *, n_features: int, n_components: int, seed: int) -> PositiveMap:
    """Draw a map; a wider one with the same seed begins with its frequencies."""
    return PositiveMap(kernel, generator(seed, Purpose.NORMALS).standard_normal((n_components, n_features)))
