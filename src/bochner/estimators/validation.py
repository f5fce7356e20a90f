"""Validation of arrays for estimators: scikit-learn's checks, and numbers that can be squared."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from bochner._magnitude import largest_number, refuse_huge
from bochner._plain import require_plain, require_unmasked
from bochner._sklearn import naming_the_encoder
from bochner._typing import MatrixLike

__all__ = ["host_array", "validated_rows", "validated_rows_and_targets"]

_RULES: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}


def validated_rows(estimator: Any, X: Any, *, reset: bool, huge: bool = False, **checks: Any) -> Any:
    """Finite rows of an estimator, dense or CSR, in float32 or float64, whose squares are numbers, too.

    `huge` lets numbers pass whose squares are none. `checks` are further ones of scikit-learn's `validate_data`.
    """
    require_plain(X)
    X = host_array(X)
    with _naming_the_encoder(estimator):
        rows = validate_data(estimator, X, reset=reset, **{**_RULES, **checks})
    if not huge:
        _refuse_huge_rows(estimator, rows)
    return rows


def validated_rows_and_targets(estimator: Any, X: Any, y: Any, *, reset: bool, **checks: Any) -> tuple[Any, Any]:
    """Rows as in `validated_rows`, and targets, or labels of classes, for them."""
    require_plain(X)
    (require_plain if checks.get("y_numeric") else require_unmasked)(y, "y")  # classes may be dates
    X, y = host_array(X), host_array(y)
    with _naming_the_encoder(estimator):
        X, y = validate_data(estimator, X, y, reset=reset, **{**_RULES, **checks})
    _refuse_huge_rows(estimator, X)
    refuse_huge(np.asarray(y), "y", largest_number(X.dtype, X.shape[1]))
    return X, y


def host_array(values: MatrixLike) -> MatrixLike:
    """A tensor of another library as the NumPy array that shares its memory, and anything else as it is.

    Under scikit-learn's `array_api_dispatch` its checks would work on the tensor, which the compiled loops do not take.
    A tensor of another device is refused by its own library.
    """
    foreign = hasattr(values, "__dlpack__") and not hasattr(values, "__array_interface__")
    return np.from_dlpack(values) if foreign else values  # type: ignore[arg-type]  # it has the method


def _naming_the_encoder(estimator: object) -> AbstractContextManager[None]:
    name = type(estimator).__name__
    return naming_the_encoder(name, f": make_pipeline(TableEncoder(), {name}())")


def _refuse_huge_rows(estimator: Any, X: Any) -> None:
    names = getattr(estimator, "feature_names_in_", None)
    refuse_huge(X, "X", largest_number(X.dtype, X.shape[1]), names)
