"""Permutation and wild bootstrap of the blocks of two samples, and the p-value.

Under the null hypothesis the rows of both samples are exchangeable. Rows are cut into blocks of equal size, each from
one sample; a permutation of the blocks is a permutation of the rows, so the observed statistic is as likely to have
any rank among the relabelled ones. Blocks of one row give the usual permutation test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, logsumexp

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.errors import invalid_parameter

__all__ = ["Relabelling", "check_resamples", "cut", "fused", "normal_scores", "p_value", "studentised"]

_SINGLE_ROWS, _MOST_BLOCKS, _FEWEST_BLOCKS, _SUM_BYTES = 4096, 1024, 512, 2**28
_NO_SKEWNESS = 1e-3
_SHARPNESS = 4.0  # of the soft maximum: with 1, kernels that see nothing cost power (docs/decisions/011)


def cut(n: int, m: int, n_components: int) -> tuple[int, tuple[int, int]]:
    """Rows of a block, and the blocks of two samples of n and m rows.

    A block is a row up to 4,096 rows in all; beyond that there are at most 1,024 blocks, or fewer (some 512 at least)
    where their sums would take more than 256 MB. The smaller sample is cut evenly: fewer of its rows than it has blocks
    are left over. Where it is shorter than a block should be, it is one block, and not all of the other sample is cut.
    """
    if n + m <= _SINGLE_ROWS:
        return 1, (n, m)
    blocks = int(np.clip(_SUM_BYTES // (8 * n_components), _FEWEST_BLOCKS, _MOST_BLOCKS))
    smaller = min(n, m)
    rows = smaller // max(1, smaller // -(-(n + m) // blocks))
    return rows, (min(n // rows, blocks), min(m // rows, blocks))


@dataclass(frozen=True)
class Relabelling:
    """Relabellings of blocks: those of the first sample as observed, then in `n_resamples` random draws.

    Attributes
    ----------
    n_blocks : (int, int)
        Blocks of the first and of the second sample.
    kind : {"permutation", "wild"}
        "permutation": all relabellings with these numbers of blocks. "wild": block j of the first sample changes places
        with block j of the second, or not, with probability 1/2 (the wild bootstrap with Rademacher signs).
    n_resamples : int
    seed : int
    """

    n_blocks: tuple[int, int]
    kind: str
    n_resamples: int
    seed: int

    def chunks(self, size: int) -> Iterator[Array]:
        """Indicators of the first sample, (at most `size`, n_blocks), the observed one first; always the same."""
        rng, left = generator(self.seed, Purpose.RESAMPLES), self.n_resamples
        first, second = self.n_blocks
        observed = np.r_[np.ones(first), np.zeros(second)][None]
        while left > 0:
            drawn = min(left, size - len(observed))
            yield np.vstack([observed, self._draw(rng, drawn)])
            observed, left = observed[:0], left - drawn

    def _draw(self, rng: np.random.Generator, rows: int) -> Array:
        first, second = self.n_blocks
        if self.kind == "wild":
            flips = rng.integers(0, 2, (rows, first)).astype(float)
            return np.hstack([flips, 1 - flips])
        labels = np.zeros((rows, first + second))
        labels[:, :first] = 1
        return rng.permuted(labels, axis=1, out=labels)


def p_value(values: Array, tolerance: float) -> float:
    """(1 + number of relabelled values at least as large as the observed one) / (1 + B); `values[0]` is observed.

    Values within the tolerance are ties, and count as larger.
    """
    return float((1 + np.sum(values[1:] >= values[0] - tolerance)) / len(values))


def studentised(values: Array) -> Array:
    """Values (..., 1 + B) minus their mean, over their standard deviation: symmetric in all 1 + B of them."""
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = values.std(axis=-1, keepdims=True)
    return np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-13)


def normal_scores(values: Array) -> Array:
    """Studentised values (..., 1 + B) without their skewness g (Wilson & Hilferty 1931): increasing, nearly normal.

        z = (6 / g) ((1 + g t / 2)^(1/3) - 1) + g / 6

    The null law of a squared MMD is that of a sum of weighted chi-squares: a few of them at large bandwidths, very
    skewed, and many at small ones.
    """
    t = studentised(values)
    g = np.mean(t**3, axis=-1, keepdims=True)
    g = np.where(np.abs(g) < _NO_SKEWNESS, _NO_SKEWNESS, g)
    return 6 / g * (np.cbrt(1 + g * t / 2) - 1) + g / 6


def fused(values: Array) -> Array:
    """One statistic from those of K kernels, (K, 1 + B) -> (1 + B,): a soft maximum of normalised ones.

        (1/4) log mean_k exp(4 s_kb),    s = -log P(N > z) of the normal scores z of T_k

    minus the logarithm of a power mean of approximate p-values, near the smallest of them. The observed and the
    relabelled statistics are treated alike, so the p-value of the fused statistic is that of one test, and exact:
    nothing has to be corrected for the number of kernels (Biggs, Schrab & Gretton 2023, MMD-FUSE, with another
    normaliser).
    """
    scores = -log_ndtr(-normal_scores(values))
    return (logsumexp(_SHARPNESS * scores, axis=0) - np.log(len(values))) / _SHARPNESS


def check_resamples(owner: str, n_resamples: int) -> None:
    """Refuse a number of resamples that gives no p-value."""
    if isinstance(n_resamples, (bool, str)) or int(n_resamples) != n_resamples or n_resamples < 1:
        raise invalid_parameter(owner, "n_resamples", "an integer >= 1", n_resamples)
