"""Mean map (kernel mean embedding) of a sample: the mean of its random features, which merges over blocks of rows.

    mu_X = (1 / W) sum_i w_i z(x_i),      MMK(X, Y) = mu_X . mu_Y  ~  mean_ij k(x_i, y_j)

(Sutherland & Schneider 2015, Section 3.3). All that a comparison needs of a sample are D sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from bochner._random import resolve_seed
from bochner._typing import Array, ArrayLike, MatrixLike, Rows, Seed
from bochner.comparison.group_sums import group_sums
from bochner.comparison.kernel_features import KernelFeatures, default_components, feature_witness
from bochner.comparison.samples import check_rows
from bochner.errors import InvalidDataError
from bochner.kernels import Stationary
from bochner.sampling import Sampler
from bochner.tuning import ScaleRule

__all__ = ["MeanMap", "mean_map"]


@dataclass(frozen=True)
class MeanMap:
    """The weighted mean embedding of rows: a commutative monoid.

    Sums are in float64, so any split of the rows into blocks, added or merged in any order, gives the same mean map to
    rounding. Made by `mean_map`.

    Attributes
    ----------
    features : KernelFeatures
    n_rows : int
        Rows seen, whatever their weight.
    weight, square_weight : float
        sum_i w_i and sum_i w_i^2.
    total : array of shape (D,)
        sum_i w_i z(x_i).
    energy : float
        sum_i w_i^2 z(x_i).z(x_i).
    """

    features: KernelFeatures
    n_rows: int
    weight: float
    square_weight: float
    total: Array
    energy: float

    @classmethod
    def empty(cls, features: KernelFeatures) -> Self:
        """The mean map of no rows."""
        return cls(features, 0, 0.0, 0.0, np.zeros(features.n_components), 0.0)

    @cached_property
    def mean(self) -> Array:
        """The mean of the features, shape (D,)."""
        if not self.weight > 0:
            raise InvalidDataError("The mean map of no rows is not defined: add rows first.")
        return self.total / self.weight

    def update(self, X: MatrixLike | Rows, sample_weight: ArrayLike | None = None) -> MeanMap:
        """The mean map with these rows added."""
        rows = check_rows(X, "X")
        if rows.shape[1] != self.features.n_features:
            raise InvalidDataError(f"X must have {self.features.n_features} columns. Got {rows.shape[1]}.")
        weight = None if sample_weight is None else _check_weights(sample_weight, rows.shape[0])
        n = rows.shape[0]
        sums, energies = group_sums(
            rows,
            self.features.fourier,
            max(n, 1),
            rows.dtype,
            sample_weight=weight,
            diagonal=self.features.diagonal,
        )
        weights = np.ones(n) if weight is None else weight
        added = MeanMap(self.features, n, float(weights.sum()), float(weights @ weights), sums[0], float(energies[0]))
        return self.merge(added)

    def merge(self, other: MeanMap) -> MeanMap:
        """The mean map of the rows of both."""
        self._require_same_map(other)
        return MeanMap(
            self.features,
            self.n_rows + other.n_rows,
            self.weight + other.weight,
            self.square_weight + other.square_weight,
            self.total + other.total,
            self.energy + other.energy,
        )

    def mmk(self, other: MeanMap | None = None, *, estimator: str = "biased") -> float:
        """The mean map kernel: with another sample, or with itself.

            biased:    mu . mu            unbiased:  (W^2 mu . mu - sum_i w_i^2 z_i . z_i) / (W^2 - sum_i w_i^2)

        For equal weights and the paired embedding the latter is n/(n-1) mu.mu - k(0)/(n-1). Between two samples there
        is one estimator, and it is unbiased.
        """
        if other is not None:
            self._require_same_map(other)
            return float(self.mean @ other.mean)
        if estimator == "biased":
            return float(self.mean @ self.mean)
        free = self.weight**2 - self.square_weight
        if not free > 0:
            raise InvalidDataError(f"The unbiased estimator needs at least two rows. Got {self.n_rows}.")
        return float((self.total @ self.total - self.energy) / free)

    def witness(self, other: MeanMap, points: MatrixLike) -> Array:
        """mu_X(t) - mu_Y(t) at the points t: positive where this sample has more rows than the other."""
        self._require_same_map(other)
        return feature_witness(self.features, self.mean - other.mean, points)

    def _require_same_map(self, other: MeanMap) -> None:
        if not self.features.same_map(other.features):
            raise InvalidDataError("Mean maps must share their features: make one by mean_map(Y, like=other).")


def mean_map(
    X: MatrixLike,
    *,
    kernel: str | Stationary | None = None,
    length_scale: ArrayLike = "auto",
    n_components: int | str = "auto",
    embedding: str = "paired",
    sampling: str | Sampler = "monte_carlo",
    sample_weight: ArrayLike | None = None,
    like: MeanMap | None = None,
    rng: Seed = None,
) -> MeanMap:
    """The mean embedding of a sample, in one pass over its rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Memory maps are read block by block.
    kernel : str or Stationary, default=None
        None is the Gaussian kernel.
    length_scale : "auto", "median", float or array of shape (d,), default="auto"
        "auto": the kernel's own if `kernel` is a kernel, else for each column its spread times the median distance in
        units of these. "median": one for all columns, the median distance between rows of X.
    n_components : int or "auto", default="auto"
        Width D of the features; see `mmd_test`.
    embedding : {"paired", "phase"}, default="paired"
    sampling : str or Sampler, default="monte_carlo"
        As in `FourierFeatures`.
    sample_weight : array-like of shape (n,), default=None
    like : MeanMap, default=None
        Use the features of this mean map, so that the two can be compared; all parameters above but `sample_weight`
        are then unused.
    rng : int, Generator, RandomState or None, default=None
        Seed of the frequencies.

    Returns
    -------
    MeanMap

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import Gaussian, mean_map
    >>> X = np.random.default_rng(0).standard_normal((1000, 3))
    >>> whole = mean_map(X, kernel=Gaussian(2.0), rng=0)
    >>> parts = mean_map(X[:300], like=whole).merge(mean_map(X[300:], like=whole))
    >>> bool(np.allclose(whole.mean, parts.mean, atol=1e-12))
    True
    """
    rows = check_rows(X, "X", least=1)
    if like is not None:
        return MeanMap.empty(like.features).update(rows, sample_weight)
    seed = resolve_seed(rng)
    own = ScaleRule("mean_map", kernel, length_scale).resolve_sample(rows, seed=seed)
    width = default_components(rows.shape[0]) if n_components == "auto" else n_components
    features = KernelFeatures.draw(
        own, rows.shape[1], width, embedding=embedding, sampling=sampling, seed=seed, owner="mean_map"
    )
    return MeanMap.empty(features).update(rows, sample_weight)


def _check_weights(sample_weight: ArrayLike, n_rows: int) -> Array:
    weight = np.asarray(sample_weight, dtype=float)
    if weight.shape != (n_rows,) or not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise InvalidDataError(f"sample_weight must be {n_rows} finite numbers that are not negative.")
    return weight
