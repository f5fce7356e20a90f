"""Principal axes from moments: the leading eigenvectors of the centred second moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from bochner._typing import Array
from bochner.statistics.moments import Moments

__all__ = ["PrincipalAxes", "principal_axes"]


@dataclass(frozen=True)
class PrincipalAxes:
    """Eigenvectors of G = sum_i w_i (z_i - zbar)(z_i - zbar)', the largest eigenvalue first.

    Attributes
    ----------
    eigenvalues : array of shape (p,)
    components : array of shape (p, D)
        Orthonormal rows; the largest entry of each, in absolute value, is positive.
    total : float
        tr G, the sum of all D eigenvalues.
    """

    eigenvalues: Array
    components: Array
    total: float


def principal_axes(moments: Moments, n_axes: int | None) -> PrincipalAxes:
    """The first `n_axes` axes; None: all whose eigenvalue is above the rounding of the moments."""
    D = len(moments.zz)
    chosen = None if n_axes is None else [D - n_axes, D - 1]
    eigenvalues, vectors = eigh(moments.zz, lower=True, subset_by_index=chosen, driver="evr", check_finite=False)
    eigenvalues, components = np.maximum(eigenvalues[::-1], 0.0), vectors.T[::-1]
    if n_axes is None:
        above = eigenvalues > D * moments.precision * eigenvalues[0]
        eigenvalues, components = eigenvalues[above], components[above]
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=1)[:, None], axis=1)
    return PrincipalAxes(eigenvalues, components * np.sign(largest), max(float(np.trace(moments.zz)), 0.0))
