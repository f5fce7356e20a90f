"""Plan of a fit on given features: any transformer, by its own bytes and the measured time of a block."""

from __future__ import annotations

import time

import numpy as np
from sklearn.base import clone

from bochner._dense import dense
from bochner._threads import single_threaded_blas
from bochner._typing import Array, FloatType, Rows, Transformer
from bochner.errors import invalid_parameter
from bochner.features import FeatureMap, map_of
from bochner.features.base import apply_map, new_scratch
from bochner.planning.cost import CostModel
from bochner.planning.plan import Plan
from bochner.solvers import ridge_bill
from bochner.statistics import plan_pass

__all__ = ["plan_features"]

_FITTED_ROWS, _TIMED_ROWS = 2000, 256
_NO_BOUND = "none before the fit: certify says how far features are from their kernel, where they have one"


def plan_features(
    features: Transformer, X: Rows | None, *, n_targets: int, dtype: FloatType, delta: float, cost: CostModel
) -> Plan:
    """Memory and time of a direct ridge fit on a transformer's features. It is fitted to up to 2,000 of the rows."""
    if X is None:
        raise invalid_parameter("plan", "X", "given with features, which are fitted to some of the rows", X)
    n, d = X.shape
    rows = dense(X[np.linspace(0, n - 1, min(n, _FITTED_ROWS)).astype(int)], dtype)
    feature_map = map_of(clone(features).fit(rows), rows)
    D = feature_map.n_components
    cut = plan_pass(n, feature_map, n_targets, dtype)
    bill = ridge_bill(cut, feature_map, n_targets=n_targets, dtype=dtype)
    products = cost.product * n * float(D) ** 2 / cut.n_threads
    mapping = _seconds_per_row(feature_map, rows[:_TIMED_ROWS]) * n / cut.n_threads
    return Plan.without_bound(
        (n, d),
        cut,
        bill.items,
        kernel=repr(features),
        n_components=D,
        reason="the width of the features",
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
