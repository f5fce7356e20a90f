"""Rank warping of columns: kernels that see normal scores of the inputs instead of their values.

    w_j(x) = Phi^-1(rank of x among the values of column j),      z(x) = base(w(x))

Factors and offsets of a column leave w as it is, other monotone changes nearly so; heavy tails become normal ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtr, ndtri

from bochner._dense import dense
from bochner._typing import Array, FloatType, Rows
from bochner.errors import InvalidDataError
from bochner.features.base import FeatureMap, MapOnBase
from bochner.features.residual import ResidualDraws, ResidualProcess
from bochner.features.slopes import ColumnSlopes

if TYPE_CHECKING:
    from bochner.features.nystroem import KernelMap

__all__ = ["RankWarp", "WarpedMap"]

_KNOTS = 64


@dataclass(frozen=True, eq=False)
class RankWarp:
    """Normal scores of every column, piecewise linear between knots at quantiles.

    Beyond the smallest and largest value that it has seen, a score goes on as log(1 + excess / range): rows far outside
    are far from all others, and rows a little outside are not.

    Attributes
    ----------
    knots, scores : arrays of shape (d, K)
        Ascending values of every column and their normal scores; the last ones are repeated.
    reach : array of shape (d,)
        Range of the column; infinite for a constant one, outside of which nothing is known.
    """

    knots: Array
    scores: Array
    reach: Array

    @classmethod
    def of(cls, X: Rows) -> RankWarp:
        """The warp of some rows. Equal values have the mean of their ranks."""
        rows = dense(X, float)
        found = [_knots(column) for column in rows.T]
        spread = np.ptp(rows, axis=0)
        return cls(
            np.stack([values for values, _ in found]),
            np.stack([scores for _, scores in found]),
            np.where(spread > 0, spread, np.inf),
        )

    def __call__(self, X: Rows) -> Array:
        """Scores of all rows, in their float type."""
        rows = dense(X)
        if rows.shape[1] != len(self.knots):
            raise InvalidDataError(f"X must have {len(self.knots)} columns. Got {rows.shape[1]}.")
        out = np.empty(rows.shape, dtype=rows.dtype)
        for j, (values, scores) in enumerate(zip(self.knots, self.scores)):
            column = rows[:, j].astype(float)
            above, below = np.maximum(column - values[-1], 0), np.maximum(values[0] - column, 0)
            tails = np.log1p(above / self.reach[j]) - np.log1p(below / self.reach[j])
            out[:, j] = np.interp(column, values, scores) + tails
        return out

    def slopes(self, X: Rows) -> Array:
        """Derivatives (n, d) of the scores by their columns, in float64; at a knot the mean of those on its sides."""
        rows, found = dense(X, float), np.zeros(X.shape)
        for j, (knots, scores) in enumerate(zip(self.knots, self.scores)):
            values, first = np.unique(knots, return_index=True)
            rises = np.concatenate([[0.0], np.diff(scores[first]) / np.diff(values), [0.0]])
            beyond = np.maximum(np.maximum(rows[:, j] - values[-1], values[0] - rows[:, j]), 0)
            tail = 1 / (self.reach[j] + beyond)
            for side in ("left", "right"):
                piece = np.searchsorted(values, rows[:, j], side=side)
                outside = (piece == 0) | (piece == len(values))
                found[:, j] += np.where(outside, tail, rises[piece]) / 2
        return found

    @property
    def n_bytes(self) -> int:
        return self.knots.nbytes + self.scores.nbytes + self.reach.nbytes


def _knots(column: Array) -> tuple[Array, Array]:
    """Values of a column at levels that are evenly spread in normal scores, and their scores."""
    n = len(column)
    values, counts = np.unique(column, return_counts=True)
    ranks = (np.cumsum(counts) - counts / 2) / n
    extreme = ndtri(1 - 0.5 / n)
    levels = ndtr(np.linspace(-extreme, extreme, _KNOTS))
    kept = np.unique(np.append(np.searchsorted(ranks, levels).clip(0, len(values) - 1), [0, len(values) - 1]))[:_KNOTS]
    kept[-1] = len(values) - 1
    padded = np.pad(kept, (0, _KNOTS - len(kept)), mode="edge")
    return values[padded], ndtri(ranks[padded])


@dataclass(frozen=True, eq=False)
class WarpedMap(MapOnBase):
    """A feature map of warped rows, z(x) = base(w(x))."""

    warp: RankWarp
    base: FeatureMap

    def write(self, X: Rows, out: Array, scratch: Array) -> None:
        self.base.write(self.warp(X), out, scratch)

    def n_bytes(self, dtype: FloatType) -> int:
        return self.warp.n_bytes + self.base.n_bytes(dtype)

    # Optional powers, as the base has them.

    @property
    def kernel_values(self) -> KernelMap | None:
        return self.base.kernel_values

    def with_more_points(self, X: Rows) -> WarpedMap:
        return replace(self, base=self.base.with_more_points(self.warp(X)))

    def with_points_at(self, index: Array) -> WarpedMap:
        return replace(self, base=self.base.with_points_at(index))

    def narrowed(self, n_components: int) -> WarpedMap:
        return replace(self, base=self.base.narrowed(n_components))

    def linear_form(self, coef: Array) -> tuple[FeatureMap, Array] | None:
        found = self.base.linear_form(coef)
        return None if found is None else (replace(self, base=found[0]), found[1])

    def deciding_scores(self, X: Rows, coef: Array, offset: Array, dtype: FloatType) -> Array:
        return self.base.deciding_scores(self.warp(X), coef, offset, dtype)

    @property
    def unwhitened(self) -> tuple[FeatureMap, Array] | None:
        found = self.base.unwhitened
        return None if found is None else (replace(self, base=found[0]), found[1])

    def slopes(self, X: Rows, dtype: FloatType) -> Iterator[ColumnSlopes]:
        """The chain rule."""
        for slopes, steep in zip(self.base.slopes(self.warp(X), dtype), self.warp.slopes(X).T):
            with np.errstate(invalid="ignore"):  # a flat score of a kernel without slopes
                unseen = np.nan_to_num(slopes.unseen * steep**2, posinf=np.inf)
            yield ColumnSlopes(slopes.values * steep.astype(dtype)[:, None], unseen)

    def residual_process(self, alpha: float) -> ResidualProcess | None:
        found = self.base.residual_process(alpha)
        return None if found is None else WarpedProcess(self.warp, found)

    def residual_variance(self, X: Rows, Z: Array) -> Array:
        return self.base.residual_variance(self.warp(X), Z)

    def unseen_variance(self, X: Rows, Z: Array, alpha: float) -> Any:
        return self.base.unseen_variance(self.warp(X), Z, alpha)

    def prior_variance(self, X: Rows, alpha: float) -> Array | None:
        return self.base.prior_variance(self.warp(X), alpha)

    def prepare(self, dtype: FloatType) -> None:
        self.base.prepare(dtype)


@dataclass(frozen=True, eq=False)
class WarpedProcess:
    """The process beyond the features of warped rows: a `ResidualProcess`."""

    warp: RankWarp
    base: ResidualProcess

    @property
    def scale(self) -> float:
        return self.base.scale

    def covariance(self, X: Rows, Z: Array) -> Array:
        return self.base.covariance(self.warp(X), Z)

    def draw(self, count: int, n_components: int, seed: int) -> ResidualDraws:
        drawn = self.base.draw(count, n_components, seed)
        return replace(drawn, feature_map=WarpedMap(self.warp, drawn.feature_map))
