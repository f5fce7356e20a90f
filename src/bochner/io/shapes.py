"""Shapes, float types and finiteness of the arrays of an object from a file: one rule a type.

Compiled loops and LAPACK trust these. A rule is asked after the schema of the type (`bochner.io.schema`), so that every
attribute has the type that its class declares; an object inside another one has passed its own rule before.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bochner._typing import Array
from bochner.comparison import MeanMap
from bochner.comparison.sequential import ConformalEvidence
from bochner.estimators import DriftDetector, KernelPCA
from bochner.estimators.pre_image import PreImages, ScoreMap
from bochner.features import FourierMap, OrbitFourierMap, RankWarp, SplineMap
from bochner.features.base import LinearResponse
from bochner.features.nystroem import KernelMap, NystroemMap
from bochner.groups import Transforms
from bochner.io.hints import is_numbers
from bochner.kernels import Stationary
from bochner.sampling import MOST_AXES, DenseProjection, FrequencyGrid
from bochner.solvers import (
    GridSolution,
    LandmarkSpread,
    LinearSolution,
    PrincipalAxes,
    QuadraticPenalty,
    Solution,
)
from bochner.solvers.low_rank_spread import LowRankSpread
from bochner.solvers.preconditioner import SampledRows, SubsampleGram
from bochner.statistics import BlockMoments, FourierSums, Moments

__all__ = ["finite", "fits", "shaped"]

_DOUBLE = np.dtype(float)
_MOST_MODES = 2**26  # of a grid of frequencies: more would be a file that is none


@singledispatch
def fits(value: object) -> bool:
    """Whether the arrays and numbers of an object belong together."""
    return True


def finite(value: Any, *shape: int | None) -> bool:
    """A finite float64 array of this shape; None is any size."""
    return shaped(value, *shape) and value.dtype == _DOUBLE and bool(np.isfinite(value).all())


def shaped(value: Any, *shape: int | None) -> bool:
    """An array of numbers of this shape; None is any size."""
    if not is_numbers(value) or value.ndim != len(shape):
        return False
    return all(want is None or have == want for have, want in zip(value.shape, shape))


# Kernels and transformations.


@fits.register
def _(value: Stationary) -> bool:
    scale = vars(value).get("length_scale")
    return type(scale) is not np.ndarray or (is_numbers(scale) and scale.ndim <= 1)


@fits.register
def _(value: Transforms) -> bool:
    numbers = all(action.dtype.kind in "biuf" for action in value.actions if issparse(action))  # type: ignore[union-attr]
    return numbers and len(value.actions) > 0 and finite(value.weights, len(value.actions))


def _square(transforms: Transforms, d: int) -> bool:
    """Whether the actions that are matrices act on rows of d columns."""
    return all(action.shape == (d, d) for action in transforms.actions if issparse(action))  # type: ignore[union-attr]


# Feature maps.


@fits.register
def _(value: DenseProjection) -> bool:
    return finite(value.omega, None, None)


@fits.register
def _(value: FourierMap) -> bool:
    if not fits(value.projection):
        return False
    m = value.projection.n_frequencies
    arrays = finite(value.amplitude, m) and finite(value.phase, None) and len(value.phase) <= m
    recipe = value.recipe
    return arrays and (
        recipe is None or (recipe.n_features, recipe.n_components) == (value.n_features, value.n_components)
    )


@fits.register
def _(value: OrbitFourierMap) -> bool:
    linear = value.base.projection.has_matrix and value.transforms.linear
    return linear and type(value.base) is FourierMap and _square(value.transforms, value.base.n_features)


@fits.register
def _(value: RankWarp) -> bool:
    d = len(value.knots)
    arrays = finite(value.knots, d, None) and finite(value.scores, *value.knots.shape) and value.knots.size > 0
    return arrays and shaped(value.reach, d) and value.reach.dtype == _DOUBLE and bool(np.all(value.reach > 0))


@fits.register
def _(value: KernelMap) -> bool:
    if not finite(value.points, None, None) or len(value.points) == 0:
        return False
    return value.transforms is None or _square(value.transforms, value.points.shape[1])


@fits.register
def _(value: NystroemMap) -> bool:
    L = value.values.n_components
    return finite(value.factor, L, L) and value.factor.flags.c_contiguous


@fits.register
def _(value: FrequencyGrid) -> bool:
    d = len(value.period) if value.period.ndim == 1 else 0
    if not 1 <= d <= MOST_AXES or not finite(value.centre, d) or not finite(value.period, d):
        return False
    whole = shaped(value.extent, d) and value.extent.dtype == np.int64
    return whole and bool(np.all(value.period > 0) and np.all(value.extent >= 0)) and value.n_modes <= _MOST_MODES


@fits.register
def _(value: SplineMap) -> bool:
    return finite(value.centres, None, None)


@fits.register(LinearResponse)
@fits.register(ScoreMap)
def _(value: LinearResponse | ScoreMap) -> bool:
    return _linear(value.coef, value.offset, value.feature_map.n_components)


def _linear(coef: Array, offset: Array, width: int | None) -> bool:
    """Coefficients (D, t) of features and an offset (t,)."""
    if not shaped(coef, width, None) or not shaped(offset, coef.shape[1]):
        return False
    return bool(np.isfinite(coef).all() and np.isfinite(offset).all())


# Sufficient statistics.


@fits.register
def _(value: Moments) -> bool:
    zz = vars(value).get("zz")  # a summary has none
    if not _sums(value) or value.n_rows < 0 or not 0 < value.precision <= 1:
        return False
    return zz is None or (finite(zz, *value.zy.shape[:1] * 2) and zz.flags.c_contiguous and _is_gram(value))


def _is_gram(value: Moments) -> bool:
    """Whether no product exceeds the largest square, as in every sum of squares, up to rounding.

    A solver raises the diagonal of another matrix tenfold, hundreds of times, before it gives up.
    """
    if value.zz.size == 0:
        return True
    squares = np.diagonal(value.zz)
    noise = 1e3 * value.precision * abs(value.weight) * float(np.max(np.square(value.z_mean)))
    slack = 0.01 * squares.max() + noise
    largest = max(float(value.zz.max()), -float(value.zz.min()))
    return bool(squares.min() >= -slack and largest <= squares.max() + slack)


@fits.register
def _(value: FourierSums) -> bool:
    t, d = len(value.reference), len(value.grid.period)
    doubled = tuple(int(4 * m + 1) for m in value.grid.extent)
    sums = finite(value.density, *doubled) and finite(value.targets, t, *value.grid.shape) and value.weight > 0
    of_targets = all(finite(each, t) for each in (value.reference, value.unit, value.y_sum, value.yy))
    return sums and of_targets and finite(value.low, d) and finite(value.high, d)


@fits.register
def _(value: BlockMoments) -> bool:
    return _sums(value) and shaped(value.gram, len(value.zy), len(value.zy)) and value.gram.dtype.kind == "f"


def _sums(value: Moments | BlockMoments) -> bool:
    """Means and products of features (D,) and targets (t,); the energy of huge targets may be infinite."""
    if not finite(value.zy, None, None):
        return False
    D, t = value.zy.shape
    energy = shaped(value.yy, t) and value.yy.dtype == _DOUBLE
    return finite(value.z_mean, D) and finite(value.y_mean, t) and energy


@fits.register
def _(value: MeanMap) -> bool:
    return finite(value.total, value.features.n_components)


# Solutions.


@fits.register
def _(value: Solution) -> bool:
    return _linear(value.coef, value.intercept, None) and shaped(value.noise_variance, value.coef.shape[1])


@fits.register
def _(value: GridSolution) -> bool:
    linear = _linear(value.coef, value.intercept, None) and shaped(value.noise_variance, value.coef.shape[1])
    if not linear or value.features is None or value.sums is None or value.alpha <= 0:
        return False
    same = value.features.grid.shape == value.sums.grid.shape and len(value.coef) == value.features.n_components
    return same and len(value.sums.reference) == value.coef.shape[1] and value.n_draws > 0


@fits.register
def _(value: LinearSolution) -> bool:
    return _linear(value.coef, value.intercept, None)


@fits.register
def _(value: QuadraticPenalty) -> bool:
    centre, matrix = value.centre, vars(value).get("matrix")  # a summary has no matrix
    if centre is None:
        return matrix is None
    return finite(centre, None, None) and (matrix is None or finite(matrix, len(centre), len(centre)))


@fits.register
def _(value: PrincipalAxes) -> bool:
    return shaped(value.components, None, None) and shaped(value.eigenvalues, len(value.components))


@fits.register
def _(value: SubsampleGram) -> bool:
    A = value.A
    return shaped(A, None, None) and A.dtype in (np.float32, np.float64) and len(A) > 0 and bool(np.isfinite(A).all())


@fits.register
def _(value: SampledRows) -> bool:
    return finite(value.rows, None, None) and finite(value.scales, len(value.rows)) and finite(value.mean, value.width)


@fits.register
def _(value: LowRankSpread) -> bool:
    return "gram" not in vars(value) or (finite(value.mean, value.gram.width) and value.gram.n_rows > 0)  # or a summary


@fits.register
def _(value: LandmarkSpread) -> bool:
    L = len(value.landmarks)
    numbers = shaped(value.landmarks, L) and value.landmarks.dtype == np.int64 and bool(np.all(value.landmarks >= 0))
    factors = all(finite(part, L, L) and part.flags.c_contiguous for part in (value.whitening, value.factor))
    return numbers and factors and L > 0 and finite(value.centre, L) and value.alpha > 0


@fits.register
def _(value: ConformalEvidence) -> bool:
    return value.steps >= 0 and len(value.scores) > 0


# Estimators: their parts have the width of the features.


@fits.register
def _(value: PreImages) -> bool:
    return len(value.solution.coef) == value.fourier.n_components


@fits.register
def _(value: KernelPCA) -> bool:
    state = vars(value)
    if "_feature_map" not in state or "moments_" not in state:
        return "_feature_map" not in state
    D, axes = state["_feature_map"].n_components, state.get("_axes")
    return len(value.moments_.z_mean) == D and (axes is None or axes.components.shape[1] == D)


@fits.register
def _(value: DriftDetector) -> bool:
    state = vars(value)
    if "_features" not in state:
        return True
    D, d = state["_features"].n_components, state["_features"].n_features
    shapes: dict[str, tuple[int | None, ...]] = {
        "_reference_mean": (D,),
        "_window_mean": (D,),
        "_calibration": (None,),
        "_eigenvalues": (None,),
    }
    shapes |= {"_kept": (None, d), "_waiting": (None, d)}
    if value.n_features_in_ != d or not all(finite(state[name], *shape) for name, shape in shapes.items()):
        return False
    return bool(np.all(state["_eigenvalues"] >= 0)) and min(value.window_, value.n_reference_) > 0
