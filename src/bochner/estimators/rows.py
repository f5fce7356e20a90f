"""Validation of rows for estimators: arrays, scans of files, Dask collections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bochner._dense import dense
from bochner._sklearn import check_sample_weight, refuse_lazy
from bochner._typing import Array, MatrixLike, Rows
from bochner.data import READ_ROWS, ArrayRows, RowSource, scan_blocks
from bochner.engines import collection_rows, engine_of
from bochner.errors import InvalidDataError
from bochner.estimators.levels import Mix, means_of_levels, over_levels
from bochner.estimators.ranges import warn_of_far_rows
from bochner.estimators.validation import validated_rows, validated_rows_and_targets
from bochner.features import LinearResponse
from bochner.memory import MemoryBill, advice_when_full, require_memory, row_slices, rows_within

__all__ = ["adopt_columns", "linear_predictions", "new_rows", "open_rows", "over_rows", "rows_to_fit"]

_FEWER = "Predict fewer rows at a time."
_BLOCK = 1024  # rows whose answers are made at once whatever the budget


def rows_to_fit(
    estimator: Any, X: Any, y: Any, sample_weight: Any, *, reset: bool, **checks: Any
) -> tuple[RowSource, Array | None]:
    """The rows to fit, and the targets if they are in memory.

    `checks` are those of scikit-learn's `validate_data` for arrays.
    """
    rows = open_rows(X, y, sample_weight)
    if rows is None:
        refuse_lazy(X)
        X, y = validated_rows_and_targets(estimator, X, y, reset=reset, **checks)
        return ArrayRows(X, y, check_sample_weight(sample_weight, X), X.dtype), y
    adopt_columns(estimator, rows, reset)
    if rows.n_targets == 0:
        raise InvalidDataError(f"{type(estimator).__name__} needs targets: give target=... when scanning.")
    return rows, None


def open_rows(X: Any, y: Any = None, sample_weight: Any = None) -> RowSource | None:
    """The source behind rows that are not an array in memory; None for everything that scikit-learn would take."""
    collection = collection_rows(X, y, sample_weight)
    if collection is not None:
        return collection
    if isinstance(X, Iterator):
        X = scan_blocks(X)
    if not isinstance(X, RowSource):
        return None
    if y is not None or sample_weight is not None:
        raise InvalidDataError(
            "Targets and weights of scanned rows are named when scanning (target=..., weight=...). Got y or "
            "sample_weight beside them."
        )
    return X


@dataclass(frozen=True, eq=False)
class _Answer:
    """A function of linear predictions, as a function of rows that can be sent to workers."""

    response: LinearResponse
    then: Callable[[Array], Array]
    levels: Array | None

    def __call__(self, X: Rows) -> Array:
        return over_levels(self.levels, X, lambda rows: (self.then(self.response(rows)),), means_of_levels)[0]


@advice_when_full()
def linear_predictions(
    estimator: Any,
    X: MatrixLike,
    response: LinearResponse,
    then: Callable[[Array], Array] = np.asarray,
    *,
    shape: tuple[int, ...] | None = None,
    dtype: Any = None,
    levels: Array | None = None,
) -> Any:
    """`then` of the predictions (n, t) of all rows: an array, or a lazy one that stays where an engine works.

    `shape` and `dtype` are those of `then` for one row; None: those of the predictions. `levels` are the columns of
    categories, between whose levels answers are means.
    """
    rows = open_rows(X)
    if rows is None:
        return over_rows(estimator, X, lambda part: (_in_blocks(response, then, part),), levels)[0]
    adopt_columns(estimator, rows, reset=False)
    engine = engine_of(rows)
    answer = _Answer(replace(response, feature_map=engine.ship(response.feature_map)), then, levels)
    width = (response.coef.shape[1],) if shape is None else shape
    return engine.apply(rows, answer, width, np.dtype(rows.dtype if dtype is None else dtype))


def _in_blocks(response: LinearResponse, then: Callable[[Array], Array], X: Rows) -> Array:
    """`then` of the predictions of rows in memory: of all at once if that is all, else of some after the other."""
    n, t = X.shape[0], response.coef.shape[1]
    if then is np.asarray:
        require_memory(MemoryBill({"predictions": n * t * X.dtype.itemsize}), _FEWER)
        return response(X)
    rows = _BLOCK if n <= _BLOCK else rows_within(64 * t, share=0.05, least=_BLOCK, most=16384)
    first = then(response(X[:rows]))
    require_memory(MemoryBill({"answers": n * first[:1].nbytes}), _FEWER)
    out = np.empty((n, *first.shape[1:]), dtype=first.dtype)
    out[:rows] = first
    for part in row_slices(n, rows):
        if part.start:
            out[part] = then(response(X[part]))
    return out


@advice_when_full()
def over_rows(
    estimator: Any,
    X: MatrixLike,
    function: Callable[[Rows], tuple[Array, ...]],
    levels: Array | None = None,
    mix: Mix = means_of_levels,
) -> list[Array]:
    """The arrays of `function(X)` for all rows: of an array at once, of scanned rows in one pass.

    Rows between levels of the categories in the columns `levels` have the `mix` of those of their levels.
    """
    rows = open_rows(X)
    if rows is None:
        checked: Rows = validated_rows(estimator, X, reset=False)
        warn_of_far_rows(estimator, checked)
        return list(over_levels(levels, checked, function, mix))
    adopt_columns(estimator, rows, reset=False)
    parts = (over_levels(levels, block.X, function, mix) for block in rows.blocks(READ_ROWS))
    return [np.concatenate(each) for each in zip(*parts)]


def new_rows(estimator: Any, X: Any) -> Array:
    """Other rows for a fitted estimator, dense and in memory, from an array, a scan or a cluster."""
    rows = open_rows(X)
    if rows is not None:
        adopt_columns(estimator, rows, reset=False)
        X = rows.take(np.arange(rows.n_rows))
    X = validated_rows(estimator, X, reset=False)
    return dense(X)


def adopt_columns(estimator: Any, rows: RowSource, reset: bool) -> None:
    """Set or check the width and the names of the columns, as scikit-learn does for arrays."""
    if reset:
        estimator.n_features_in_ = rows.n_features
        if rows.feature_names is not None:
            estimator.feature_names_in_ = np.asarray(rows.feature_names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return
    if rows.n_features != estimator.n_features_in_:
        raise InvalidDataError(
            f"X has {rows.n_features} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None and rows.feature_names is not None and list(names) != list(rows.feature_names):
        raise InvalidDataError(
            f"The columns must be those of the fit, in their order. Expected {list(names)[:8]}, got "
            f"{list(rows.feature_names)[:8]}. Choose them with columns=... when scanning."
        )
