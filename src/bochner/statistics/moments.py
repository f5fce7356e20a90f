"""Second moments of features and targets: the sufficient statistics of direct kernel regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from bochner._blas import lower_gram
from bochner._typing import Array
from bochner.errors import InvalidDataError
from bochner.statistics.identity import RowIdentity

__all__ = ["BlockMoments", "GramProduct", "Moments"]

GramProduct = Callable[[Array, Array], None]
"""Writes the lower triangle of Z'Z, or those parts of it that are wanted, to its second argument."""


@dataclass
class Moments:
    """Weighted count, means and centred second moments of features Z (n, D) and targets Y (n, t).

        weight = sum_i w_i            z_mean = sum_i w_i z_i / weight           y_mean likewise
        zz = sum_i w_i (z_i - z_mean)(z_i - z_mean)'      (lower triangle)
        zy = sum_i w_i (z_i - z_mean)(y_i - y_mean)'      yy = sum_i w_i (y_i - y_mean)^2   (per target)

    A commutative monoid: `Moments.empty` is neutral, `merge` is associative and commutative up to rounding
    (Chan, Golub & LeVeque 1983), so any partition of the rows, in any order, gives the same moments. Products
    are in the float type of the features, sums in float64; means are removed block by block, so a large mean of
    the target costs no digits.

    Attributes
    ----------
    n_rows : int
        Rows seen, whatever their weight.
    weight : float
    z_mean : array of shape (D,)
    y_mean : array of shape (t,)
    zz : array of shape (D, D)
        Only the lower triangle is meaningful.
    zy : array of shape (D, t)
    yy : array of shape (t,)
    precision : float
        Unit round-off of the products: 1.2e-7 if any block was float32, else 2.2e-16.
    identity : RowIdentity or None
        Checksum of the rows; None if features were added without their rows.
    """

    n_rows: int
    weight: float
    z_mean: Array
    y_mean: Array
    zz: Array
    zy: Array
    yy: Array
    precision: float
    identity: RowIdentity | None = None

    @classmethod
    def empty(cls, n_components: int, n_targets: int) -> Self:
        """The moments of no rows."""
        D, t = n_components, n_targets
        sums = np.zeros(D), np.zeros(t), np.zeros((D, D)), np.zeros((D, t)), np.zeros(t)
        return cls(0, 0.0, *sums, 2.0**-52, RowIdentity())

    def update(self, Z: Array, Y: Array, sample_weight: Array | None = None) -> Self:
        """Add rows: features Z (n, D), targets Y (n, t), weights (n,) or None for 1."""
        return self.absorb(BlockMoments.of(Z.copy() if sample_weight is not None else Z, Y, sample_weight))

    def merge(self, other: Moments) -> Self:
        """Add the rows behind `other`, which stays as it is."""
        self._identify(other.identity)
        return self._combine(other, other.zz, np.zeros_like(self.z_mean), 0.0, other.zy)

    def absorb(self, block: BlockMoments, identity: RowIdentity | None = None) -> Self:
        """Add one block of rows, and their identity if it is known."""
        self._identify(identity)
        return self._combine(block, block.gram, block.z_mean, block.weight, block.zy)

    def _identify(self, added: RowIdentity | None) -> None:
        self.identity = None if self.identity is None or added is None else self.identity + added

    def _combine(
        self, other: Moments | BlockMoments, gram: Array, gram_mean: Array, gram_weight: float, zy: Array
    ) -> Self:
        """Chan's update. `gram - gram_weight gram_mean gram_mean'` is the centred second moment of `other`."""
        from bochner.features._loops import absorb_gram

        if gram.shape != self.zz.shape:  # one column would be broadcast, and the loop read beyond the end
            raise InvalidDataError(f"Moments must be of {len(self.zz)} features. Got those of {len(gram)}.")
        self.n_rows += other.n_rows
        self.precision = max(self.precision, other.precision)
        if other.weight == 0:
            return self
        weight = self.weight + other.weight
        z_shift, y_shift = other.z_mean - self.z_mean, other.y_mean - self.y_mean
        between = self.weight * other.weight / weight
        absorb_gram(self.zz, gram, gram_mean, gram_weight, z_shift, between)
        self.zy += zy + between * np.outer(z_shift, y_shift)
        self.yy += other.yy + between * y_shift**2
        self.z_mean += z_shift * (other.weight / weight)
        self.y_mean += y_shift * (other.weight / weight)
        self.weight = weight
        return self


@dataclass(frozen=True)
class BlockMoments:
    """Moments of one block of rows; its second moment of features is not centred yet.

    gram = sum_i w_i z_i z_i'  (lower triangle, in the float type of the features)
    """

    n_rows: int
    weight: float
    z_mean: Array
    y_mean: Array
    gram: Array
    zy: Array
    yy: Array
    precision: float

    @classmethod
    def of(
        cls,
        Z: Array,
        Y: Array,
        sample_weight: Array | None = None,
        gram: Array | None = None,
        product: GramProduct = lower_gram,
    ) -> Self:
        """Moments of the rows Z (n, D), Y (n, t). With weights, Z is overwritten by sqrt(w) Z.

        `gram` (D, D), of Z's float type, receives the result of `product`; None allocates it.
        """
        if not (len(Z) == len(Y) and (sample_weight is None or len(sample_weight) == len(Z))):
            raise InvalidDataError(f"Features, targets and weights must have the same length. Got {len(Z)}, {len(Y)}.")
        root = None if sample_weight is None else np.sqrt(sample_weight)
        weight = float(len(Z)) if sample_weight is None else float(np.sum(sample_weight))
        if root is not None:
            Z *= root[:, None].astype(Z.dtype)
        ones = np.ones(len(Z)) if root is None else root
        y_mean = np.average(Y, axis=0, weights=sample_weight) if weight > 0 and Y.size else np.zeros(Y.shape[1])
        residual = (Y - y_mean) * ones[:, None]
        gram = np.empty((Z.shape[1], Z.shape[1]), dtype=Z.dtype) if gram is None else gram
        product(Z, gram)
        return cls(
            n_rows=len(Z),
            weight=weight,
            z_mean=(ones.astype(Z.dtype) @ Z).astype(float) / max(weight, np.finfo(float).tiny),
            y_mean=y_mean,
            gram=gram,
            zy=_cross(Z, residual),
            yy=np.sum(residual**2, axis=0),
            precision=float(np.finfo(Z.dtype).eps),
        )


def _cross(Z: Array, residual: Array) -> Array:
    """Z' residual."""
    unit, size = unit_columns(residual)
    return (Z.T @ unit.astype(Z.dtype)).astype(float) * size


def unit_columns(V: Array) -> tuple[Array, Array]:
    """V with columns of largest entry 1, and what to multiply them by: float32 then neither over- nor underflows."""
    size = np.max(np.abs(V), axis=0, initial=0.0)
    size[size == 0] = 1.0
    return V / size, size
