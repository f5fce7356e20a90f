"""Certificates of orbit features: the error of the orbit kernel, and how invariant the features are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._random import Purpose, generator
from bochner._typing import Array, JsonDict
from bochner.errors import AssumptionError
from bochner.estimators.certification import (
    COMPUTED_ROWS,
    computed_error,
    naming_the_choice,
    require_computed_error,
    tightest_first,
)
from bochner.estimators.kernel_features import gram_rounding
from bochner.estimators.map_transformer import CertificateContext
from bochner.features import transform
from bochner.theory import orbit
from bochner.theory.a_posteriori import AllPairs
from bochner.theory.base import Bound, Certificate, check_delta
from bochner.theory.region import diameter_of

__all__ = ["certify_orbit"]

_VALUES = 3 * 10**8  # kernel values that are computed: seconds
_ROWS, _MOVES = 500, 16  # rows and transformations on which invariance is measured


def certify_orbit(features: Any, X: Any, delta: float, context: CertificateContext) -> Certificate:
    """The tightest bound on the error of the orbit kernel over the rows, with the others and the invariance beside it.

    `features` is a fitted `OrbitFeatures`.
    """
    check_delta(delta)
    order = generator(features.seed_, Purpose.PAIRS).permutation(X.shape[0])
    alike = []
    kernel = getattr(features.base_, "kernel_", None)
    if kernel is not None and not kernel.stationary:
        alike = [*_averaged(features, X, order)]
    elif kernel is not None:
        alike = [*_computed(features, X, order, context.precision)]
        if context.independent:
            alike += [naming_the_choice(each, context.scale_is_of_rows) for each in _a_priori(features, X, delta)]
    return tightest_first(alike, [_invariance(features, X, order)])


def _computed(features: Any, X: Any, order: Array, precision: type) -> Iterator[Certificate]:
    """The largest error over pairs of as many rows as can be afforded."""
    exact, r = features.exact_kernel(), len(features.transforms_)
    n = min(X.shape[0], COMPUTED_ROWS, max(2, int(np.sqrt(_VALUES / (r if exact.one_sided else r**2)))))
    rows = X[np.sort(order[:n])]
    require_computed_error(n, features.n_components_)
    Z = transform(features.map_, rows, np.promote_types(X.dtype, precision)).astype(float, copy=False)
    which = None if n == X.shape[0] else f"{n:,} of these {X.shape[0]:,} rows"
    yield computed_error(exact, rows, Z, rows=which)


def _averaged(features: Any, X: Any, order: Array) -> Iterator[Certificate]:
    """The largest error for a kernel that is not stationary: k averaged over both sides, in float64."""
    kernel, transforms = features.base_.kernel_, features.transforms_
    n = min(X.shape[0], COMPUTED_ROWS, max(2, int(np.sqrt(_VALUES / 10) / len(transforms))))
    rows = dense(X[np.sort(order[:n])], float)
    require_computed_error(n, features.n_components_)
    Z = transform(features.map_, rows, np.dtype(float))
    error = Z @ Z.T
    for weight, left in transforms.of(rows):
        for other, right in transforms.of(rows):
            error -= weight * other * kernel(left, right)
    which = None if n == X.shape[0] else f"{n:,} of these {X.shape[0]:,} rows"
    yield AllPairs(error=error, rounding=gram_rounding(Z), kernel="the orbit kernel", rows=which).certificate()


def _a_priori(features: Any, X: Any, delta: float) -> Iterator[Certificate]:
    """Bounds that hold for independent frequencies, over all rows."""
    base, transforms = features.base_, features.transforms_
    n, D = X.shape[0], features.n_components_
    setting: JsonDict | None = getattr(base, "independent_setting", None)  # the base may be any transformer
    if setting is None:
        return
    bounds: list[Any] = []
    if transforms.whole:
        bounds = [lambda: orbit.FullOrbitHoeffding(n_points=n, **setting)]
    elif transforms.independent:
        setting = {**setting, "n_transforms": len(transforms)}
        bounds = [lambda: orbit.SampledOrbitHoeffding(n_points=n, **setting)]
        if features.group.unitary:
            region = {"n_features": X.shape[1], "diameter": diameter_of(X, base.kernel_)}
            bounds.append(lambda: orbit.SampledOrbit(**setting, **region))
    for make in bounds:
        try:
            bound: Bound = make()
            found = bound.certificate(D, delta)  # type: ignore[attr-defined]
            yield replace(
                found, claim=f"the largest error of the orbit kernel over all pairs of these {n:,} rows is {{value}}"
            )
        except (AssumptionError, ValueError):
            continue  # an odd paired width, a kernel of unknown sign: another certificate speaks


def _invariance(features: Any, X: Any, order: Array) -> Certificate:
    """Invariance certificate: largest change of features under fresh transformations from the group."""
    rows = dense(X[np.sort(order[:_ROWS])], float)
    size = features.group.order(X.shape[1])
    moves = features.group.sample(
        _MOVES if size is None else min(_MOVES, size), X.shape[1], seed=(features.seed_ + 1) % 2**32
    )
    moved = (transform(features.map_, each, np.dtype(float)) for _, each in moves.of(rows))
    return orbit.Invariance(moved=moved, still=transform(features.map_, rows, np.dtype(float))).certificate()
