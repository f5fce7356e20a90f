"""Cholesky factors of matrices that are definite only up to rounding: the diagonal is raised until one exists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from bochner.errors import InvalidDataError

__all__ = ["raise_diagonal"]

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
    raise InvalidDataError(
        "A matrix of the fit has entries that are not finite. Look for huge numbers in the rows, targets and weights."
    )
