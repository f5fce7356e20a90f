"""What is left of sufficient statistics in a file without them: enough to predict, and the reason for all else."""

from __future__ import annotations

from typing import NoReturn

from bochner.errors import MissingStatisticsError
from bochner.solvers import QuadraticPenalty
from bochner.statistics import Moments

__all__ = ["MomentsSummary", "PenaltySummary"]


def _refuse() -> NoReturn:
    raise MissingStatisticsError(
        "This model was saved without its statistics: it predicts, but has no error bars, certificates, degrees of "
        "freedom or partial_fit. Save it with statistics=True."
    )


class MomentsSummary(Moments):
    """Moments without the D x D products of the features."""

    @property
    def zz(self) -> NoReturn:  # type: ignore[override]
        _refuse()


class PenaltySummary(QuadraticPenalty):
    """What earlier rows said, without the (D + 1) x (D + 1) curvature."""

    @property
    def matrix(self) -> NoReturn:  # type: ignore[override]
        _refuse()
