"""Base classes of kernels: exact values, spectral measure, and the constants of the theory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from numbers import Real
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from bochner._magnitude import largest_number, refuse_huge
from bochner._plain import require_plain
from bochner._typing import Array, ArrayLike, Rows
from bochner.errors import AssumptionError, InvalidDataError, invalid_parameter
from bochner.kernels.density import SpectralDensity
from bochner.kernels.measure import SpectralMeasure
from bochner.memory import MemoryBill, require_memory

if TYPE_CHECKING:
    from bochner.kernels.algebra import Product, Scaled, Sum
    from bochner.kernels.distance import DistanceKernel

__all__ = [
    "Kernel",
    "Stationary",
    "WithLengthScale",
    "check_positive",
    "check_scale",
    "require_stationary",
]

_SHORTEST = 1e-306  # length scale: one over it is a number


class Kernel(ABC, BaseEstimator):
    """A positive-definite function k(x, y). `kernel(X, Y)` is its exact matrix.

    Kernels are small scikit-learn objects: `get_params`, `clone` and grid search work on them.
    Stationary ones combine: `kernel + kernel`, `kernel * kernel`, `2.0 * kernel`.
    """

    stationary: ClassVar[bool] = False
    """Whether k(x, y) = k(x - y), so that there are frequencies, and tiles of exact kernel products."""

    def __call__(self, X: ArrayLike, Y: ArrayLike | None = None) -> Array:
        """Exact kernel matrix, shape (n, n) or (n, n_Y), in float64.

        Parameters
        ----------
        X : array-like of shape (n, d)
        Y : array-like of shape (n_Y, d), default=X
        """
        rows: Array = _checked_rows(X, "X")
        if Y is None:
            _require_memory(len(rows), len(rows))
            return self.settled(rows).matrix(rows, rows)
        columns: Array = _checked_rows(Y, "Y")
        if rows.shape[1] != columns.shape[1]:
            raise InvalidDataError(
                f"X and Y must have the same number of columns. Got {rows.shape[1]} and {columns.shape[1]} instead."
            )
        _require_memory(len(rows), len(columns))
        return self.matrix(rows, columns)

    def settled(self, X: Rows) -> Self:
        """The kernel with what is a rule, `Gaussian(gamma="scale")`, settled on these rows; others are as they are."""
        return self

    def matrix(self, X: Array, Y: Array) -> Array:
        """Kernel matrix (n, n_Y) of float arrays that were validated before."""
        return self._matrix(X, Y)

    def diag(self, X: ArrayLike) -> Array:
        """The diagonal of `kernel(X)`, without the rest of it."""
        return self._diagonal(_checked_rows(X, "X"))

    @abstractmethod
    def _matrix(self, X: Array, Y: Array) -> Array:
        """Kernel matrix of validated arrays."""

    @abstractmethod
    def _diagonal(self, X: Array) -> Array:
        """Diagonal of the kernel matrix of a validated array."""


class Stationary(Kernel):
    """A shift-invariant kernel: k(x, y) = k(x - y), continuous and real.

    Constants (`docs/glossary.md`): `variance` is k(0); `second_moments(d)` holds E omega_j^2 under the
    normalised spectral measure, infinite where k is not twice differentiable at 0; `sigma_p(d)` is
    sqrt(E ||omega||^2); `lipschitz(d)` is sup ||grad k||, or the best upper bound in closed form. `metric` names the
    distance that the length scale is a unit of, as SciPy does: the median heuristic measures by it.
    """

    stationary: ClassVar[bool] = True
    metric: ClassVar[Literal["euclidean", "cityblock"]] = "euclidean"

    @abstractmethod
    def at(self, delta: Array) -> Array:
        """Values at differences `delta` (..., d); shape (...)."""

    @abstractmethod
    def spectral_measure(self, d: int) -> SpectralMeasure:
        """Law of the frequencies on R^d: k(delta) = k(0) E cos(omega . delta)."""

    @abstractmethod
    def second_moments(self, d: int) -> Array:
        """E omega_j^2 for every coordinate, shape (d,); inf where there is none."""

    @abstractmethod
    def lipschitz(self, d: int) -> float:
        """Upper bound on sup ||grad k|| over R^d; inf where there is none."""

    # Optional powers: the answers of a composite kernel with k(0) = 1. A kernel that has a length scale, a factor, a
    # known sign or a profile overrides.

    has_normal_frequencies: ClassVar[bool] = False
    """The spectral measure is a normal law: the Gaussian kernel."""

    isotropic: ClassVar[bool] = False
    """k is a function of the scaled distance ||(x - y) / length_scale||."""

    @property
    def non_negative(self) -> bool:
        """k >= 0 is known. False unless a subclass overrides it."""
        return False

    @property
    def is_normal_mixture(self) -> bool:
        """The spectral measure is known to be a mixture of centred normal laws. False unless a subclass knows."""
        return self.has_normal_frequencies

    @property
    def variance(self) -> float:
        """k(0) = k(x, x); a kernel with another value than 1 overrides it."""
        return 1.0

    def spectral_density(self, d: int) -> SpectralDensity:
        """Density of the spectral measure times k(0), with bounds on its aliases; an `AssumptionError` if unknown."""
        raise AssumptionError(
            f"The spectral density of {type(self).__name__} is not known in closed form: equispaced frequencies have "
            "no weights. Use random features or landmarks, or a Matern or Gaussian kernel."
        )

    def sigma_p(self, d: int) -> float:
        """sqrt(E ||omega||^2), the curvature of k at 0; inf where the measure has no second moment."""
        return float(np.sqrt(np.sum(self.second_moments(d))))

    def multiples(self, delta: Array, n_terms: int) -> Array:
        """k(n * delta) for n = 1 ... n_terms: shape (n_terms, ...) for `delta` (..., d)."""
        n = np.arange(1.0, n_terms + 1)
        return self.at(n.reshape((-1,) + (1,) * np.ndim(delta)) * np.asarray(delta, dtype=float))

    def slopes(self, X: Array, Y: Array) -> Iterator[Array]:
        """Derivatives dk(x, y) / dx_j, shape (n, n_Y), of one column j after the other; 0 where x_j = y_j."""
        raise AssumptionError(f"Derivatives of the kernel {type(self).__name__} are not known. Use random features.")

    def of_distance(self) -> DistanceKernel | None:
        """The kernel as a function of the distance between rows in coordinates of its own, if it is one."""
        return None

    def in_fewer_columns(self) -> tuple[Stationary, Array] | None:
        """An equal kernel k'(x A, y A), with A (d, r), r < d; None: it sees as many numbers of a row as there are."""
        return None

    @property
    def is_settled(self) -> bool:
        """Whether all of the kernel is known before there are rows."""
        return True

    def without_factor(self) -> Stationary:
        """The kernel without its positive factors (`Scaled`): the same up to k(0)."""
        return self

    @abstractmethod
    def scaled_by(self, factor: float) -> Self:
        """The same kernel with every length scale multiplied by `factor`: k(delta / factor)."""

    def scales(self, d: int | None = None) -> Array | float:
        """The length scale: a float, or an array of shape (d,). A composite kernel has none of its own."""
        raise invalid_parameter(self, "length_scale", "a parameter of the kernel itself", None)

    @property
    def has_scale_per_feature(self) -> bool:
        """One length scale per feature (ARD). A composite kernel has none of its own."""
        return False

    def with_length_scale(self, length_scale: float | Array) -> Self:
        """The same kernel with this length scale. A composite kernel has none of its own."""
        raise invalid_parameter(self, "length_scale", "set on the parts of a composite kernel", length_scale)

    def _diagonal(self, X: Array) -> Array:
        return np.full(len(X), self.variance)

    def __add__(self, other: object) -> Sum:
        from bochner.kernels.algebra import Sum

        return Sum(self, other) if isinstance(other, Stationary) else NotImplemented

    def __mul__(self, other: Stationary | float) -> Product | Scaled:
        from bochner.kernels.algebra import Product, Scaled

        if isinstance(other, Stationary):
            return Product(self, other)
        return Scaled(self, other) if isinstance(other, Real) else NotImplemented

    def __rmul__(self, factor: object) -> Scaled:
        from bochner.kernels.algebra import Scaled

        return Scaled(self, float(factor)) if isinstance(factor, Real) else NotImplemented


