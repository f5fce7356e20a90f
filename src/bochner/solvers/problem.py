"""Ridge problem in normal form, and its criteria at one penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from bochner._typing import Array
from bochner.statistics.moments import Moments

__all__ = ["RidgePoint", "RidgeProblem", "noise_floor"]


@dataclass(frozen=True)
class RidgeProblem:
    """Minimise ||y - w_0 - Z w||^2 + alpha ||w||^2 over w, and over the intercept w_0 if there is one.

        (G + alpha I) w = c,       G = Z'Z,  c = Z'y,  both centred if there is an intercept

    Attributes
    ----------
    gram : array of shape (D, D)
        G in its lower triangle, C-ordered. Solvers do not change it.
    cross : array of shape (D, t)
    energy : array of shape (t,)
        y'y, centred if there is an intercept.
    n : float
        Sum of the sample weights.
    intercept : bool
    precision : float
        Unit round-off of the products in G.
    """

    gram: Array
    cross: Array
    energy: Array
    n: float
    intercept: bool
    precision: float

    @classmethod
    def from_moments(cls, moments: Moments, fit_intercept: bool) -> Self:
        """The problem behind moments. Without an intercept the means are put back into a copy of them."""
        gram, cross, energy = moments.zz, moments.zy, moments.yy
        if not fit_intercept:
            z, y, weight = moments.z_mean, moments.y_mean, moments.weight
            gram = np.outer(weight * z, z)
            gram += moments.zz
            cross, energy = cross + weight * np.outer(z, y), energy + weight * y**2
        return cls(gram, cross, energy, moments.weight, fit_intercept, moments.precision)

    @property
    def width(self) -> int:
        return len(self.gram)

    def noise_floor(self) -> float:
        """Size of the rounding errors in G, as an eigenvalue: below it a penalty solves nothing.

        The products of G carry a relative error of the unit round-off; as a matrix of independent signs its
        norm is about 2 sqrt(D) times that of an entry, and an entry is at most the mean of diag G.
        """
        return noise_floor(float(np.trace(self.gram)), self.width, self.precision)


def noise_floor(trace: float, width: int, precision: float) -> float:
    """`RidgeProblem.noise_floor` of a matrix that is not formed."""
    return float(2 * precision * np.sqrt(width) * trace / width)


@dataclass(frozen=True)
class RidgePoint:
    """Residual, penalty norm, degrees of freedom and log determinant at one alpha.

    Attributes
    ----------
    alpha : float
    residual : array of shape (t,)
        ||y - w_0 - Z w||^2.
    penalty : array of shape (t,)
        ||w||^2.
    dof : float
        Effective degrees of freedom tr G (G + alpha I)^-1, plus 1 for an intercept.
    log_det : float
        log det(G + alpha I).
    """

    alpha: float
    residual: Array
    penalty: Array
    dof: float
    log_det: float
