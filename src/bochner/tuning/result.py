"""Result of tuning: the kernel with its learned length scales, and the descents that led there."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bochner._typing import Array
from bochner.kernels import Stationary

__all__ = ["Stage", "Tuning", "rounded"]

_DIGITS = 3  # more are not known, and rounding differences must not show


@dataclass(frozen=True)
class Stage:
    """One descent: its kernel, its size, and the criterion after every iteration (per row, lower is better).

    Attributes
    ----------
    kernel : Stationary
        Of length scale 1.
    n_rows : int
    n_frequencies : int or None
        None: the kernel itself.
    losses : tuple of float
    theta : array
        Where it ended: log scales (in units of the columns' spread), log noise, log signal; for the held-out log loss,
        log scales and the logarithm of alpha / n (`EvidenceParameters`, `ClassifierParameters`).
    """

    kernel: Stationary
    n_rows: int
    n_frequencies: int | None
    losses: tuple[float, ...]
    theta: Array

    @property
    def loss(self) -> float:
        return self.losses[-1]


@dataclass(frozen=True)
class Tuning:
    """A kernel whose scales were learned, and how.

    Attributes
    ----------
    kernel : Stationary
        With its length scales, rounded to three digits.
    length_scale : float or array of shape (n_features,)
    noise_variance, signal_variance : float or None
        As the narrow map saw them, in units of the variance of the target. The fit estimates them again at full width.
        None for a classifier.
    log_evidence : float or None
        Per row, at the last stage, for a target of variance 1; None for other criteria.
    criterion : {"evidence", "gcv", "held-out log loss"}
    stages : tuple of Stage
        Every descent: all kernels and starts first, then the refinements of the best.
    n_rows, n_frequencies : int
        Of the last stage; no frequencies if it had the kernel itself.
    n_restarts : int
    seconds : float
    held_out_loss : float or None
        Of a classifier: mean log loss of rows that no descent held out, by a model of others.
    warped : bool
        Whether the kernel is one of rank-warped columns (`RankWarp`).
    column_spreads : array of shape (n_features,) or None
        Units of the columns in which a metric was learned from moments.
    rivals : tuple of Tuning
        Simpler ones that may predict as well with all rows; none once a model has been chosen.
    """

    kernel: Stationary
    length_scale: float | Array
    noise_variance: float | None
    signal_variance: float | None
    log_evidence: float | None
    criterion: str
    stages: tuple[Stage, ...]
    n_rows: int
    n_frequencies: int | None
    n_restarts: int
    seconds: float
    held_out_loss: float | None = None
    warped: bool = False
    column_spreads: Array | None = None
    rivals: tuple[Tuning, ...] = ()

    def in_units(self, unit: Array) -> Tuning:
        """A tuning of columns in these units (d,), for the columns themselves."""
        scales = rounded(unit * self.length_scale)
        scale: float | Array = float(scales[0]) if len(scales) == 1 else scales
        return replace(self, kernel=self.kernel.with_length_scale(scale), length_scale=scale)


def rounded(scales: Array) -> Array:
    """Scales to three digits."""
    step = 10.0 ** (np.floor(np.log10(scales)) - _DIGITS + 1)
    return np.round(scales / step) * step
