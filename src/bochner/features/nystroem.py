"""Nystroem features: kernel values against landmarks, whitened (Williams & Seeger 2001).

    z(x) = C^-1 [k(x, l_1), ..., k(x, l_L)],   K_LL = C C',      z(x).z(y) = k(x, L) K_LL^-1 k(L, y)

With a group, k is the orbit kernel k_q(x, y) = E k(g x, g' y) of its transformations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh, solve_triangular

from bochner._blas import solve_lower
from bochner._definite import definite_cholesky
from bochner._dense import dense
from bochner._threads import single_threaded_blas
from bochner._typing import Array, FloatType, Rows
from bochner.errors import AssumptionError
from bochner.features.base import FeatureMap, transform
from bochner.features.cyclic import CyclicValues
from bochner.features.kernel_sums import FUSED_POINTS, deciding_scores
from bochner.features.kernel_tiles import MovedValues, Prepared, Values, fast_values, parts_of
from bochner.features.residual import KernelResidual
from bochner.features.slopes import ColumnSlopes
from bochner.groups import Group, Transforms
from bochner.kernels.base import Stationary
from bochner.memory import row_slices, rows_within

__all__ = [
    "KernelMap",
    "NystroemMap",
    "draw_nystroem_map",
    "leverage_of_rows",
    "moves_one_side",
    "sees_distance_only",
]

_JITTER = 1e-10  # of k(x, x): far above rounding, far below what regression sees
_DIAGONAL_BYTES = 2**24  # of transformed rows
_MANY_ROWS = 256  # fewer are scored in float64: points are prepared anew for float32
_COLUMNS = 1024  # kernel values of a row at once: 512 rows of them stay in L2


@dataclass(frozen=True, eq=False)
class KernelMap(FeatureMap):
    """Exact kernel values against fixed points, x -> [k_q(x, p_1), ..., k_q(x, p_L)], averaged over transformations.

    Attributes
    ----------
    kernel : Stationary
    points : array of shape (L, d), float64
    transforms : Transforms or None
        None: the kernel itself.
    one_sided : bool
        Transform the points only: r instead of r^2 values. The same average where `moves_one_side` says so.
    """

    kernel: Stationary
    points: Array
    transforms: Transforms | None = None
    one_sided: bool = True
    _cast: dict[FloatType, tuple[Values, list[Prepared]]] = field(default_factory=dict, repr=False)

    @property
    def n_components(self) -> int:
        return len(self.points)

    @property
    def scratch_width(self) -> int:
        return len(self._weights) * self._chunk_width()

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        rows = dense(X, out.dtype)
        if self.transforms is None or self.one_sided:
            self._write_one_side(rows, out, scratch)
            return
        part, out[...] = np.empty_like(out), 0
        for weight, moved in self.transforms.of(rows):
            self._write_one_side(moved, part, scratch)
            out += out.dtype.type(weight) * part

    def n_bytes(self, dtype: FloatType) -> int:
        """The points, and their transformed versions in the float type."""
        return self.points.size * (8 + len(self._weights) * dtype.itemsize)

    # Optional powers.

    @property
    def kernel_values(self) -> KernelMap:
        return self

    def with_more_points(self, X: Rows) -> KernelMap:
        return replace(self, points=np.vstack([self.points, dense(X, float)]), _cast={})

    def with_points_at(self, index: Array) -> KernelMap:
        return replace(self, points=self.points[index], _cast={})

    def linear_form(self, coef: Array) -> tuple[KernelMap, Array]:
        """The map itself: sums of large coefficients that nearly cancel want float64."""
        return self, coef

    def deciding_scores(self, X: Rows, coef: Array, offset: Array, dtype: FloatType) -> Array:
        """Of many rows and points from float32 values, where these tell the class."""
        if self.transforms is not None or len(self.points) < FUSED_POINTS or X.shape[0] < _MANY_ROWS:
            return super().deciding_scores(X, coef, offset, dtype)
        self.check_rows(X)
        return deciding_scores(self.kernel, self.points, dense(X, float), coef, offset)

    def unseen_variance(self, X: Rows, Z: Array, alpha: float) -> Array:
        """Prior variance k(x, x) / alpha in units of the noise variance; what the values explain is the solution's."""
        return self.diagonal(dense(X, float)) / alpha

    def prior_variance(self, X: Rows, alpha: float) -> Array:
        return self.diagonal(dense(X, float)) / alpha

    def residual_process(self, alpha: float) -> KernelResidual:
        """The process of the kernel itself; what the values explain is the solution's."""
        return KernelResidual(self, 1 / alpha)

    def slopes(self, X: Rows, dtype: FloatType) -> Iterator[ColumnSlopes]:
        """In float64, as all sums of kernel values."""
        if self.transforms is not None:
            raise AssumptionError("Gradients of a kernel that is averaged over a group are not known.")
        rows = dense(X, float)
        prior = self.kernel.variance * self.kernel.second_moments(rows.shape[1])
        return map(ColumnSlopes, self.kernel.slopes(rows, self.points), map(float, prior))

    def diagonal(self, X: Array) -> Array:
        """k_q(x, x) of every row."""
        if self.transforms is None:
            return self.kernel.diag(X)
        rows = max(1, _DIAGONAL_BYTES // (8 * len(self._weights) * X.shape[1]))
        chunks = [self._diagonal(X[start : start + rows], self.transforms) for start in range(0, len(X), rows)]
        return np.concatenate(chunks) if chunks else np.empty(0)

    def _diagonal(self, X: Array, transforms: Transforms) -> Array:
        """All pairs of transformations of a few rows, which are held."""
        orbit, total = list(transforms.of(X)), np.zeros(len(X))
        for a, x in [(1.0, X)] if self.one_sided else orbit:
            for b, y in orbit:
                total += a * b * self.kernel.at(x - y)
        return total

    def _write_one_side(self, rows: Array, out: Array, scratch: Array) -> None:
        """k(x, g' p) averaged over g', chunk by chunk of the points."""
        values, chunks = self._prepared(out.dtype)
        start, left = 0, values.left(rows)
        for chunk in chunks:
            tile = values.tile(left, chunk, _shaped(scratch, len(rows), chunk.n_rows))
            out[:, start : start + tile.shape[1]] = tile
            start += tile.shape[1]

    @property
    def _weights(self) -> Array:
        return np.ones(1) if self.transforms is None else self.transforms.weights

    def _chunk_width(self) -> int:
        return min(len(self.points), max(1, _COLUMNS // len(self._weights)))

    def _prepared(self, dtype: FloatType) -> tuple[Values, list[Prepared]]:
        """The points, with all their transformed versions, chunk by chunk; kept for the next block."""
        if dtype not in self._cast:
            values, width = self._values(dtype), self._chunk_width()
            chunks = [self.points[some] for some in row_slices(len(self.points), width)]
            self._cast[dtype] = values, [values.right(chunk) for chunk in chunks]
        return self._cast[dtype]

    def _values(self, dtype: FloatType) -> Values:
        """Values averaged over transformations of the points, by Fourier transforms if these are cyclic shifts."""
        if self.transforms is None:
            return fast_values(self.kernel, self.points, dtype)
        _, factor, profile = parts_of(self.kernel)
        if profile is not None and self.one_sided and self.transforms.cyclic:
            return CyclicValues(profile, factor, len(self.transforms), dtype)
        return MovedValues(fast_values(self.kernel, self.points, dtype), self.transforms, dtype)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cast": {}}


def _shaped(scratch: Array, n_rows: int, n_columns: int) -> Array:
    """The first part of scratch space as a tile."""
    return scratch.reshape(-1)[: n_rows * n_columns].reshape(n_rows, n_columns)


def moves_one_side(kernel: Stationary, group: Group | None, transforms: Transforms | None) -> bool:
    """Whether E k(g x, g' y) = E k(x, g y) for all x and y, so that only one side of the kernel need be moved.

    If every action keeps distances and the kernel sees nothing else, k(g x, g' y) = k(x, g^-1 g' y), and

        sum_{g, g'} q_g q_g' k(g x, g' y) = sum_h p_h k(x, h y),      p_h = sum of q_g q_g' over g^-1 g' = h

    The two sides are the same for every kernel if and only if p = q. p is symmetric, p_h = p_(h^-1), so q must be, and
    then q * q = q: a law that is its own convolution is the uniform one on a subgroup (Kawada & Ito 1940). So the
    transformations must be *all* elements of a group, with equal weights and exact actions. A sample of a group, a
    weighted one, or interpolated rotations, whose products are other interpolations, are none: the one-sided mean is
    then no symmetric function of x and y, let alone a kernel.
    """
    if group is None or transforms is None:
        return True
    uniform = bool(np.all(transforms.weights == transforms.weights[0]))
    return group.closed and group.unitary and transforms.whole and uniform and sees_distance_only(kernel)


def sees_distance_only(kernel: Stationary) -> bool:
    """Whether k(g x, g y) = k(x, y) for every unitary g: a kernel of distance with one length scale."""
    bare = kernel.without_factor()
    return bare.isotropic and not bare.has_scale_per_feature


@dataclass(frozen=True, eq=False)
class NystroemMap(FeatureMap):
    """Kernel values against landmarks, whitened, in float64: whitening magnifies the rounding of kernel values.

    The first landmarks alone give the first features.

    Attributes
    ----------
    values : KernelMap
        The landmarks and the kernel.
    factor : array of shape (L, L), float64
        Cholesky factor of the kernel matrix of the landmarks; only the lower triangle is meaningful.
    median_shortfall, mean_shortfall : float
        Of `shortfall` over rows that are no landmarks; 0 if there are none.
    """

    values: KernelMap
    factor: Array
    median_shortfall: float = 0.0
    mean_shortfall: float = 0.0

    @property
    def n_components(self) -> int:
        return len(self.factor)

    @property
    def scratch_width(self) -> int:
        return self.values.scratch_width

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        double = out.dtype == np.float64
        K = out if double else np.empty(out.shape)
        self.values.write(X, K, scratch if double else np.empty(scratch.shape))
        solve_lower(self.factor, K)
        if not double:
            out[...] = K

    def n_bytes(self, dtype: FloatType) -> int:
        """The landmarks, and the factor that whitens their kernel values: 8 L^2 bytes."""
        return self.values.n_bytes(np.dtype(float)) + self.factor.nbytes

    # Optional powers.

    def narrowed(self, n_components: int) -> NystroemMap:
        """The map of the first landmarks alone, whose factor is the first part of this one."""
        values = replace(self.values, points=self.values.points[:n_components], _cast={})
        return NystroemMap(values, np.ascontiguousarray(self.factor[:n_components, :n_components]))

    def residual_variance(self, X: Rows, Z: Array) -> Array:
        """Nystroem residual variance k(x, x) - ||z(x)||^2 of rows with features Z; rounding can make it negative."""
        return self.values.diagonal(dense(X, float)) - np.einsum("ij,ij->i", Z, Z, dtype=float)

    def shortfall(self, X: Rows, Z: Array) -> Array:
        """The residual variance, at least 0."""
        return np.maximum(self.residual_variance(X, Z), 0.0)

    def unseen_variance(self, X: Rows, Z: Array, alpha: float) -> Array:
        """Prior variance of a prediction that the landmarks do not explain, in units of the noise variance.

            (shortfall(x) - median shortfall) / max(alpha, mean shortfall),      1 / alpha = signal / noise

        A model of the features alone takes the residual variance for noise, the same everywhere (the deterministic
        training conditional of Quinonero-Candela & Rasmussen 2005), and is far too sure of itself between landmarks.
        This puts it where it is: the noise of most rows stays, and a residual variance that is much larger than at the
        rows of the fit counts as in the exact process.
        """
        return self.in_units_of_noise(self.shortfall(X, Z), alpha)

    def prior_variance(self, X: Rows, alpha: float) -> Array:
        """With the scale of `unseen_variance`, which is all that is left far from the landmarks."""
        return self.values.diagonal(dense(X, float)) * self._residual_scale(alpha)

    def in_units_of_noise(self, shortfall: Any, alpha: float) -> Any:
        """The formula of `unseen_variance`, for arrays or for nodes of an ONNX graph."""
        return (shortfall - min(self.median_shortfall, self.mean_shortfall)) * self._residual_scale(alpha)

    def _residual_scale(self, alpha: float) -> float:
        """Scale of the residual process, in units of the noise variance, of which the residual is a part."""
        return float(1 / max(alpha, self.mean_shortfall, np.finfo(float).tiny))

    def residual_process(self, alpha: float) -> KernelResidual:
        """With the scale of `unseen_variance`, and the residual of most rows, which is noise there, as a function."""
        return KernelResidual(self.values, self._residual_scale(alpha), self.factor)

    def slopes(self, X: Rows, dtype: FloatType) -> Iterator[ColumnSlopes]:
        """C^-1 of the derivatives of kernel values."""
        for slopes in self.values.slopes(X, dtype):
            J = np.ascontiguousarray(slopes.values)
            solve_lower(self.factor, J)
            yield ColumnSlopes(J, np.maximum(slopes.unseen - np.einsum("ij,ij->i", J, J), 0.0))

    @property
    def unwhitened(self) -> tuple[KernelMap, Array]:
        return self.values, self.factor

    def linear_form(self, coef: Array) -> tuple[KernelMap, Array]:
        """The map and coefficients of z(x).coef = k(x, L).(C'^-1 coef), without whitening: L values a row, not L^2."""
        return self.values, solve_triangular(self.factor, coef, lower=True, trans="T", check_finite=False)


def draw_nystroem_map(values: KernelMap, others: Array | None = None) -> NystroemMap:
    """Whiten the kernel values against landmarks. `others` are rows that are no landmarks.

    K_LL gets as much on its diagonal as it takes to be definite to working precision, from 1e-10 of its largest entry:
    landmarks that depend on others, or are there twice, then have features of nearly zero.
    """
    K = transform(values, values.points, np.dtype(float))
    with single_threaded_blas():  # the same bits on any number of threads: files leave the factor out
        drawn = NystroemMap(values, definite_cholesky(K, _JITTER * float(np.max(np.diagonal(K)))))
    if others is None or len(others) == 0:
        return drawn
    parts = [others[some] for some in row_slices(len(others), rows_within(24 * drawn.n_components, most=4096))]
    shortfall = np.concatenate([drawn.shortfall(part, transform(drawn, part, np.dtype(float))) for part in parts])
    return replace(drawn, median_shortfall=float(np.median(shortfall)), mean_shortfall=float(np.mean(shortfall)))


def leverage_of_rows(X: Array, pilot: KernelMap, rank: int) -> Array:
    """Approximate ridge leverage scores of rows (Alaoui & Mahoney 2015; Musco & Musco 2017).

        l_i = (k_ii - k_iS (K_SS + gamma I)^-1 k_Si) / gamma,      gamma = (sum of the eigenvalues beyond `rank`) / rank

    up to a factor, with S a uniform pilot sample (the points of `pilot`) and the eigenvalues those of K_SS.
    """
    K = transform(pilot, pilot.points, np.dtype(float))
    eigenvalues, U = eigh(K.T, overwrite_a=True, check_finite=False)  # of one triangle
    eigenvalues = np.maximum(eigenvalues, 0)[::-1]
    gamma = max(eigenvalues[rank:].sum() / rank, 1e-12 * eigenvalues[0])
    explained, inverse = np.empty(len(X)), 1 / (eigenvalues + gamma)
    for some in row_slices(len(X), rows_within(24 * len(U), most=4096)):
        projected = transform(pilot, X[some], np.dtype(float)) @ U[:, ::-1]
        explained[some] = np.square(projected, out=projected) @ inverse
    return np.maximum(pilot.diagonal(X) - explained, 1e-12 * gamma) / gamma
