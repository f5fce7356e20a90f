"""Regression on the conditioning columns of a test: what is left of functions of other columns.

    h(z) = (normal scores, columns in units of their spreads, sines and cosines of scores, random Fourier features)

Linear links, links that are sums over columns, and smooth functions of all columns together are in its span, or near
it. So are functions of one linear combination b'z (single-index models): scores of X and Y are regressed on z first,
and what is predicted counts as a column (`single_indices`). One ridge regression has many targets, and its sums are
`Moments`: any order of the blocks gives the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.stats import norm, rankdata

from bochner._typing import Array
from bochner.features import FourierMap, draw_fourier_map, transform
from bochner.memory import fits, row_slices, rows_within
from bochner.sampling import MonteCarlo
from bochner.solvers import EigenRidge, RidgeProblem
from bochner.solvers.path import choose_penalty, default_penalties, penalty_path
from bochner.statistics import Moments
from bochner.tuning import ScaleRule, column_spreads

__all__ = ["Conditioning", "ConditioningBasis", "normal_scores", "single_indices", "waves_of"]

_FREQUENCIES = (0.8, 1.6, 2.4)
"""Of the waves of one column's scores, which reach to some +-3.5: no more than 1e-3 of the variance of sin(2.5 z),
exp(z), z^2 or z^3 is outside of their span. Cosines of ranks miss 4 to 20 % of these, in the tails."""
_LINEAR, _SUMS = 3.0, 2.0
"""Weights of the scores and their waves: links that are linear, or sums over columns, are hardly penalised."""
_INDICES = 4
"""Single indices of X, and of Y, in each of two units of the columns."""
_NO_INDEX = 1e-6
_KEPT_SHARE = 0.25
"""Of the memory budget, for h of all rows."""


def normal_scores(columns: Array) -> Array:
    """Phi^-1((rank - 1/2) / n) of every column, ties at their mean rank.

    A strictly increasing function of a column changes nothing; neither does it change conditional independence.
    """
    scores: Array = norm.ppf((rankdata(columns, axis=0) - 0.5) / len(columns))
    return scores


def single_indices(columns: Array, targets: Array) -> Array:
    """Normal scores of the leading directions of a linear regression of targets, shape (n, q) with q <= 4.

    A function of one linear combination of the columns is a function of one of these where the columns' law is
    elliptical (Li & Duan 1989), and near it elsewhere. A single column is its own index: q = 0.
    """
    if columns.shape[1] == 1:
        return np.empty((len(columns), 0))
    columns, targets = columns - columns.mean(axis=0), targets - targets.mean(axis=0)
    fitted = columns @ np.linalg.lstsq(columns, targets, rcond=None)[0]
    directions, sizes, _ = np.linalg.svd(fitted, full_matrices=False)
    return normal_scores(directions[:, :_INDICES][:, sizes[:_INDICES] > _NO_INDEX * np.sqrt(len(targets))])


def waves_of(rows: Array, width: int, seed: int) -> FourierMap:
    """Random waves of the Gaussian kernel with the median distance between the rows as its scale."""
    kernel = ScaleRule("ci_test", "gaussian", "auto").resolve_sample(rows, seed=seed)
    return draw_fourier_map(
        kernel, MonteCarlo(), n_features=rows.shape[1], n_components=width, embedding="paired", seed=seed
    )


@dataclass(frozen=True)
class ConditioningBasis:
    """The functions h of n rows z.

    Attributes
    ----------
    scores, linear : arrays of shape (n, d)
        Normal scores of the columns, and the columns in units of their spreads.
    indices : array of shape (n, q)
        Normal scores of single indices.
    fourier : FourierMap
        Of the scores.
    """

    scores: Array
    linear: Array
    indices: Array
    fourier: FourierMap

    @classmethod
    def of(cls, Z: Array, targets: Sequence[Array], n_components: int, seed: int) -> Self:
        """With the single indices of targets, each of shape (n, t)."""
        scores = normal_scores(Z)
        linear = (Z - np.median(Z, axis=0)) / column_spreads(Z)
        indices = [single_indices(columns, each) for each in targets for columns in (scores, linear)]
        return cls(scores, linear, np.hstack(indices), waves_of(scores, n_components, seed))

    @property
    def width(self) -> int:
        n_single = self.scores.shape[1] + self.indices.shape[1]
        return self.linear.shape[1] + n_single * (1 + 2 * len(_FREQUENCIES)) + self.fourier.n_components

    def rows(self, some: slice) -> Array:
        """h of some rows."""
        single = np.hstack([self.scores[some], self.indices[some]])
        waves = [_SUMS * wave(each * single) for each in _FREQUENCIES for wave in (np.sin, np.cos)]
        joint = transform(self.fourier, self.scores[some], np.dtype(float))
        return np.hstack([_LINEAR * single, self.linear[some], *waves, joint])

    def slices(self) -> Iterator[slice]:
        """Rows, as many at a time as fit a small buffer."""
        return row_slices(len(self.scores), self._block_rows)

    def kept(self) -> Array | None:
        """Room for h of all rows, if that is a small share of the memory budget: later passes then read it."""
        shape = len(self.scores), self.width
        return np.empty(shape) if fits(int(8 * np.prod(shape) / _KEPT_SHARE)) else None

    @cached_property
    def _block_rows(self) -> int:
        # Kept: to ask the system for its memory takes longer than a small block.
        return rows_within(64 * self.width, share=0.05, least=256, most=16384)


@dataclass(frozen=True)
class Conditioning:
    """Ridge regression of any functions of the rows on h, with the penalty by generalised cross-validation.

    Attributes
    ----------
    basis : ConditioningBasis
    ridge : EigenRidge
        In the eigenbasis of the centred moments of h.
    mean : array of shape (width,)
        Of h.
    kept : array of shape (n, width) or None
        h of all rows less its mean, where memory allows.
    """

    basis: ConditioningBasis
    ridge: EigenRidge
    mean: Array
    kept: Array | None = None

    @classmethod
    def of(cls, basis: ConditioningBasis) -> Self:
        moments, kept = Moments.empty(basis.width, 0), basis.kept()
        for some in basis.slices():
            H = basis.rows(some)
            moments.update(H, np.empty((len(H), 0)))
            if kept is not None:
                kept[some] = H
        if kept is not None:
            kept -= moments.z_mean
        return cls(basis, EigenRidge(RidgeProblem.from_moments(moments, fit_intercept=True)), moments.z_mean, kept)

    def rows(self, some: slice) -> Array:
        """h of some rows, less its mean."""
        return self.basis.rows(some) - self.mean if self.kept is None else self.kept[some]

    @property
    def n_rows(self) -> int:
        return len(self.basis.scores)

    def regress(self, targets: Callable[[slice], Array], undersmoothing: float) -> Regression:
        """The regression of functions of rows, given as a function of a slice, on h.

        The penalty is that of generalised cross-validation times `undersmoothing`: what a test needs is a small bias
        (see `ci_test`).
        """
        cross: Array | float = 0.0
        total: Array | float = 0.0
        square: Array | float = 0.0
        for some in self.basis.slices():
            T = targets(some)
            cross = cross + self.rows(some).T @ T
            total, square = total + T.sum(axis=0), square + (T**2).sum(axis=0)
        center = np.asarray(total) / self.n_rows
        energy = np.maximum(square - self.n_rows * center**2, 0.0)
        ridge = self.ridge.with_targets(np.asarray(cross), energy)
        path = penalty_path(ridge, default_penalties(ridge.problem))
        room = path.dof <= self.n_rows / 3
        path = replace(path, gcv=np.where(room | ~np.any(room), path.gcv, np.nan))
        return Regression(self, ridge, center, undersmoothing * choose_penalty(ridge, path, "gcv", refine=False))


@dataclass(frozen=True)
class Regression:
    """Fitted regressions of some targets, all with the penalty `alpha`.

    Attributes
    ----------
    conditioning : Conditioning
    ridge : EigenRidge
    center : array of shape (t,)
        Means of the targets.
    alpha : float
    """

    conditioning: Conditioning
    ridge: EigenRidge
    center: Array
    alpha: float

    def at(self, alpha: float) -> Regression:
        """The regression with another penalty."""
        return replace(self, alpha=alpha)

    def residuals(self, some: slice, targets: Array, coef: Array) -> Array:
        """Targets of some rows, less their regression with the coefficients of `solve`."""
        left: Array = targets - self.center - self.conditioning.rows(some) @ coef
        return left

    def solve(self) -> Array:
        """Coefficients (width, t)."""
        return self.ridge.solve(self.alpha)

    @property
    def retained(self) -> Array:
        """Share of each eigenvector of h's moments that is left in residuals, shape (width,)."""
        share: Array = self.alpha / (self.ridge.eigenvalues + self.alpha)
        return share

    @property
    def dof(self) -> float:
        """Degrees of freedom, the mean among them."""
        return float(np.sum(1 - self.retained)) + 1

    @property
    def explained(self) -> float:
        """Share of the variance of the targets that h explains, corrected for the degrees of freedom."""
        point = self.ridge.point(self.alpha)
        energy = float(np.sum(self.ridge.problem.energy))
        if point is None or not energy > 0:
            return 0.0
        n = self.conditioning.n_rows
        return 1 - float(np.sum(point.residual)) / energy * (n - 1) / max(n - point.dof, 1.0)
