"""Approximate error bars of the exact kernel machine, through landmarks among its rows.

    v(x) = 1 + (k(x, x) - ||z||^2) / alpha + (z - zbar)'(G + alpha I)^-1 (z - zbar) + 1/n,      z = C^-1 k(L, x)

with G the centred moments of the features z of all rows, and the last term for an intercept: what the landmarks explain
is as certain as a model on them is, and nothing is known of the rest. Far from the landmarks that is more than the
exact variance; with as many landmarks as rows it is the exact one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bochner._blas import solve_lower
from bochner._typing import Array

__all__ = ["LandmarkSpread"]


@dataclass(frozen=True, eq=False)
class LandmarkSpread:
    """Variance of a prediction in units of the noise variance, less the prior variance k(x, x) / alpha of the map.

    Attributes
    ----------
    landmarks : array of shape (L,)
        Numbers of the landmarks among the points of the map.
    whitening : array of shape (L, L)
        C, the Cholesky factor of their kernel matrix.
    factor : array of shape (L, L)
        Cholesky factor of G + alpha I.
    centre : array of shape (L,)
        zbar; zeros without an intercept.
    offset : float
        1, and 1 / n for an intercept.
    alpha : float
    """

    landmarks: Array
    whitening: Array
    factor: Array
    centre: Array
    offset: float
    alpha: float

    approximate: ClassVar[bool] = True

    @property
    def rows(self) -> int:
        return len(self.landmarks)

    @property
    def n_bytes(self) -> int:
        return int(self.whitening.nbytes + self.factor.nbytes)

    def of(self, Z: Array) -> Array:
        """Of rows with kernel values Z (m, n) against the points."""
        features = np.array(Z[:, self.landmarks], dtype=float, order="C")
        solve_lower(self.whitening, features)
        explained = np.einsum("ij,ij->i", features, features)
        features -= self.centre
        solve_lower(self.factor, features)
        return self.offset + np.einsum("ij,ij->i", features, features) - explained / self.alpha
