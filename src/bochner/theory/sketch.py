"""Johnson-Lindenstrauss bounds: errors of dot products after a linear sketch with normal directions.

z(x) = (omega_1 . x, ..., omega_D . x) / sqrt(D). The error of z(x).z(y) is in units of ||x|| ||y||, and has no largest
value: the features are not bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner.errors import invalid_parameter
from bochner.theory.base import Embedding, Source, Status, TailBound, check_eps, n_frequencies
from bochner.theory.finite_set import n_pairs
from bochner.theory.sources import BOCHNER

__all__ = ["JohnsonLindenstrauss"]

_NORMAL = "directions are independent standard normal vectors, fixed before looking at the points"


@dataclass(frozen=True, kw_only=True)
class JohnsonLindenstrauss(TailBound):
    """pairs * 2 exp(-D (eps - log(1 + eps)) / 2), for dot products and squared norms alike.

    (omega.x)(omega.y) of unit vectors is p u^2 - q v^2 with u, v normal and independent, p + q = 1: its cumulants are
    at most those of u^2, a chi-squared variable, so that Chernoff's bound for that holds on both sides.

    Parameters
    ----------
    n_points : int, default=None
        All pairs of so many points, and their squared norms; None: one pair.

    Examples
    --------
    >>> JohnsonLindenstrauss(n_points=1000).features_needed(eps=0.1, delta=0.01)
    7857
    """

    n_points: int | None = None

    embedding: ClassVar[Embedding] = "phase"  # every column is a draw of its own
    largest_error: ClassVar[float] = 1e6  # a start of the inversion: the tail there is below any delta
    quantity: ClassVar[str] = "the largest error of a dot product z(x).z(y), over ||x|| ||y||,"
    statement: ClassVar[str] = (
        "P(max over pairs |z(x).z(y) - x.y| >= eps ||x|| ||y||) <= pairs * 2 exp(-D (eps - log(1 + eps))/2)"
    )
    status: ClassVar[Status] = Status.VALID
    source: ClassVar[Source] = Source(BOCHNER, "cumulants of a product of normal variables (Johnson-Lindenstrauss)")
    assumptions: ClassVar[tuple[str, ...]] = (_NORMAL,)

    def __post_init__(self) -> None:
        n = self.n_points
        if n is not None and (isinstance(n, bool) or int(n) != n or n < 1):
            raise invalid_parameter(self, "n_points", "an integer >= 1 or None", n)

    def probability(self, eps: float, *, n_components: int) -> float:
        """Upper bound on P(error >= eps ||x|| ||y||), at most 1."""
        D = n_frequencies(n_components, self.embedding)
        pairs = 1 if self.n_points is None else n_pairs(int(self.n_points), embedding=self.embedding)
        return float(min(1.0, pairs * 2 * np.exp(-D * _exponent(check_eps(eps)))))


def _exponent(eps: float) -> float:
    """(eps - log(1 + eps)) / 2, by its series where the difference would lose digits."""
    if eps < 1e-4:
        return eps**2 / 4 - eps**3 / 6
    return float(eps - np.log1p(eps)) / 2
