"""Stand-ins of sufficient statistics in model files: packed triangles, or summaries without D x D arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, TypeVar, cast

import numpy as np

from bochner._typing import Array, JsonDict
from bochner.errors import FileFormatError, MissingStatisticsError
from bochner.solvers import LandmarkSpread, LowRankSpread, QuadraticPenalty
from bochner.statistics import Moments

__all__ = ["MomentsSummary", "PackedMoments", "PenaltySummary", "SpreadSummary"]


_Summary = TypeVar("_Summary")


@dataclass(frozen=True)
class PackedMoments:
    """Moments with the lower triangle of `zz` only, row by row: the rest of it has no meaning."""

    others: dict[str, object]
    lower: Array

    @classmethod
    def of(cls, moments: Moments) -> PackedMoments:
        others = {name: value for name, value in vars(moments).items() if name != "zz"}
        rows = [moments.zz[i, : i + 1] for i in range(len(moments.zz))]
        return cls(others, np.concatenate([np.empty(0), *rows]))

    def restored(self) -> Moments:
        D = len(np.asarray(self.others["z_mean"]))
        if self.lower.shape != (D * (D + 1) // 2,):
            raise FileFormatError("was altered: its moments do not have the size of their means.")
        zz, at = np.zeros((D, D)), 0
        for i in range(D):
            zz[i, : i + 1] = self.lower[at : at + i + 1]
            at += i + 1
        return Moments(**cast("JsonDict", self.others), zz=zz)


def _refuse() -> NoReturn:
    raise MissingStatisticsError(
        "This model was saved without its statistics: it predicts, but has no error bars, certificates, degrees of "
        "freedom or partial_fit. Save it with statistics=True."
    )


def _without(value: object, name: str, summary: type[_Summary]) -> _Summary:
    """An object of the type `summary` with the attributes of `value` but one."""
    made = object.__new__(summary)
    made.__dict__.update({key: part for key, part in vars(value).items() if key != name})
    return made


class MomentsSummary(Moments):
    """Moments without the D x D products of the features."""

    @classmethod
    def of(cls, moments: Moments) -> MomentsSummary:
        return _without(moments, "zz", cls)

    @property
    def zz(self) -> NoReturn:  # type: ignore[override]
        _refuse()


class PenaltySummary(QuadraticPenalty):
    """Quadratic penalty of earlier rows, without the (D + 1) x (D + 1) curvature."""

    @classmethod
    def of(cls, penalty: QuadraticPenalty) -> QuadraticPenalty:
        """The summary of a penalty, or the penalty itself if it has no curvature."""
        return penalty if penalty.matrix is None else _without(penalty, "matrix", cls)

    @property
    def matrix(self) -> NoReturn:  # type: ignore[override]
        _refuse()


class SpreadSummary(LowRankSpread):
    """Error bars through some rows, without the rows."""

    def __init__(self) -> None:
        pass

    @classmethod
    def in_place_of(cls, spread: LowRankSpread | LandmarkSpread) -> SpreadSummary:
        return cls()

    def __getstate__(self) -> dict[str, object]:
        return {}

    @property
    def n_bytes(self) -> int:  # overrides: as above
        return 0

    # Overrides: there are no rows to compute them from.

    def of(self, Z: Array) -> NoReturn:
        _refuse()

    def of_slopes(self, J: Array) -> NoReturn:
        _refuse()

    def covariance(self, Z: Array) -> NoReturn:
        _refuse()

    def draws(self, beyond: Array, random: np.random.Generator) -> NoReturn:
        _refuse()
