"""Reductions over the features of rows: a block is mapped to features in the thread's own space, then summed."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from bochner._typing import Array, FloatType
from bochner.data import Block
from bochner.engines import Cut, Reduction
from bochner.engines.base import Part, Total
from bochner.features.base import FeatureMap, apply_map, new_scratch
from bochner.memory import row_slices

__all__ = ["Adjoint", "FeatureReduction", "FeatureRows", "Forward", "NormalProduct", "StreamReduction", "stream_cut"]

_BLOCK_BYTES = 2**23  # of features
_CACHE, _FEWEST_IN_CACHE = 2**19, 16  # bytes, and rows at least, that both products of a pass find in cache


class FeatureSpace(NamedTuple):
    """Space of one thread: features of a block (n, D), and the scratch space of the map."""

    Z: Array
    scratch: Array


def stream_cut(width: int, dtype: FloatType) -> Cut:
    """Blocks whose features stay in cache for products with a few columns."""
    return Cut(int(np.clip(_BLOCK_BYTES // (width * dtype.itemsize), 32, 16384)))


@dataclass(frozen=True)
class FeatureReduction(Reduction[Total, Part]):
    """A sum over features z(x_i).

    Attributes
    ----------
    feature_map : FeatureMap
    dtype : float type of the features
    """

    feature_map: FeatureMap
    dtype: FloatType

    # An optional power: a reduction that needs more space of its own overrides.

    def scratch(self, block_rows: int) -> FeatureSpace:
        Z = np.empty((block_rows, self.feature_map.n_components), dtype=self.dtype)
        return FeatureSpace(Z, new_scratch(self.feature_map, self.dtype))

    def features(self, block: Block, space: FeatureSpace) -> Array:
        """Features of a block, written to the thread's space."""
        Z = space.Z[: block.n_rows]
        apply_map(self.feature_map, block.X, Z, space.scratch)
        return Z


@dataclass(frozen=True)
class StreamReduction(FeatureReduction[Total, Part]):
    """A sum that asks for features and row numbers only, so that features that were kept serve as well."""

    def cut(self, n_rows: int) -> Cut:
        return stream_cut(self.feature_map.n_components, self.dtype)

    def part(self, block: Block, scratch: FeatureSpace) -> Part:
        return self.of(self.features(block, scratch), slice(block.start, block.start + block.n_rows))

    @abstractmethod
    def of(self, Z: Array, rows: slice) -> Part:
        """Part of the sum from rows with features Z."""


@dataclass(frozen=True)
class _Collected(StreamReduction[list[Array], Array]):
    """Arrays of consecutive rows, in their order."""

    def empty(self) -> list[Array]:
        return []

    def add(self, total: list[Array], part: Array) -> list[Array]:
        total.append(part)
        return total

    def merge(self, total: list[Array], other: list[Array]) -> list[Array]:
        total.extend(other)
        return total


@dataclass(frozen=True)
class FeatureRows(_Collected):
    """The features themselves."""

    def of(self, Z: Array, rows: slice) -> Array:
        return Z.copy()


@dataclass(frozen=True)
class Forward(_Collected):
    """Z W, block by block."""

    W: Array = field(repr=False)

    def of(self, Z: Array, rows: slice) -> Array:
        return Z @ self.W


@dataclass(frozen=True)
class _Summed(StreamReduction[Array, Array]):
    """A sum of arrays in float64."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the sum."""

    def empty(self) -> Array:
        return np.zeros(self.shape)

    def add(self, total: Array, part: Array) -> Array:
        return np.add(total, part, out=total)

    def merge(self, total: Array, other: Array) -> Array:
        return np.add(total, other, out=total)


@dataclass(frozen=True)
class Adjoint(_Summed):
    """Z'R, for R (n, c) with a row for every row."""

    R: Array = field(repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.feature_map.n_components, self.R.shape[1]

    def of(self, Z: Array, rows: slice) -> Array:
        own = self.R[rows].astype(self.dtype, copy=False)
        used = np.flatnonzero(own.any(axis=1))
        return Z[used].T @ own[used] if 2 * len(used) < len(own) else Z.T @ own  # leave what is 0 unread

    def restricted(self, rows: slice) -> Adjoint:  # R has a row for every row
        return replace(self, R=self.R[rows])


@dataclass(frozen=True)
class NormalProduct(StreamReduction[tuple[Array, Array], tuple[Array, Array]]):
    """Z'(s T) and the sums of s T, with T = Z V - shift: both products while a block is in cache.

    Sums are transposed, (c, D): BLAS then writes and NumPy adds long rows (at 3 to 40 columns 10 to 20 % less time).

    Attributes
    ----------
    V : array of shape (D, c)
    shift : array of shape (c,)
    weight : array of shape (n,) or None
        s, for every row; None: all 1.
    """

    V: Array = field(repr=False)
    shift: Array = field(repr=False)
    weight: Array | None = field(repr=False)

    def empty(self) -> tuple[Array, Array]:
        c = self.V.shape[1]
        return np.zeros((c, self.feature_map.n_components)), np.zeros(c)

    def of(self, Z: Array, rows: slice) -> tuple[Array, Array]:
        total, of_moved = self.empty()
        for some in row_slices(len(Z), max(_FEWEST_IN_CACHE, _CACHE // (Z.shape[1] * Z.itemsize))):
            part = Z[some]
            moved = part @ self.V - self.shift
            if self.weight is not None:
                moved *= self.weight[rows][some, None]
            total += moved.T.astype(Z.dtype) @ part
            of_moved += moved.sum(axis=0)
        return total, of_moved

    def add(self, total: tuple[Array, Array], part: tuple[Array, Array]) -> tuple[Array, Array]:
        np.add(total[0], part[0], out=total[0])
        np.add(total[1], part[1], out=total[1])
        return total

    def merge(self, total: tuple[Array, Array], other: tuple[Array, Array]) -> tuple[Array, Array]:
        return self.add(total, other)

    def restricted(self, rows: slice) -> NormalProduct:  # there is a weight for every row
        return self if self.weight is None else replace(self, weight=self.weight[rows])
