"""Folds of a fit for the parameters `alpha` and `cv` of an estimator."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from bochner._typing import Array
from bochner.solvers import Fold, LinearProblem

__all__ = ["folds_for"]

_PARTS = 5  # of the rows, one of which chooses the penalty


def folds_for(alpha: float | str, cv: object, problem: LinearProblem, rows: Array | None = None) -> list[Fold]:
    """One fifth of the rows for alpha="auto"; else the folds of `cv`: a number, a splitter or pairs of indices.

    `rows`: the numbers, ascending, of the problem's rows among those that pairs of indices are for. None: it has all.
    """
    if alpha == "auto":
        return problem.folds(_PARTS)[:1]
    if isinstance(cv, Integral):
        return problem.folds(int(cv))
    from sklearn.model_selection import check_cv  # a tenth of a second that other users of estimators save

    splitter = check_cv(cv, problem.split_targets, classifier=problem.has_classes)
    found = list(splitter.split(np.zeros(len(problem.weight)), problem.split_targets))
    if rows is None or hasattr(cv, "split"):
        return found
    return [(_positions(seen, rows), _positions(left_out, rows)) for seen, left_out in found]


def _positions(index: Array, rows: Array) -> Array:
    """Where those of some rows stand that an index, or a mask, has."""
    index = np.asarray(index)
    return np.flatnonzero(index[rows] if index.dtype == bool else np.isin(rows, index))
