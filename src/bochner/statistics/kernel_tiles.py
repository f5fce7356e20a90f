"""Tiles of exact kernel values with a bound on their rounding errors, in float64, and of orbit kernels.

A rough kernel, whose profile sees the root of what inner products lose, is computed from differences. Without bounds,
and in float32, every kernel of distance goes through the GEMM (`bochner.features.kernel_tiles`).
"""

from __future__ import annotations

import numpy as np

from bochner._typing import Array
from bochner.errors import AssumptionError
from bochner.features import transform
from bochner.features.kernel_tiles import UNIT_ROUNDOFF, DirectValues, GemmValues, Prepared, Values, parts_of
from bochner.features.nystroem import KernelMap
from bochner.groups import Transforms
from bochner.kernels.base import Stationary
from bochner.kernels.text import in_one_line

__all__ = ["PROFILE_ERROR", "OrbitValues", "bounded_values"]

PROFILE_ERROR = 1e-14
"""Relative error of a profile at a given distance in float64: exp, powers and Bessel functions."""

_GEMM_ERROR = 1e-12  # of a kernel value, up to which distances come from inner products


class OrbitValues(Values):
    """The mean of a kernel over transformations of both sides, or of one where that is the same.

    `KernelMap` takes distances from inner products, of rows that are centred at most once more: 4 times the squared
    norms. A rough kernel sees the root of what is lost there.
    """

    def __init__(self, kernel: Stationary, transforms: Transforms, one_sided: bool, X: Array) -> None:
        self.kernel, self.transforms, self.one_sided, d = kernel, transforms, one_sided, X.shape[1]
        moments, slope = kernel.second_moments(d), kernel.lipschitz(d)
        self.smooth, loss = bool(np.all(np.isfinite(moments))), 8 * (d + 8) * UNIT_ROUNDOFF
        if not (self.smooth or np.isfinite(slope)):
            raise _not_lipschitz(kernel)
        self._error = kernel.variance * float(np.max(moments)) * loss / 2 if self.smooth else slope * np.sqrt(loss)

    @property
    def error(self) -> float:
        return self._error

    def left(self, X: Array) -> Prepared:
        moved = np.max([np.linalg.norm(rows, axis=1) for _, rows in self.transforms.of(X)], axis=0)
        return Prepared(X, np.square(moved) if self.smooth else moved)

    def tile(self, left: Prepared, right: Prepared, out: Array) -> Array:
        values = KernelMap(self.kernel, right.rows, self.transforms, self.one_sided)
        return transform(values, left.rows, np.dtype(float))


def bounded_values(kernel: Stationary, X: Array) -> Values:
    """Values in float64 with a bound on their rounding: the faster way where it is precise enough."""
    bare, factor, profile = parts_of(kernel)
    if profile is not None and np.all(np.isfinite(profile.second_moments(X.shape[1]))):
        fast = GemmValues(profile, factor, X, np.dtype(float))
        if 2 * fast.error * float(np.max(fast.left(X).size, initial=0.0)) <= _GEMM_ERROR * factor:
            return fast
    direct = DirectValues(bare, factor, X, np.dtype(float))
    if not np.isfinite(direct.error):
        raise _not_lipschitz(bare)
    return direct


def _not_lipschitz(kernel: Stationary) -> AssumptionError:
    why = "is so steep between near rows (not Lipschitz) that the rounding of its sums has no bound"
    return AssumptionError(f"{in_one_line(kernel)} {why}.")
