"""Mean embeddings: the mean of the random features of a sample, which merges over blocks of rows.

    mu_X = (1 / W) sum_i w_i z(x_i),      MMK(X, Y) = mu_X . mu_Y  ~  mean_ij k(x_i, y_j)

(Sutherland & Schneider 2015, Section 3.3). All that a comparison needs of a sample are D sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from bochner._random import resolve_seed
from bochner._typing import Array
from bochner.comparison.samples import check_rows
from bochner.config import get_config
from bochner.data import ArrayRows, Block
from bochner.errors import InvalidDataError, invalid_parameter
from bochner.features import FourierMap, draw_fourier_map, linear_response, map_of
from bochner.features.fourier import Embedding
from bochner.kernels import Stationary, resolve_kernel
from bochner.kernels.base import check_scale
from bochner.sampling import resolve_sampler
from bochner.statistics import PassPlan, for_each_block
from bochner.tuning.median import median_length_scale

__all__ = ["KernelFeatures", "MeanMap", "default_components", "feature_witness", "group_sums", "mean_map"]

_TILE_BYTES = 2**21  # of features per thread: they are summed while they are in cache


@dataclass(frozen=True)
class KernelFeatures:
    """Random Fourier features of a kernel on R^d, or other features in their place.

    Attributes
    ----------
    kernel : Stationary, or the transformer that made the features
    fourier : FourierMap, or another FeatureMap
    embedding : {"paired", "phase"}
    independent : bool
        Whether the frequencies are independent draws, as every bound on the error assumes.
    """

    kernel: Any
    fourier: Any
    embedding: Embedding
    independent: bool

    @classmethod
    def draw(
        cls, kernel: Stationary, n_features: int, n_components: int, *, embedding: str, sampling: Any, seed: int
    ) -> Self:
        """Draw the frequencies."""
        _check_width("mmd", n_components, embedding)
        sampler = resolve_sampler(sampling)
        fourier = draw_fourier_map(
            kernel,
            sampler,
            n_features=n_features,
            n_components=n_components,
            embedding=embedding,  # type: ignore[arg-type]
            seed=seed,
        )
        return cls(kernel, fourier, embedding, sampler.independent)  # type: ignore[arg-type]

    @classmethod
    def of_transformer(cls, transformer: Any, X: Any) -> Self:
        """The features of a fitted transformer; there is no bound on how far they are from a kernel."""
        return cls(transformer, map_of(transformer, X), "phase", False)

    @property
    def n_components(self) -> int:
        width: int = self.fourier.n_components
        return width

    @property
    def exact_diagonal(self) -> bool:
        """Whether z(x).z(x) = k(0) for every x: true of the pairs of cosine and sine of a kernel, not of phases."""
        paired = isinstance(self.fourier, FourierMap) and len(self.fourier.phase) == 0
        return paired and isinstance(self.kernel, Stationary)

    def same_map(self, other: KernelFeatures) -> bool:
        """Whether both have the same frequencies, amplitudes and phases."""
        ours, theirs = self.fourier, other.fourier
        return all(np.array_equal(getattr(ours, n), getattr(theirs, n)) for n in ("omega", "amplitude", "phase"))


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

    def update(self, X: Any, sample_weight: Any = None) -> MeanMap:
        """The mean map with these rows added."""
        X = check_rows(X, "X")
        if X.shape[1] != self.features.fourier.omega.shape[1]:
            raise InvalidDataError(f"X must have {self.features.fourier.omega.shape[1]} columns. Got {X.shape[1]}.")
        weight = None if sample_weight is None else _check_weights(sample_weight, X.shape[0])
        sums, energies = group_sums(X, self.features, max(X.shape[0], 1), X.dtype, weight)
        weights = np.ones(X.shape[0]) if weight is None else weight
        return self.merge(
            MeanMap(
                self.features, X.shape[0], float(weights.sum()), float(weights @ weights), sums[0], float(energies[0])
            )
        )

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

    def witness(self, other: MeanMap, points: Any) -> Array:
        """mu_X(t) - mu_Y(t) at the points t: positive where this sample has more rows than the other."""
        self._require_same_map(other)
        return feature_witness(self.features, self.mean - other.mean, points)

    def _require_same_map(self, other: MeanMap) -> None:
        if not self.features.same_map(other.features):
            raise InvalidDataError("Mean maps must share their features: make one by mean_map(Y, like=other).")


def mean_map(
    X: Any,
    *,
    kernel: str | Stationary | None = None,
    length_scale: Any = "auto",
    n_components: int | str = "auto",
    embedding: str = "paired",
    sampling: Any = "monte_carlo",
    sample_weight: Any = None,
    like: MeanMap | None = None,
    rng: Any = None,
) -> MeanMap:
    """The mean embedding of a sample, in one pass over its rows.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Memory maps are read block by block.
    kernel : str or Stationary, default=None
        None is the Gaussian kernel.
    length_scale : "auto", "median", float or array of shape (d,), default="auto"
        "median": the median distance between rows of X. "auto": the kernel's own if `kernel` is a kernel, else the
        median.
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
    X = check_rows(X, "X", least=1)
    if like is not None:
        return MeanMap.empty(like.features).update(X, sample_weight)
    seed = resolve_seed(rng)
    own = resolve_kernel("mean_map", kernel)
    if isinstance(length_scale, str):
        if length_scale not in ("auto", "median"):
            raise invalid_parameter("mean_map", "length_scale", "'auto', 'median' or positive numbers", length_scale)
        if length_scale == "median" or not isinstance(kernel, Stationary):
            own = own.scaled_by(median_length_scale(X, own, seed))
    else:
        own = own.with_length_scale(check_scale("mean_map", length_scale, X.shape[1]))
    width = default_components(X.shape[0]) if n_components == "auto" else n_components
    features = KernelFeatures.draw(
        own, X.shape[1], _check_width("mean_map", width, embedding), embedding=embedding, sampling=sampling, seed=seed
    )
    return MeanMap.empty(features).update(X, sample_weight)


