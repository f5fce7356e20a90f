"""Chernoff bounds from the exact moment generating function of cos(omega . u), computed from above.

The Jacobi-Anger expansion gives, for every shift-invariant kernel with k(0) = 1,

    E exp(s cos(omega . u)) = I_0(s) + 2 sum_{n >= 1} I_n(s) k(n u)

For s < 0 the series cancels down to about e^(-2|s|) of its largest term, below rounding for |s| > 15, while the
best s is near 1/||u||^2. A plain truncated sum then certifies what is false. So the log-MGF is over-estimated: the
terms left out are bounded by the mass they hold (all e^(-s) I_n(s) sum to 1) and rounding by 1e-13. Any s > 0 gives
a valid bound when the log-MGF is not under-estimated, so a fixed grid of s is enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ive

from bochner._typing import Array
from bochner.theory.base import Embedding
from bochner.theory.normalised import NormalisedKernel
from bochner.theory.sub_gaussian import variance_proxy

__all__ = ["ChernoffTable", "Exponents", "exponents", "tabulate"]

_ROUNDING = 1e-13
_REACH = 1e-9


@dataclass(frozen=True, eq=False)
class Exponents:
    """A grid of s, with e^(-s) I_n(s) for n = 0 ... n_terms in the rows of `bessel`."""

    s: Array
    bessel: Array


@lru_cache(maxsize=8)
def exponents(largest: float = 4000.0, density: int = 1, n_terms: int = 400) -> Exponents:
    """The grid on which a Chernoff bound is minimised, from 1e-3 to `largest`."""
    small = np.geomspace(1e-3, 1, 100 * density)
    middle = np.linspace(1, 40, 200 * density)[1:]
    large = np.geomspace(40, largest, 100 * density)[1:]
    s = np.concatenate([small, middle, large])
    bessel = ive(np.arange(n_terms + 1)[:, None], s)
    s.flags.writeable = bessel.flags.writeable = False
    return Exponents(s, bessel)


@dataclass(frozen=True, eq=False)
class ChernoffTable:
    """Centred log-MGFs of groups of pairs: log E exp(+-s (summand - k)) <= upper, lower (n_groups, n_s).

    `lowest`, `highest` are the extreme kernel values of a group and `top` the largest summand: no upper deviation
    exceeds top - lowest, no lower one top + highest.
    """

    s: Array
    upper: Array
    lower: Array
    counts: Array
    lowest: Array
    highest: Array
    top: float

    def tail(self, eps: float, m: int) -> float:
        """Sum over the pairs of the bound on P(|mean of m summands - k| >= eps)."""
        above = np.where(eps > self.top - self.lowest + _REACH, 0.0, _chernoff(self.s, self.upper, eps, m))
        below = np.where(eps > self.top + self.highest + _REACH, 0.0, _chernoff(self.s, self.lower, eps, m))
        return float(self.counts @ (above + below))


def tabulate(
    kernel: NormalisedKernel,
    batches: Iterable[tuple[Array, float]],
    embedding: Embedding,
    grid: Exponents,
    *,
    n_groups: int = 2048,
) -> ChernoffTable:
    """The table of all pairs in `batches` of (differences (p, d), multiplicity).

    Pairs with nearly the same kernel value share a row, which is the maximum of theirs: valid for each of them.
    """
    s = grid.s
    upper = np.zeros((n_groups, len(s)))
    lower = np.zeros((n_groups, len(s)))
    counts, lowest, highest = np.zeros(n_groups), np.ones(n_groups), -np.ones(n_groups)
    phase = 0.0 if embedding == "paired" else np.log(grid.bessel[0]) + s
    for differences, multiplicity in batches:
        k = kernel.at(differences)
        group = np.clip(((1 - k) / 2 * n_groups).astype(int), 0, n_groups - 1)
        above, below = _centred_log_mgf(kernel, differences, k, grid)
        for rows, values in ((upper, above), (lower, below)):
            _row_maximum(rows, group, values + phase)
        np.add.at(counts, group, multiplicity)
        np.minimum.at(lowest, group, k)
        np.maximum.at(highest, group, k)
    used = counts > 0
    top = 1.0 if embedding == "paired" else 2.0
    return ChernoffTable(s, upper[used], lower[used], counts[used], lowest[used], highest[used], top)


def _chernoff(s: Array, centred: Array, eps: float, m: int) -> Array:
    """exp(-m sup_s [s eps - centred(s)]), at most 1, for every row."""
    rate: Array = np.max(s * eps - centred, axis=-1)
    bound: Array = np.exp(-m * np.maximum(rate, 0.0))
    return bound


def _row_maximum(rows: Array, group: Array, values: Array) -> None:
    """rows[g] = max(rows[g], values of the pairs in group g), in place."""
    order = np.argsort(group, kind="stable")
    names, starts = np.unique(group[order], return_index=True)
    rows[names] = np.maximum(rows[names], np.maximum.reduceat(values[order], starts, axis=0))


def _centred_log_mgf(kernel: NormalisedKernel, differences: Array, k: Array, grid: Exponents) -> tuple[Array, Array]:
    """Over-estimates of log E exp(+-s (cos(omega . u) - k(u))), two arrays (n_pairs, n_s)."""
    s, bessel = grid.s, grid.bessel
    multiples = kernel.multiples(differences, len(bessel) - 1).T
    tail = np.maximum(0.0, 1 - bessel[0] - 2 * bessel[1:].sum(axis=0))
    even = bessel[0] + 2 * multiples[:, 1::2] @ bessel[2::2] + tail + _ROUNDING
    odd = 2 * multiples[:, 0::2] @ bessel[1::2]
    k = k[:, None]
    # cos <= 1 and cos >= -1 cap both, and keep the logarithm away from what rounding leaves of a cancelled sum.
    above = np.minimum(np.log(np.maximum(even + odd, _ROUNDING)) + s * (1 - k), s * (1 - k))
    below = np.minimum(np.log(np.maximum(even - odd, _ROUNDING)) + s * (1 + k), s * (1 + k))
    sub_gaussian = variance_proxy(kernel, "paired") * s**2 / 2
    above, below = np.minimum(above, sub_gaussian), np.minimum(below, sub_gaussian)
    if kernel.is_gaussian:
        below = np.minimum(below, _from_parabola(kernel.squared_radius(differences), s))
    return above, below


def _from_parabola(squared_radius: Array, s: Array) -> Array:
    """cos x >= 1 - x^2/2: log E exp(-s (cos - k)) <= -s (1 - k) - log(1 - s r^2) / 2 where s r^2 < 1."""
    r2 = squared_radius[:, None]
    inside = s * r2 < 1
    logarithm = np.log1p(-np.where(inside, s * r2, 0.0))
    bound: Array = np.where(inside, s * np.expm1(-r2 / 2) - logarithm / 2, np.inf)
    return bound
