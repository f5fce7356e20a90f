"""Leverage-score sampling of random frequencies, with importance weights."""

from __future__ import annotations

import time
from heapq import heapreplace
from numbers import Integral, Real

import numpy as np

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.errors import AssumptionError, invalid_parameter
from bochner.kernels.measure import SpectralMeasure
from bochner.sampling.base import Frequencies, Sampler
from bochner.sampling.monte_carlo import MonteCarlo
from bochner.sampling.pilot import (
    Pilot,
    PilotRecord,
    ScoredPool,
    leverage,
    penalty_of_dimension,
    sample_rows,
    spectrum,
)
from bochner.sampling.projection import DenseProjection

__all__ = ["Leverage"]

_POOL_FACTOR, _LARGEST_POOL = 8, 16_384


class Leverage(Sampler):
    """Frequencies in proportion to their leverage on the data (Bach 2017; Li et al. 2019, Algorithm 1).

    A pool of s frequencies is drawn from the spectral measure and scored on a pilot of the rows; m of the pool are
    taken, in proportion to

        q_i = (1 - mixing) tau_i / sum_j tau_j + mixing / s

    without replacement:  one of each of m groups of the pool,    w_i = m / (s p_i),  p_i about min(1, c q_i)
    with replacement:     m independent draws from q,             w_i = 1 / (s q_i)   <=  1 / mixing

    The weights w_i make E z.z' = k: given the pool the kernel estimate has the mean of the pool's, and so, over pools,
    the kernel. Without replacement the pool is dealt into m groups in each of which min(1, c q_i) sums to about 1,
    and each gives one frequency, with probabilities p_i that sum to 1 in it: none is kept twice, which at equal width
    is far closer to K, and the groups draw independently, so that the bound for the independent draws of the papers
    holds for them, too (docs/decisions/060): `theory.pool`, relative to the pool.

    Parameters
    ----------
    penalty : float, default=None
        lambda = alpha / n of the ridge problem that the features are for. None: the one at which the effective
        dimension of the pilot is half of what the features, or the pilot, can resolve: min(m, pilot rows) / 2.
    pool_size : int, default=None
        s. None: 8 m, at most 16,384 but at least 2 m.
    pilot_rows : int, default=1000
        Rows to score the pool on. The time is O(r^3 + r^2 s) for r rows.
    mixing : float in (0, 1], default=0.2
        Share of the plain law in the proposal; weights are at most 1 / mixing, without replacement times the mass of a
        group, which is below 2. 1 is a plain sample of the pool.
    pool : Sampler, default=None
        How the pool is drawn; None: `MonteCarlo()`. `Orthogonal()` and `QuasiMonteCarlo()` add their gain.
    replacement : bool, default=False
        Draw every frequency from all of the pool, independently: farther from the kernel at equal width.
    """

    independent = False
    nested = False
    uses_pilot = True

    def __init__(
        self,
        *,
        penalty: float | None = None,
        pool_size: int | None = None,
        pilot_rows: int = 1000,
        mixing: float = 0.2,
        pool: Sampler | None = None,
        replacement: bool = False,
    ) -> None:
        self.penalty = penalty
        self.pool_size = pool_size
        self.pilot_rows = pilot_rows
        self.mixing = mixing
        self.pool = pool
        self.replacement = replacement

    def draw(
        self, measure: SpectralMeasure, n_frequencies: int, n_features: int, seed: int, pilot: Pilot | None = None
    ) -> Frequencies:
        # Overrides: frequencies are taken from a pool that is scored on the data, not from standard points alone.
        start = time.perf_counter()
        pool = self.scored_pool(measure, n_frequencies, n_features, seed, pilot)
        taken, weights = self._sample(pool, n_frequencies, seed)
        record = PilotRecord(
            n_rows=pool.n_rows,
            pool_size=len(pool.omega),
            penalty=pool.penalty,
            effective_dimension=float(np.mean(pool.scores)),
            standard_error=float(np.std(pool.scores) / np.sqrt(len(pool.scores))),
            largest_weight=float(np.max(weights)),
            seconds=time.perf_counter() - start,
        )
        return Frequencies(DenseProjection(pool.omega[taken]), weights, record)

    def scored_pool(
        self, measure: SpectralMeasure, n_frequencies: int, n_features: int, seed: int, pilot: Pilot | None = None
    ) -> ScoredPool:
        """The pool that `draw` takes its frequencies from, given the same arguments."""
        if pilot is None:
            raise AssumptionError(
                "Leverage chooses frequencies for data: fit FourierFeatures on them, or give a pilot."
            )
        size = self._pool_size(n_frequencies)
        self._check()
        omega = self._pool().draw(measure, size, n_features, seed).omega
        rows = sample_rows(pilot.X, self.pilot_rows, seed)
        penalty = self.penalty
        if penalty is None:
            penalty = penalty_of_dimension(spectrum(rows, pilot.kernel), min(n_frequencies, len(rows)) / 2)
        scores = leverage(rows, omega, pilot.kernel, penalty)
        proposal = (1 - self.mixing) * scores / np.sum(scores) + self.mixing / size
        return ScoredPool(omega, scores, proposal, self.replacement, float(penalty), len(rows))

    def points(self, m: int, d: int, n_vectors: int, n_uniforms: int, seed: int) -> tuple[Array, Array]:
        """Standard points of the pool."""
        return self._pool().points(m, d, n_vectors, n_uniforms, seed)

    def memory(self, n_rows: int, n_frequencies: int, n_features: int) -> dict[str, int]:
        """Bytes that a draw holds at its peak, item by item."""
        rows, size = min(n_rows, self.pilot_rows), self._pool_size(n_frequencies)
        return {
            "pool of frequencies": 16 * size * n_features,
            "pilot rows": 16 * rows * n_features,
            "kernel matrix and scores of the pilot": 8 * rows * (2 * rows + 4 * min(size, 1024)),
        }

    def _sample(self, pool: ScoredPool, m: int, seed: int) -> tuple[Array, Array]:
        """Positions in the pool of the m frequencies to take, and their weights."""
        size, rng = len(pool.proposal), generator(seed, Purpose.RESAMPLE)
        if self.replacement:
            taken = rng.choice(size, size=m, p=pool.proposal / np.sum(pool.proposal))
            return taken, 1 / (size * pool.proposal[taken])
        order, inclusion = in_groups(inclusion_probabilities(pool.proposal, m))
        taken = draw_groups(order, inclusion, rng.random(m))
        return taken, m / (size * inclusion[taken])

    def _pool(self) -> Sampler:
        return MonteCarlo() if self.pool is None else self.pool

    def _pool_size(self, m: int) -> int:
        if self.pool_size is None:
            return max(2 * m, min(_POOL_FACTOR * m, _LARGEST_POOL))
        least = 1 if self.replacement else m
        if not _is_count(self.pool_size) or self.pool_size < least:
            raise invalid_parameter(
                self, "pool_size", f"None or an integer of at least {least} (frequencies)", self.pool_size
            )
        return int(self.pool_size)

    def _check(self) -> None:
        if not _is_number(self.mixing) or not 0 < self.mixing <= 1:
            raise invalid_parameter(self, "mixing", "in (0, 1]", self.mixing)
        if self.penalty is not None and not (_is_number(self.penalty) and 0 < self.penalty < np.inf):
            raise invalid_parameter(self, "penalty", "None or a positive finite number (alpha / n)", self.penalty)
        if not _is_count(self.pilot_rows) or self.pilot_rows < 1:
            raise invalid_parameter(self, "pilot_rows", "an integer of at least 1", self.pilot_rows)
        if not isinstance(self.replacement, bool | np.bool_):
            raise invalid_parameter(self, "replacement", "True or False", self.replacement)
        if self._pool().uses_pilot:
            raise invalid_parameter(self, "pool", "a sampler that needs no pilot, or None", self.pool)


