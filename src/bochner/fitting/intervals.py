"""Prediction intervals: by the normal law, or distribution-free by split conformal prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtri

from bochner._random import Purpose, generator
from bochner._typing import Array
from bochner.data import ArrayRows, RowSource
from bochner.errors import InvalidDataError
from bochner.fitting.deviations import DeviationPower

__all__ = ["ConformalScores", "calibration_split", "normal_half_widths"]

_SHARE, _MOST = 0.1, 2000  # of the rows held out: more would make the coverage of one fit only a little steadier
_FEWEST = 20
_KEPT = 2000  # scores of a model: of more rows their quantiles


@dataclass(frozen=True)
class ConformalScores:
    """Conformal scores |y - mean| / std of held-out rows, sorted, shape (m, t).

    With s the ceil((m + 1) level)-th smallest score, the interval mean +- s std covers the target of a new row with
    probability at least `level` and at most level + 1 / (m + 1), whatever the law of the rows and however wrong the
    model, as long as new rows and held-out rows are exchangeable (Vovk et al. 2005; Lei et al. 2018, theorem 2.2). The
    probability is over held-out and new rows together, not at every x.

    With a power, deviations are those that it makes of the model's.
    """

    scores: Array
    power: DeviationPower | None = None

    @classmethod
    def of(
        cls, Y: Array, mean: Array, std: Array, weight: Array | None = None, power: DeviationPower | None = None
    ) -> ConformalScores:
        """Scores of held-out rows, which count as often as their weights (m,) say."""
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = np.abs(Y - mean) / (std if power is None else power(std))
        scores = np.where(mean == Y, 0.0, scores)
        if weight is None and len(scores) <= _KEPT:
            return cls(np.sort(scores, axis=0), power)
        return cls(_weighted_quantiles(scores, np.ones(len(scores)) if weight is None else weight), power)

    def factor(self, level: float) -> Array:
        """s for every target; infinite if the held-out rows are too few for the level."""
        m = len(self.scores)
        rank = int(np.ceil((m + 1) * level - 1e-9))
        return self.scores[rank - 1] if rank <= m else np.full(self.scores.shape[1], np.inf)

    def half_widths(self, std: Array, level: float) -> Array:
        """Half the widths (n, t) of intervals at standard deviations (n, t); infinite where a factor is."""
        factors, sizes = self.factor(level), std if self.power is None else self.power(std)
        found: Array = np.where(np.isinf(factors), 1.0, sizes) * factors  # the deviation of a single row is 0
        return found.astype(std.dtype, copy=False)


def _weighted_quantiles(scores: Array, weight: Array) -> Array:
    """As many quantiles of each column, at the levels (i - 1/2) / m, as there are rows, 2,000 at most.

    Of so few rows of equal weights, they are the rows.
    """
    order = np.argsort(scores, axis=0, kind="stable")
    levels = np.cumsum(weight[order], axis=0) / weight.sum()
    size = min(len(scores), _KEPT)
    wanted = (np.arange(size) + 0.5) / size
    index = [np.searchsorted(column, wanted).clip(max=len(scores) - 1) for column in levels.T]
    return np.take_along_axis(np.take_along_axis(scores, order, axis=0), np.column_stack(index), axis=0)


def normal_half_widths(std: Array, level: float) -> Array:
    """Half the widths of the central intervals of normal laws of these standard deviations."""
    return float(ndtri(0.5 + level / 2)) * std


def calibration_split(blocks: RowSource, seed: int) -> tuple[ArrayRows, ArrayRows]:
    """Rows to fit, and rows to calibrate on: a tenth of those of positive weight, at most 2,000.

    The first part has all rows, with weight 0 for those of the second.
    """
    rows = blocks.arrays
    if rows is None:
        raise InvalidDataError(f"interval='conformal' needs rows in memory. Got {type(blocks).__name__}.")
    weight = np.ones(rows.n_rows) if rows.sample_weight is None else np.array(rows.sample_weight, dtype=float)
    present = np.flatnonzero(weight)
    size = min(max(_FEWEST, int(_SHARE * len(present))), _MOST)
    if len(present) < 2 * size:
        raise InvalidDataError(f"interval='conformal' needs at least {2 * _FEWEST} rows. Got {len(present)}.")
    held = np.sort(generator(seed, Purpose.CALIBRATION).choice(present, size=size, replace=False))
    weight[held] = 0
    return (
        replace(rows, sample_weight=weight),
        replace(rows, X=rows.X[held], Y=rows.Y[held], sample_weight=None),
    )