def feature_witness(features: KernelFeatures, direction: Array, points: Any) -> Array:
    """z(t).direction at the points t."""
    points = check_rows(points, "points")
    return linear_response(features.fourier, points, direction[:, None], np.zeros(1), points.dtype)[:, 0]


def default_components(n_rows: int) -> int:
    """512 + 8 sqrt(n) columns for n rows in all, rounded up to a multiple of 64.

    It must grow: with a fixed number of features there are alternatives that no sample size detects (Choi & Kim 2024,
    arXiv 2407.08976). The constant keeps the power of small samples at that of the exact kernel
    (docs/decisions/011-permuting-blocks.md).
    """
    return int(64 * np.ceil((512 + 8 * np.sqrt(n_rows)) / 64))


def group_sums(
    X: Any, features: KernelFeatures, group_rows: int, dtype: np.dtype[Any], sample_weight: Array | None = None
) -> tuple[Array, Array]:
    """Sums of the features over consecutive groups of rows, and their energies, in one pass over X.

    Group j has rows j g ... (j + 1) g - 1; the last may be shorter.

    Returns
    -------
    sums : array of shape (n_groups, D)
        sum_i w_i z(x_i), in float64.
    energies : array of shape (n_groups,)
        sum_i w_i^2 z(x_i).z(x_i).
    """
    n, D = X.shape[0], features.n_components
    sums, energies = np.zeros((max(1, -(-n // group_rows)), D)), np.zeros(max(1, -(-n // group_rows)))

    def parts(block: Block, own: tuple[Array, Array]) -> list[tuple[slice, Array, Array]]:
        Z, w = own[0][: block.n_rows], block.sample_weight
        energy = _energy(Z, w, features)
        if w is not None:
            Z *= w[:, None].astype(Z.dtype)
        return [
            (groups, _sum_rows(Z[rows], size), energy[rows].reshape(-1, size).sum(axis=1))
            for groups, rows, size in _group_slices(block, group_rows)
        ]

    def add(parts: list[tuple[slice, Array, Array]]) -> None:
        for groups, total, energy in parts:
            sums[groups] += total
            energies[groups] += energy

    blocks = ArrayRows(X, np.broadcast_to(0.0, (n,)), sample_weight, dtype)
    for_each_block(blocks, features.fourier, _plan(n, D, group_rows, dtype), parts, add, extra=lambda: np.empty(0))
    return sums, energies


def _plan(n_rows: int, width: int, group_rows: int, dtype: np.dtype[Any]) -> PassPlan:
    """Blocks whose features stay in cache, of whole groups if these are smaller."""
    rows = max(64, _TILE_BYTES // (width * dtype.itemsize))
    rows = min(n_rows, rows if group_rows > rows else rows // group_rows * group_rows)
    threads = get_config().threads()
    return PassPlan(max(1, rows), threads, threads * rows * width * dtype.itemsize)


def _group_slices(block: Block, group_rows: int) -> list[tuple[slice, slice, int]]:
    """The block cut where groups end: (groups, rows of the block, rows per group), the whole groups in one piece."""
    start, stop = block.start, block.start + block.n_rows
    first_end = min(stop, -(-start // group_rows) * group_rows)
    whole_end = max(first_end, stop // group_rows * group_rows)
    pieces = []
    for low, high in ((start, first_end), (first_end, whole_end), (whole_end, stop)):
        if high > low:
            size = min(group_rows, high - low)
            groups = slice(low // group_rows, low // group_rows + (high - low) // size)
            pieces.append((groups, slice(low - start, high - start), size))
    return pieces


def _sum_rows(Z: Array, size: int) -> Array:
    """Sums over groups of so many rows, by BLAS: many times faster than `np.add.reduceat`."""
    return Z if size == 1 else np.ones(size, dtype=Z.dtype) @ Z.reshape(-1, size, Z.shape[1])


def _energy(Z: Array, weight: Array | None, features: KernelFeatures) -> Array:
    """w^2 z.z of every row; z.z = k(0) without a look where that is exact."""
    if features.exact_diagonal:
        energy = np.full(len(Z), features.kernel.variance)
    else:
        energy = np.einsum("ij,ij->i", Z, Z).astype(float)
    return energy if weight is None else weight**2 * energy


def _check_width(owner: str, n_components: Any, embedding: str) -> int:
    if embedding not in ("paired", "phase"):
        raise invalid_parameter(owner, "embedding", "'paired' or 'phase'", embedding)
    if isinstance(n_components, (bool, str)) or int(n_components) != n_components or n_components < 1:
        raise invalid_parameter(owner, "n_components", "an integer >= 1 or 'auto'", n_components)
    if embedding == "paired" and n_components % 2:
        raise invalid_parameter(owner, "n_components", "even for the paired embedding", n_components)
    return int(n_components)


def _check_weights(sample_weight: Any, n_rows: int) -> Array:
    weight = np.asarray(sample_weight, dtype=float)
    if weight.shape != (n_rows,) or not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise InvalidDataError(f"sample_weight must be {n_rows} finite numbers that are not negative.")
    return weight
