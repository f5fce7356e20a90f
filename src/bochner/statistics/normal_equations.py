"""Normal equations of ridge regression as an operator: products with G = Z'Z, one pass over the rows each."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg import solve_triangular

from bochner._blas import solve_lower
from bochner._random import Purpose, generator
from bochner._typing import Array, FloatType, Rows
from bochner.data import RowSource
from bochner.errors import InvalidDataError
from bochner.features.base import FeatureMap
from bochner.statistics.feature_stream import FeatureStream
from bochner.statistics.moments import unit_columns

__all__ = ["NormalOperator", "NormalStart", "StreamedNormal"]


class NormalStart(NamedTuple):
    """Right side of the normal equations: means z_mean (D,), y_mean (t,), cross (D, t), energy (t,)."""

    z_mean: Array
    y_mean: Array
    cross: Array
    energy: Array


class NormalOperator(Protocol):
    """Abstract normal equations of features z_i, targets y_i and weights s_i, for iterative ridge solvers.

        G = sum_i s_i (z_i - zbar)(z_i - zbar)'       cross = sum_i s_i (z_i - zbar)(y_i - ybar)'

    with the means removed only if `fit_intercept`; in float64, whatever the float type of the features.
    """

    fit_intercept: bool

    @property
    def width(self) -> int: ...

    @property
    def n_targets(self) -> int: ...

    @property
    def n_rows(self) -> int: ...

    @property
    def weight(self) -> float:
        """Sum of the weights."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Float type of the features."""
        ...

    def start(self) -> NormalStart:
        """Means, cross and the targets' energy sum_i s_i (y_i - ybar)^2: one pass, the first time."""
        ...

    def product(self, V: Array) -> Array:
        """G V for V (D, c): one pass."""
        ...

    def sample(self, n: int, seed: int) -> Array:
        """A (m, D) with E A'A = G: m = min(n, rows of positive weight) random rows, centred as in G and scaled.

        Row i is (z_i - zbar) sqrt(s_i r), with r the weight of all rows over that of the rows drawn; in the float type
        of the features. All rows: A'A = G.
        """
        ...

    def sampled_rows(self, n: int, seed: int) -> tuple[Rows, Array]:
        """The rows of `sample` as they were given, and the factors (m,) of their features."""
        ...

    @property
    def feature_map(self) -> FeatureMap: ...

    @property
    def whitening(self) -> Array | None:
        """C (D, D) of features z = C^-1 u of kernel values u against landmarks, K_LL = C C'; None for others."""
        ...

    def forward(self, W: Array) -> Array:
        """Z W, shape (n, t), not centred."""
        ...


