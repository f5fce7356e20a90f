"""Projections x -> (omega_1 . x, ..., omega_m . x): the linear part of a Fourier map, dense or structured."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.sparse import issparse

from bochner._typing import Array, FloatType, JsonDict, Rows
from bochner.errors import AssumptionError

__all__ = ["DenseProjection", "Projection"]


class Projection(ABC):
    """Products of rows with m frequencies.

    The seam between sampler and map: a dense matrix, a structured transform (Hadamard products) and a grid are the same
    to a Fourier map, which asks for products and never for the matrix.
    """

    @property
    @abstractmethod
    def n_frequencies(self) -> int:
        """m."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """d."""

    @abstractmethod
    def project(self, X: Rows, out: Array) -> Array:
        """X omega' (b, m) in the float type of `out`; written there if X is dense."""

    @abstractmethod
    def matrix(self) -> Array:
        """omega (m, d) in float64: for certificates, graphs and files, not for products."""

    @abstractmethod
    def first(self, m: int) -> Projection:
        """The first m frequencies alone."""

    @abstractmethod
    def n_bytes(self, dtype: FloatType) -> int:
        """Bytes that are held while rows are projected in a float type."""

    # What a dense matrix can do beyond that. Structured projections have these answers.

    has_matrix: ClassVar[bool] = False
    """Whether the frequencies are a matrix in memory, which `columns` gives."""

    def columns(self, dtype: FloatType) -> Array:
        """omega' (d, m) in a float type, contiguous."""
        return np.ascontiguousarray(self.matrix().T, dtype=dtype)

    def phase_rounding(self, reach: Array, dtype: FloatType) -> Array:
        """Bound (m,) on the rounding error of omega_i . x for rows of absolute values at most reach_j in column j."""
        raise AssumptionError(f"No bound is known for the rounding errors of a {type(self).__name__}.")


@dataclass(frozen=True)
class DenseProjection(Projection):
    """A matrix of frequencies.

    Attributes
    ----------
    omega : array of shape (m, d), float64
    """

    has_matrix: ClassVar[bool] = True

    omega: Array
    _cast: dict[FloatType, Array] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n_frequencies(self) -> int:
        return len(self.omega)

    @property
    def n_features(self) -> int:
        return int(self.omega.shape[1])

    def project(self, X: Rows, out: Array) -> Array:
        return multiplied(X, self.columns(out.dtype), out)

    def matrix(self) -> Array:
        return self.omega

    def first(self, m: int) -> DenseProjection:
        return DenseProjection(self.omega[:m])

    def n_bytes(self, dtype: FloatType) -> int:
        return self.omega.size * (8 + dtype.itemsize)

    # Overrides: the matrix is kept in every float type that was asked for, and its rounding errors are known.

    def columns(self, dtype: FloatType) -> Array:
        if dtype not in self._cast:
            self._cast[dtype] = np.ascontiguousarray(self.omega.T, dtype=dtype)
        return self._cast[dtype]

    def phase_rounding(self, reach: Array, dtype: FloatType) -> Array:
        """(d + 6) u sum_j |omega_ij| reach_j: frequencies rounded to the type, d products and sums, the reduction of
        the argument; u is the unit round-off."""
        unit = float(np.finfo(dtype).eps) / 2
        return (self.n_features + 6) * unit * (np.abs(self.omega) @ reach)

    def __getstate__(self) -> JsonDict:
        return {"omega": self.omega}

    def __setstate__(self, state: JsonDict) -> None:
        self.__dict__.update(state, _cast={})


def multiplied(X: Rows, omega_t: Array, out: Array) -> Array:
    """X omega' in the float type of `out`, written there unless X is sparse."""
    if issparse(X):
        return np.asarray(X @ omega_t, dtype=out.dtype)
    return np.matmul(np.asarray(X, dtype=out.dtype), omega_t, out=out)
