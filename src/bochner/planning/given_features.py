"""Plan of a fit on given features, or on those of a kernel that is not stationary: own bytes, measured time."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
from sklearn.base import clone

from bochner._dense import dense
from bochner._threads import single_threaded_blas
from bochner._typing import Array, FloatType, Rows, Transformer
from bochner.errors import AssumptionError, invalid_parameter
from bochner.features import FeatureMap, map_of
from bochner.features.base import apply_map, new_scratch
from bochner.features.of_kernel import draw_map_of_kernel
from bochner.planning.cost import CostModel
from bochner.planning.plan import Plan
from bochner.solvers import ridge_bill
from bochner.statistics import plan_pass

__all__ = ["plan_features", "plan_kernel"]

_FITTED_ROWS, _TIMED_ROWS, _WIDTH = 2000, 256, 1024
_NO_BOUND = "none before the fit: certify says how far features are from their kernel, where they have one"


def plan_features(
    features: Transformer, X: Rows | None, *, n_targets: int, dtype: FloatType, delta: float, cost: CostModel
) -> Plan:
    """Memory and time of a direct ridge fit on a transformer's features. It is fitted to up to 2,000 of the rows."""
    if X is None:
        raise invalid_parameter("plan", "X", "given with features, which are fitted to some of the rows", X)
    rows, (n, d) = _some_rows(X, dtype), X.shape
    feature_map = map_of(clone(features).fit(rows), rows)
    found = _plan_of_map(feature_map, repr(features), "the width of the features", rows, (n, d), n_targets, delta, cost)
    return replace(found, bound=_promise(features, X, delta))


def _promise(features: Transformer, X: Rows, delta: float) -> str:
    """What the features promise of these rows before the fit, if they do."""
    promise = getattr(features, "promise", None)
    try:
        return _NO_BOUND if promise is None else str(promise(X, delta=delta).statement)
    except AssumptionError:
        return _NO_BOUND


def plan_kernel(
    kernel: object,
    X: Rows | None,
    shape: tuple[int, int],
    *,
    n_components: int | None,
    eps: float | None,
    n_targets: int,
    dtype: FloatType,
    delta: float,
    cost: CostModel,
) -> Plan | None:
    """Memory and time of a direct ridge fit on the features of a kernel that is not stationary; None for other kernels.

    Without rows, the map is drawn and timed on equal histograms.
    """
    rows = np.full((_TIMED_ROWS, shape[1]), 1 / shape[1], dtype=dtype) if X is None else _some_rows(X, dtype)
    feature_map = draw_map_of_kernel(kernel, rows, n_components or _WIDTH, 0)
    if feature_map is None:
        return None
    if eps is not None:
        raise invalid_parameter("plan", "eps", f"None for {kernel}, whose features have no bound before the fit", eps)
    width = "the width that was asked for" if n_components else "the default width of the kernel's features"
    return _plan_of_map(feature_map, repr(kernel), width, rows, shape, n_targets, delta, cost)


def _some_rows(X: Rows, dtype: FloatType) -> Array:
    n = X.shape[0]
    return dense(X[np.linspace(0, n - 1, min(n, _FITTED_ROWS)).astype(int)], dtype)


def _plan_of_map(
    feature_map: FeatureMap,
    named: str,
    reason: str,
    rows: Array,
    shape: tuple[int, int],
    n_targets: int,
    delta: float,
    cost: CostModel,
) -> Plan:
    """The plan of a map, timed on some rows."""
    n, D = shape[0], feature_map.n_components
    cut = plan_pass(n, feature_map, n_targets, rows.dtype)
    bill = ridge_bill(cut, feature_map, n_targets=n_targets, dtype=rows.dtype)
    products = cost.product * n * float(D) ** 2 / cut.n_threads
    mapping = _seconds_per_row(feature_map, rows[:_TIMED_ROWS]) * n / cut.n_threads
    return Plan.without_bound(
        shape,
        cut,
        bill.items,
        kernel=named,
        n_components=D,
        reason=reason,
        delta=delta,
        bound=_NO_BOUND,
        seconds=products + mapping + cost.solve_seconds(D),
    )


def _seconds_per_row(feature_map: FeatureMap, rows: Array) -> float:
    """Seconds per row of one thread, after a run that warms up."""
    out, scratch = (
        np.empty((len(rows), feature_map.n_components), dtype=rows.dtype),
        new_scratch(feature_map, rows.dtype),
    )
    with single_threaded_blas():
        apply_map(feature_map, rows, out, scratch)
        start = time.perf_counter()
        apply_map(feature_map, rows, out, scratch)
    return (time.perf_counter() - start) / len(rows)
