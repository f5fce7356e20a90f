"""Pooled and centred samples of a two-sample test, where a relabelling costs one row of a matrix product.

With z centred at the mean of all N = n + m rows, the sum over the second sample is minus that over the first, S, and

    biased:    MMD^2 = (1/n + 1/m)^2 ||S||^2
    unbiased:  MMD^2 = (1/n + 1/m)^2 ||S||^2 - (Q/n - ||S||^2/n^2) / (n - 1) - (Q'/m - ||S||^2/m^2) / (m - 1)

where Q and Q' are the sums of ||z_i||^2 over the two samples. Centring leaves nothing to cancel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar, Self

import numpy as np

from bochner._dense import dense
from bochner._typing import Array, FloatType, MatrixLike, Rows
from bochner.comparison.group_sums import group_sums
from bochner.comparison.kernel_features import SampleFeatures, feature_witness
from bochner.comparison.resampling import Relabelling, cut
from bochner.comparison.samples import check_rows
from bochner.kernels import Stationary
from bochner.memory import MemoryBill, require_memory
from bochner.theory import Certificate

__all__ = ["FeaturePool", "GramPool", "Pool"]

_GRAM_ROWS = 512


class Pool(ABC):
    """The pooled rows of two samples of n and m rows, in blocks."""

    sizes: tuple[int, int]
    block_rows: int
    total_spread: float
    """Q + Q'."""
    chunk: ClassVar[int]
    """Relabellings that are measured at a time."""

    @property
    @abstractmethod
    def n_blocks(self) -> tuple[int, int]:
        """Blocks of the first and of the second sample."""

    @abstractmethod
    def measure(self, labels: Array) -> tuple[Array, Array]:
        """(||S||^2, Q) of the first sample for every row of `labels` (c, n_blocks)."""

    @property
    @abstractmethod
    def witness(self) -> Callable[[MatrixLike], Array]:
        """The function t -> mean k(x_i, t) - mean k(y_j, t), which does not keep the pool alive."""

    @property
    @abstractmethod
    def n_components(self) -> int | None:
        """Width of the features; None: the exact kernel."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """k(0)."""

    @abstractmethod
    def certify(self, estimator: str, delta: float, n_kernels: int) -> Certificate | None:
        """The bound on the error of the squared MMD against the exact kernel, if there is one and it is not 0."""

    def squared_mmd(self, relabelling: Relabelling, estimator: str) -> Array:
        """The squared MMD, as observed and for every relabelling: shape (1 + n_resamples,)."""
        parts = [self._squared_mmd(*self.measure(labels), estimator) for labels in relabelling.chunks(self.chunk)]
        return np.concatenate(parts)

    def observed(self, estimator: str) -> float:
        """The squared MMD of the samples as they are."""
        first, second = self.n_blocks
        labels = np.r_[np.ones(first), np.zeros(second)][None]
        return float(self._squared_mmd(*self.measure(labels), estimator)[0])

    def _squared_mmd(self, square: Array, spread: Array, estimator: str) -> Array:
        n, m = self.sizes
        biased = (1 / n + 1 / m) ** 2 * square
        if estimator == "biased":
            return biased
        own = np.maximum(spread / n - square / n**2, 0.0) / (n - 1)
        other = np.maximum((self.total_spread - spread) / m - square / m**2, 0.0) / (m - 1)
        return biased - own - other


@dataclass(frozen=True)
class FeaturePool(Pool):
    """Centred sums of random features over blocks of rows.

    Rows outside the blocks keep their sample in every relabelling: the relabellings stay a group, and the test exact.

    Attributes
    ----------
    features : SampleFeatures
    sizes : (int, int)
    block_rows : int
    blocks : (int, int)
    sums : array of shape (n_blocks, D)
    spreads : array of shape (n_blocks,)
    fixed_sum : array of shape (D,)
        Over the rows of the first sample outside its blocks.
    fixed_spread : float
        Of these rows.
    total_spread : float
    """

    features: SampleFeatures
    sizes: tuple[int, int]
    block_rows: int
    blocks: tuple[int, int]
    sums: Array
    spreads: Array
    fixed_sum: Array
    fixed_spread: float
    total_spread: float

    chunk: ClassVar[int] = 256

    @classmethod
    def of(cls, X: Rows, Y: Rows, features: SampleFeatures) -> Self:
        """The pool of two samples, from one pass over each."""
        sizes, dtype = (X.shape[0], Y.shape[0]), np.result_type(X.dtype, Y.dtype)
        rows, blocks = cut(*sizes, features.n_components)
        bill = MemoryBill({"sums over blocks of rows": 16 * sum(blocks) * features.n_components})
        require_memory(bill, f"Lower n_components (now {features.n_components}).")
        x, y = (_BlockSums.of(each, features, rows, count, dtype) for each, count in ((X, blocks[0]), (Y, blocks[1])))
        center = (x.total + y.total) / sum(sizes)
        x, y = x.centred_at(center), y.centred_at(center)
        return cls(
            features=features,
            sizes=sizes,
            block_rows=rows,
            blocks=blocks,
            sums=np.concatenate([x.sums, y.sums]),
            spreads=np.concatenate([x.energies, y.energies]),
            fixed_sum=x.rest_sum,
            fixed_spread=x.rest_energy,
            total_spread=float(x.energies.sum() + y.energies.sum()) + x.rest_energy + y.rest_energy,
        )

    @property
    def n_blocks(self) -> tuple[int, int]:
        return self.blocks

    @property
    def n_components(self) -> int | None:
        return self.features.n_components

    @property
    def variance(self) -> float:
        return self.features.variance

    def certify(self, estimator: str, delta: float, n_kernels: int) -> Certificate | None:
        return self.features.certify_mmd(self.sizes, estimator, delta, n_kernels)

    def measure(self, labels: Array) -> tuple[Array, Array]:
        S = labels @ self.sums + self.fixed_sum
        return np.einsum("ij,ij->i", S, S), labels @ self.spreads + self.fixed_spread

    @property
    def witness(self) -> Callable[[MatrixLike], Array]:
        return partial(feature_witness, self.features, self.direction)

    @cached_property
    def direction(self) -> Array:
        """The difference of the two mean maps, shape (D,)."""
        n, m = self.sizes
        total: Array = self.sums[: self.n_blocks[0]].sum(axis=0) + self.fixed_sum
        return total * (1 / n + 1 / m)


@dataclass(frozen=True)
class _BlockSums:
    """Sums of features and energies over the first blocks of a sample, and over the rest of it."""

    sums: Array
    energies: Array
    rest_sum: Array
    rest_energy: float
    block_rows: int
    rest_rows: int

    @classmethod
    def of(cls, X: Rows, features: SampleFeatures, block_rows: int, n_blocks: int, dtype: FloatType) -> Self:
        head = block_rows * n_blocks
        sums_of = partial(group_sums, feature_map=features.feature_map, dtype=dtype, diagonal=features.diagonal)
        sums, energies = sums_of(X[:head], group_rows=block_rows)
        rest_rows = X.shape[0] - head
        rest_sum, rest_energy = sums_of(X[head:], group_rows=max(1, rest_rows))
        return cls(sums, energies, rest_sum[0], float(rest_energy[0]), block_rows, rest_rows)

    @property
    def total(self) -> Array:
        total: Array = self.sums.sum(axis=0) + self.rest_sum
        return total

    def centred_at(self, center: Array) -> _BlockSums:
        """Block sums of the centred features z - center."""
        square = float(center @ center)
        return _BlockSums(
            self.sums - self.block_rows * center,
            self.energies - 2 * self.sums @ center + self.block_rows * square,
            self.rest_sum - self.rest_rows * center,
            self.rest_energy - 2 * float(self.rest_sum @ center) + self.rest_rows * square,
            self.block_rows,
            self.rest_rows,
        )


@dataclass(frozen=True)
class GramPool(Pool):
    """The exact kernel between all rows: O(N^2) time, in blocks of rows; for small samples and for comparison."""

    kernel: Stationary
    rows: Array
    sizes: tuple[int, int]
    row_sums: Array
    total_spread: float
    block_rows: int = 1

    chunk: ClassVar[int] = 1024

    @classmethod
    def of(cls, X: Rows, Y: Rows, kernel: Stationary) -> Self:
        rows = np.vstack([dense(X), dense(Y)]).astype(float)
        row_sums = np.concatenate([K.sum(axis=1) for K in _row_blocks(kernel, rows)])
        spread = len(rows) * kernel.variance - float(row_sums.sum()) / len(rows)
        return cls(kernel, rows, (X.shape[0], Y.shape[0]), row_sums, spread)

    @property
    def n_components(self) -> int | None:
        return None

    @property
    def variance(self) -> float:
        return self.kernel.variance

    def certify(self, estimator: str, delta: float, n_kernels: int) -> Certificate | None:
        return None

    @property
    def n_blocks(self) -> tuple[int, int]:
        return self.sizes

    def measure(self, labels: Array) -> tuple[Array, Array]:
        N, n = len(self.rows), self.sizes[0]
        square, start = np.zeros(len(labels)), 0
        for K in _row_blocks(self.kernel, self.rows):
            square += np.einsum("bi,bi->b", labels @ K.T, labels[:, start : start + len(K)])
            start += len(K)
        sums = labels @ self.row_sums
        mean = self.row_sums.sum() / N**2
        spread = n * self.kernel.variance - 2 * sums / N + n * mean
        return square - 2 * n * sums / N + n**2 * mean, spread

    @property
    def witness(self) -> Callable[[MatrixLike], Array]:
        return self._witness

    def mean_map_kernels(self, estimator: str) -> tuple[float, float, float]:
        """MMK(X, X), MMK(Y, Y) and MMK(X, Y)."""
        n, m = self.sizes
        first = np.concatenate([K[:, :n].sum(axis=1) for K in _row_blocks(self.kernel, self.rows)])
        second = self.row_sums - first
        cross = float(second[:n].sum()) / (n * m)
        if estimator == "biased":
            return float(first[:n].sum()) / n**2, float(second[n:].sum()) / m**2, cross
        own = self.kernel.variance
        xx, yy = float(first[:n].sum()) - n * own, float(second[n:].sum()) - m * own
        return xx / (n * (n - 1)), yy / (m * (m - 1)), cross

    def _witness(self, points: MatrixLike) -> Array:
        rows, n = check_rows(points, "points", dtype=np.float64), self.sizes[0]
        blocks = (self.kernel(rows[i : i + _GRAM_ROWS], self.rows) for i in range(0, rows.shape[0], _GRAM_ROWS))
        return np.concatenate([K[:, :n].mean(axis=1) - K[:, n:].mean(axis=1) for K in blocks])


def _row_blocks(kernel: Stationary, rows: Array) -> Iterator[Array]:
    """The kernel matrix, some rows at a time."""
    for start in range(0, len(rows), _GRAM_ROWS):
        yield kernel(rows[start : start + _GRAM_ROWS], rows)
