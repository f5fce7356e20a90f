"""Validation of arrays for estimators: scikit-learn's checks, and numbers that can be squared."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from bochner._magnitude import largest_number, refuse_huge

__all__ = ["validated_rows", "validated_rows_and_targets"]

_RULES: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}


def validated_rows(estimator: Any, X: Any, *, reset: bool, huge: bool = False, **checks: Any) -> Any:
    """Finite rows of an estimator, dense or CSR, in float32 or float64, whose squares are numbers, too.

    `huge` lets numbers pass whose squares are none. `checks` are further ones of scikit-learn's `validate_data`.
    """
    rows = validate_data(estimator, X, reset=reset, **{**_RULES, **checks})
    if not huge:
        _refuse_huge_rows(estimator, rows)
    return rows


def validated_rows_and_targets(estimator: Any, X: Any, y: Any, *, reset: bool, **checks: Any) -> tuple[Any, Any]:
    """Rows as in `validated_rows`, and targets, or labels of classes, for them."""
    X, y = validate_data(estimator, X, y, reset=reset, **{**_RULES, **checks})
    _refuse_huge_rows(estimator, X)
    refuse_huge(np.asarray(y), "y", largest_number(X.dtype, X.shape[1]))
    return X, y


def _refuse_huge_rows(estimator: Any, X: Any) -> None:
    names = getattr(estimator, "feature_names_in_", None)
    refuse_huge(X, "X", largest_number(X.dtype, X.shape[1]), names)