class StreamedNormal:
    """The normal equations of the rows of a source, on the threads of this process or the workers of a cluster.

    Whitened kernel values against landmarks, z = C^-1 u, are never computed: Z'(Z V) = C^-1 U'(U C'^-1 V), so that a
    pass costs n L kernel values and not n L^2 operations (Falkon; Rudi, Carratino & Rosasco 2017).

    Parameters
    ----------
    rows : RowSource
    feature_map : FeatureMap
    fit_intercept : bool
    keep : bool or None, default=None
        As in `FeatureStream`.
    left_out : array of int or None
        Rows that are given no weight, for `error_on_left_out`.
    value_type : dtype, default=float64
        Float type of kernel values that are not whitened.
    """

    def __init__(
        self,
        rows: RowSource,
        feature_map: FeatureMap,
        *,
        fit_intercept: bool,
        keep: bool | None = None,
        left_out: Array | None = None,
        value_type: FloatType | None = None,
    ) -> None:
        self.fit_intercept, self.feature_map = fit_intercept, feature_map
        self.n_targets = rows.n_targets
        self._Y, self._weight = rows.targets()
        self._left_out = left_out
        if left_out is not None:
            weight = np.ones(rows.n_rows) if self._weight is None else self._weight.copy()
            self._weight_left_out, weight[left_out] = weight[left_out], 0.0
            self._weight = weight
        self.weight = float(rows.n_rows if self._weight is None else np.sum(self._weight))
        if not self.weight > 0:
            raise InvalidDataError("The sum of sample_weight must be positive. Got 0.")
        bare = feature_map.unwhitened
        self.whitening: Array | None = None if bare is None else bare[1]
        if bare is None:
            self.stream = FeatureStream(rows, feature_map, keep=keep)
        else:
            self.stream = FeatureStream(rows, bare[0], keep=keep, dtype=value_type or np.dtype(float))

    def _whitened(self, sums: Array) -> Array:
        """C^-1 Z_u'r of sums over rows, for features z = C^-1 u; the sums themselves for others."""
        return (
            sums if self.whitening is None else solve_triangular(self.whitening, sums, lower=True, check_finite=False)
        )

    def _for_bare(self, V: Array) -> Array:
        """C'^-1 V: coefficients of the bare features u with the responses of V."""
        if self.whitening is None:
            return V
        return solve_triangular(self.whitening, V, lower=True, trans="T", check_finite=False)

    @property
    def width(self) -> int:
        return self.stream.width

    @property
    def n_rows(self) -> int:
        return self.stream.n_rows

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.stream.dtype

    def start(self) -> NormalStart:
        return self._start

    @cached_property
    def _start(self) -> NormalStart:
        """One pass for the sum of the features and their products with the centred targets."""
        ones = np.ones(self.n_rows) if self._weight is None else self._weight
        y_mean = ones @ self._Y / self.weight
        deviation = self._Y - y_mean
        right, size = unit_columns(ones[:, None] * np.column_stack([np.ones(self.n_rows), deviation]))
        sums = self._whitened(self.stream.adjoint(right)) * size
        z_mean, cross = sums[:, 0] / self.weight, sums[:, 1:]
        cross -= np.outer(z_mean, ones @ deviation)  # what rounding left of the mean of the targets
        energy = ones @ deviation**2
        if not self.fit_intercept:
            cross, energy = cross + self.weight * np.outer(z_mean, y_mean), energy + self.weight * y_mean**2
        return NormalStart(z_mean, y_mean, cross, energy)

    @cached_property
    def _mean(self) -> Array:
        return self._start.z_mean if self.fit_intercept else np.zeros(self.width)

    def product(self, V: Array) -> Array:
        """Both products of a block while it is in cache: T = (Z - zbar) V, then (Z - zbar)'(s T)."""
        unit, size = unit_columns(V)
        total, of_moved = self.stream.normal_product(self._for_bare(unit), self._mean @ unit, self._weight)
        return (self._whitened(total) - np.outer(self._mean, of_moved)) * size

    def sample(self, n: int, seed: int) -> Array:
        present, factors = self._sampled(n, seed)
        A = self._gathered(present)
        A -= self._mean.astype(A.dtype)
        A *= factors.astype(A.dtype)[:, None]
        return A

    def sampled_rows(self, n: int, seed: int) -> tuple[Rows, Array]:
        present, factors = self._sampled(n, seed)
        return self.stream.rows.take(present), factors

    def _sampled(self, n: int, seed: int) -> tuple[Array, Array]:
        """Numbers of the rows of a sample, and the factors of their features."""
        weight = self._weight
        present = np.arange(self.n_rows) if weight is None else np.flatnonzero(weight)
        if len(present) > n:
            present = np.sort(generator(seed, Purpose.PILOT).choice(present, size=n, replace=False))
        drawn = np.ones(len(present)) if weight is None else weight[present]
        return present, np.sqrt(drawn * (self.weight / drawn.sum()))

    def _gathered(self, index: Array) -> Array:
        """Features of some rows."""
        Z = self.stream.gather(index)
        if self.whitening is not None:
            Z = Z.astype(float, copy=False)
            solve_lower(self.whitening, Z)
        return Z

    def forward(self, W: Array) -> Array:
        return self.stream.forward(self._for_bare(W))

    @cached_property
    def _features_left_out(self) -> Array:
        """Not whitened: L^2 operations a row for what L do to the coefficients."""
        assert self._left_out is not None
        return self.stream.gather(self._left_out)

    def error_on_left_out(self, coef: Array, intercept: Array) -> float:
        """Mean squared error of a model on the rows that were left out, by their weights."""
        Z = self._features_left_out
        error = self._Y[self._left_out] - intercept - Z @ self._for_bare(coef).astype(Z.dtype)
        total = float(self._weight_left_out.sum())
        return float(self._weight_left_out @ np.mean(error**2, axis=1)) / max(total, np.finfo(float).tiny)
