"""Statistics of the rows in a file: the half of them that has a meaning, or only what predictions need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from bochner._typing import Array
from bochner.errors import FileFormatError, MissingStatisticsError
from bochner.solvers import LowRankSpread, QuadraticPenalty
from bochner.statistics import Moments

__all__ = ["MomentsSummary", "PackedMoments", "PenaltySummary", "SpreadSummary"]


@dataclass(frozen=True)
class PackedMoments:
    """Moments with the lower triangle of `zz` only, row by row: the rest of it has no meaning."""

    others: dict[str, Any]
    lower: Array

    @classmethod
    def of(cls, moments: Moments) -> PackedMoments:
        others = {name: value for name, value in vars(moments).items() if name != "zz"}
        rows = [moments.zz[i, : i + 1] for i in range(len(moments.zz))]
        return cls(others, np.concatenate([np.empty(0), *rows]))

    def unpacked(self) -> Moments:
        D = len(self.others["z_mean"])
        if self.lower.shape != (D * (D + 1) // 2,):
            raise FileFormatError("was altered: its moments do not have the size of their means.")
        zz, at = np.zeros((D, D)), 0
        for i in range(D):
            zz[i, : i + 1] = self.lower[at : at + i + 1]
            at += i + 1
        return Moments(**self.others, zz=zz)


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


class SpreadSummary(LowRankSpread):
    """Error bars through some rows, without the rows."""

    def __init__(self) -> None:
        pass

    def __getstate__(self) -> dict[str, Any]:
        return {}

    def of(self, Z: Array) -> NoReturn:
        _refuse()
