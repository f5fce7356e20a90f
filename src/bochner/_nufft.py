"""Non-uniform fast Fourier transforms of finufft (Barnett, Magland & af Klinteberg 2019): one, two or three axes."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from math import prod

import numpy as np

from bochner._magnitude import overflowed
from bochner._typing import Array
from bochner.errors import MissingExtraError

__all__ = ["has_nufft", "modes_to_points", "points_to_modes", "require_nufft"]

_TOLERANCE = 1e-12  # relative; of two thirds of the speed of 1e-9
_LARGE = 2**20  # modes from which the fine grid of a transform, four times as many, is what time and memory go to
_OF_LARGE = {"eps": 1e-9, "upsampfac": 1.25}


def has_nufft() -> bool:
    """Whether finufft is installed."""
    return find_spec("finufft") is not None


def require_nufft() -> None:
    """Raise an error with the command that installs finufft, if it is not there."""
    if not has_nufft():
        raise MissingExtraError("finufft", "lowdim")


def points_to_modes(angles: Array, values: Array, shape: tuple[int, ...], threads: int) -> Array:
    """sum_i values_i e^(-i j.theta_i) for all modes j of an odd `shape`; angles (d, n), complex values (n,): type 1."""
    _require_finite(angles)
    transform = _transform(len(angles), 1)
    return transform(*angles, values, shape, isign=-1, nthreads=threads, **_accuracy(prod(shape)))


def modes_to_points(angles: Array, modes: Array, threads: int) -> Array:
    """sum_j modes_j e^(i j.theta_i) at all points, of angles (d, n) and complex modes: type 2."""
    _require_finite(angles)
    transform = _transform(len(angles), 2)
    return transform(*angles, np.ascontiguousarray(modes), isign=1, nthreads=threads, **_accuracy(modes.size))


def _accuracy(n_modes: int) -> dict[str, float]:
    """Tolerance of a transform, and how much finer its grid of points is than the modes: 2, or 1.25 for many modes.

    Errors of 1e-9 are in sums of the highest modes, which have the least weights: alpha does not drown in them
    (tests/test_nufft.py).
    """
    return _OF_LARGE if n_modes > _LARGE else {"eps": _TOLERANCE}


def _require_finite(angles: Array) -> None:
    """finufft takes angles for places in memory, without a look: those that are no numbers are outside of it."""
    if not np.all(np.isfinite(angles)):
        raise overflowed()


def _transform(d: int, kind: int) -> Callable[..., Array]:
    require_nufft()
    import finufft

    found: Callable[..., Array] = getattr(finufft, f"nufft{d}d{kind}")
    return found
