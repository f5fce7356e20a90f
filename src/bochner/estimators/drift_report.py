"""Result of testing one batch for drift."""

from __future__ import annotations

from dataclasses import dataclass, field

from bochner._typing import Array

__all__ = ["DriftReport"]


@dataclass(frozen=True)
class DriftReport:
    """Result of `DriftDetector.predict`: p-value, statistic, threshold and the columns that changed.

    Attributes
    ----------
    is_drift : bool
        Whether the p-value is at most the detector's false-alarm rate.
    pvalue : float
    statistic : float
        Squared distance between the mean maps of batch and reference.
    threshold : float
        The statistic at which drift is reported for a batch of this size.
    contributions : array of shape (n_features,)
        Share of every feature in the difference; see `DriftDetector.contributions`.
    """

    is_drift: bool
    pvalue: float
    statistic: float
    threshold: float
    contributions: Array = field(repr=False)

    def __bool__(self) -> bool:
        return self.is_drift
