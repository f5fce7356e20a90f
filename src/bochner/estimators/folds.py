"""Folds of a fit for the parameters `alpha` and `cv` of an estimator."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from bochner.solvers import Fold, LinearProblem

__all__ = ["folds_for"]

_PARTS = 5  # of the rows, one of which chooses the penalty


def folds_for(alpha: float | str, cv: object, problem: LinearProblem) -> list[Fold]:
    """One fifth of the rows for alpha="auto"; else the folds of `cv`: a number, a splitter or pairs of indices."""
    if alpha == "auto":
        return problem.folds(_PARTS)[:1]
    if isinstance(cv, Integral):
        return problem.folds(int(cv))
    from sklearn.model_selection import check_cv  # a tenth of a second that other users of estimators save

    splitter = check_cv(cv, problem.split_targets, classifier=problem.has_classes)
    return list(splitter.split(np.zeros(len(problem.weight)), problem.split_targets))