class WithLengthScale(Stationary):
    """A stationary kernel with a `length_scale`: one number, or one per feature (ARD)."""

    length_scale: float | Array

    def scaled_by(self, factor: float) -> Self:
        return self.with_length_scale(self.scales() * factor)

    # The next three are refused or False for composite kernels only, which have no length scale.

    def with_length_scale(self, length_scale: float | Array) -> Self:
        params = {**self.get_params(deep=False), "length_scale": length_scale}
        if "gamma" in params:
            params["gamma"] = None
        return type(self)(**params)

    @property
    def has_scale_per_feature(self) -> bool:
        return np.ndim(self.scales()) == 1

    def scales(self, d: int | None = None) -> Array | float:
        """The validated length scale: a float, or an array of shape (d,)."""
        return check_scale(self, self.length_scale, d)


def check_scale(owner: object, value: object, d: int | None) -> Array | float:
    """The length scale as a positive float, or a positive array of shape (d,)."""
    scale = _numbers(owner, value)
    if scale.ndim > 1 or not np.all(np.isfinite(scale)) or not np.all(scale > 0) or scale.size == 0:
        raise invalid_parameter(owner, "length_scale", "positive and finite, one number or one per feature", value)
    if np.any(scale < _SHORTEST):
        raise invalid_parameter(owner, "length_scale", f"at least {_SHORTEST:g}: rows are divided by it", value)
    if scale.ndim == 1 and d is not None and len(scale) != d:
        raise invalid_parameter(owner, "length_scale", f"one number or {d} numbers, one per feature", value)
    return float(scale) if scale.ndim == 0 else scale


def _numbers(owner: object, length_scale: object) -> Array:
    try:
        return np.asarray(length_scale, dtype=float)
    except (TypeError, ValueError):
        raise invalid_parameter(owner, "length_scale", "a positive number or one per feature", length_scale) from None


def require_stationary(owner: object, name: str, kernel: object, *, rule: str = "a stationary kernel") -> Stationary:
    """The kernel, if it is a stationary one."""
    if not isinstance(kernel, Stationary):
        raise invalid_parameter(owner, name, rule, kernel)
    return kernel


def check_positive(owner: object, name: str, value: object) -> float:
    """A positive finite parameter as a float."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < np.inf:
        raise invalid_parameter(owner, name, "a positive finite number", value)
    return float(value)


def _checked_rows(X: ArrayLike, name: str) -> Array:
    """Finite rows in float64 whose squares are numbers, too."""
    require_plain(X, name)
    rows: Array = check_array(X, dtype=np.float64, input_name=name)
    refuse_huge(rows, name, largest_number(rows.dtype))
    return rows


def _require_memory(n: int, n_others: int) -> None:
    """Refuse a kernel matrix that does not fit in the memory budget, with the distances that it comes from."""
    size = 8 * n * n_others
    bill = MemoryBill({"kernel matrix": size, "distances": size})
    require_memory(bill, f"Take fewer rows (now {n:,} by {n_others:,}), or a feature map: FourierFeatures.")