def inclusion_probabilities(proposal: Array, m: int) -> Array:
    """pi_i = min(1, c q_i) with sum m: what would be kept more than once is kept for sure, the rest share what is left.

    Every round fixes at least one more, and c only grows.
    """
    certain = np.zeros(len(proposal), dtype=bool)
    while True:
        left = m - np.count_nonzero(certain)
        scaled = np.where(certain, 1.0, proposal * (left / max(np.sum(proposal[~certain]), np.finfo(float).tiny)))
        more = (scaled >= 1) & ~certain
        if not np.any(more):
            return scaled
        certain |= more


def in_groups(inclusion: Array) -> tuple[Array, Array]:
    """Positions group by group, and probabilities near `inclusion` that sum to 1 in every group: pi_i / its mass.

    The largest first, each joins the lightest group, so that masses differ as little as may be. What is certain is a
    group of its own.
    """
    certain = inclusion >= 1
    rest = np.flatnonzero(~certain)
    rest = rest[np.argsort(-inclusion[rest], kind="stable")]
    groups = [(0.0, k) for k in range(round(float(np.sum(inclusion[rest]))))]  # a heap: all are as light
    member = np.empty(len(rest), dtype=int)
    for at, mass in enumerate(inclusion[rest]):
        total, member[at] = groups[0]
        heapreplace(groups, (total + mass, int(member[at])))
    shares = np.ones(len(inclusion))
    shares[rest] = inclusion[rest] / np.bincount(member, inclusion[rest], minlength=1)[member]
    return np.concatenate([rest[np.argsort(member, kind="stable")], np.flatnonzero(certain)]), shares


def draw_groups(order: Array, inclusion: Array, uniforms: Array) -> Array:
    """One position of every group, by a uniform number for each: independent draws."""
    reach = np.cumsum(inclusion[order])
    kept = np.searchsorted(reach, np.arange(len(uniforms)) + uniforms, side="right")
    taken: Array = order[np.minimum(kept, len(order) - 1)]
    return taken


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
