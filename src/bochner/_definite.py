"""Cholesky factors of matrices that are definite only up to rounding: the diagonal is raised until one exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from bochner._blas import cholesky
from bochner._magnitude import overflowed
from bochner._threads import threads_for_factor
from bochner._typing import Array

__all__ = ["definite_cholesky", "raise_diagonal"]

Factor = TypeVar("Factor")

_DECADES = 640  # from the smallest to the largest float64: beyond, no diagonal helps


def raise_diagonal(
    factorise: Callable[[float], Factor | None], shift: float, *, floor: float = 0.0
) -> tuple[Factor, float]:
    """The factor of A + shift I and the shift: the one asked for, or `floor`, and tenfold from there, if A is singular.

    `factorise(shift)` is None where the matrix is not definite to working precision.
    """
    trial = float(shift)
    for _ in range(_DECADES):
        factor = factorise(trial)
        if factor is not None:
            return factor, trial
        trial = max(10 * trial, floor, float(np.finfo(float).tiny))
        if not trial < np.inf:  # not a number included
            break
    raise overflowed()


def definite_cholesky(A: Array, shift: float, *, floor: float = 0.0) -> Array:
    """Cholesky factor of A + shift I in the lower triangle of A, which is overwritten; the upper one has no meaning.

    `shift` is raised as in `raise_diagonal`: the strict upper triangle of A has what is needed to try again.
    """
    diagonal = np.diagonal(A).copy()

    def factorise(shift: float) -> Array | None:
        np.fill_diagonal(A, diagonal + shift)
        with threads_for_factor(len(A)):
            if cholesky(A):
                return A
        above = np.triu(A, 1)
        np.add(above, above.T, out=A)
        return None

    return raise_diagonal(factorise, shift, floor=floor)[0]
